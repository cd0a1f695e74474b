import { isObject } from '../../base/is-object.ts';
import { broken, type Judged } from '../classify-whole.ts';
import { readError, refuseError } from '../model-api/api-error.ts';
import { partText } from '../model-api/content-parts.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { eventType } from '../model-api/event-type.ts';
import { spentIn, type Fields } from '../model-api/read-reply.ts';
import { type RepeatedEvent, ReplyText } from '../model-api/repeated-event.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, Verdict } from '../protocol.ts';
import { openaiUsage } from '../usage.ts';
import { isPending, judgeResponse, outputOf } from './judge-output.ts';
import { OutputItems } from './output-items.ts';

interface ResponseReaderOptions {
  /** Highest number of a first event; 1 by default. */
  readonly maxFirst?: number;
  /** False over WebSocket: frames have no names besides their types. */
  readonly isNamed?: boolean;
  /** Id of the previous response over the same socket; its events are late. */
  readonly previousId?: string;
}

/** Reads the events of one response. If they are numbered, each number follows the one before. */
export class ResponseReader implements EventReader {
  readonly end = 'response.completed';
  readonly counter = 'sequence_number';
  readonly isEndedByDone = true;
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  hasFailed = false;
  #number: number | undefined;
  readonly #options: ResponseReaderOptions;
  #hasBegun = false;
  #hasRefusal = false;
  #id: unknown;
  #judged: Judged | undefined;
  /** The latest response of an event: its usage is reported at its end. */
  #latest: Fields = {};
  readonly #items = new OutputItems(this.notes);

  constructor(options: ResponseReaderOptions = {}) {
    this.#options = options;
  }

  get hasEnded(): boolean {
    return this.#judged !== undefined;
  }

  /** The event that ends a response states its reason. */
  get hasReason(): boolean {
    return this.hasEnded;
  }

  take(event: Fields, name: string): EventContent | Verdict {
    const type = eventType(event, this.#options.isNamed === false ? event['type'] : name, this.notes);
    const isInOrder = this.#follows(event['sequence_number'] ?? undefined);
    // An explicit error takes precedence over its numbering, as in an `error` event.
    if (!isInOrder && type !== 'response.failed') return outOfOrder;
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#hasRefusal ||= type === 'response.refusal.delta';
        this.#items.meetText(event);
        return this.#takeText(event['delta']);
      case 'response.output_text.done':
      case 'response.refusal.done':
        return this.#endText(event, type === 'response.refusal.done' ? event['refusal'] : event['text']);
      case 'response.function_call_arguments.delta':
        this.#items.addArguments(event, event['delta']);
        return event['delta'] === '' ? 'other' : 'content';
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return event['delta'] === '' ? 'other' : 'reasoning';
      case 'response.created':
        this.#hasBegun = true;
        return this.#takeResponse(type, event['response']);
      case 'response.queued':
      case 'response.in_progress':
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#takeResponse(type, event['response']);
      default:
        this.#takeItem(type, event);
        return 'other';
    }
  }

  repeat(event: RepeatedEvent): EventContent | Verdict {
    if (!this.#follows(event.number)) return outOfOrder;
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  /** Returns the reply; its text is the sum of the deltas, unless the response at the end continues it. */
  reply(): Judged {
    if (!this.#hasBegun) this.notes.add('no_begin');
    if (this.#judged === undefined) this.#judge({ ...this.#latest, status: undefined });
    const judged = this.#judged;
    if (judged === undefined || !('reply' in judged)) return judged ?? { broken: 'no response' };
    const { finish } = judged.reply;
    const isRefusal = this.#hasRefusal && finish !== 'tool';
    return { reply: { ...judged.reply, text: this.replyText.text, finish: isRefusal ? 'filtered' : finish } };
  }

  spent(): SpentUsage | undefined {
    return spentIn(this.#latest, openaiUsage, true);
  }

  /** Reports whether a number follows the one before; an event without a number does. */
  #follows(number: unknown): boolean {
    if (number === undefined) return true;
    if (typeof number !== 'number') {
      this.notes.add('event_number');
      return true;
    }
    const isNext = this.#number === undefined ? isFirst(number, this.#options.maxFirst) : number === this.#number + 1;
    this.#number = number;
    return isNext;
  }

  #takeResponse(type: string, given: unknown): EventContent | Verdict {
    const response = isObject(given) ? given : this.#latest;
    if (!isObject(given)) this.notes.add('message_form');
    const { id } = response;
    if (typeof id === 'string' && id !== '' && id !== this.#id) {
      if (id === this.#options.previousId) return broken('an event of an earlier response');
      if (this.#id !== undefined) this.notes.add('several_ids');
      this.#id = id;
    }
    this.#latest = response;
    this.hasFailed = type === 'response.failed';
    if (this.hasFailed) return refuseError(readError(isObject(response['error']) ? response['error'] : {}));
    if (type !== 'response.completed' && type !== 'response.incomplete') return 'other';
    const { status = null } = response;
    const isStated = status !== null && status !== '' && !isPending(status);
    return this.#judge({ ...response, status: isStated ? status : type.slice('response.'.length) });
  }

  /** Judges the response at the end, and adds the rest of its text. */
  #judge(response: Fields): EventContent {
    this.#items.close();
    const output = outputOf(response['output'], this.#items.whole());
    this.#judged = judgeResponse({ ...response, id: this.#id, output }, this.notes);
    const before = this.replyText.text;
    const text = 'reply' in this.#judged ? this.#judged.reply.text : before;
    if (text === before && output === response['output']) return 'other';
    this.notes.add('other_end');
    const rest = text.startsWith(before) ? text.slice(before.length) : '';
    this.replyText.add(rest);
    return rest === '' ? 'other' : 'content';
  }

  /** Takes the whole text of a part, which is new only without deltas. */
  #endText(event: Fields, text: unknown): EventContent | Verdict {
    if (!this.#items.isNew(event)) return 'other';
    const taken = this.#takeText(text ?? '');
    if (taken === 'content') this.notes.add('other_end');
    return taken;
  }

  #takeText(delta: unknown): EventContent | Verdict {
    const text = partText(delta, this.notes);
    if (text === undefined) return broken('a delta that is not a text');
    this.replyText.add(text);
    return text === '' ? 'other' : 'content';
  }

  #takeItem(type: string, event: Fields): void {
    if (type === 'response.output_item.added') this.#items.begin(event);
    else if (type === 'response.output_item.done') this.#items.end(event);
    else if (type === 'response.content_part.added') this.#items.beginPart();
    else if (type === 'response.content_part.done') this.#items.endPart();
    else if (type === 'response.function_call_arguments.done') this.#items.endArguments(event);
  }
}

const isFirst = (number: number, max = 1): boolean => Number.isInteger(number) && number >= 0 && number <= max;

const outOfOrder = broken('a gap or a step back in sequence_number');
