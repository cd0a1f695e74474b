import { isObject } from '../../base/is-object.ts';
import { broken, type Judged } from '../classify-whole.ts';
import { readError, refuseError } from '../model-api/api-error.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { type RepeatedEvent, ReplyText } from '../model-api/repeated-event.ts';
import { reasonOf } from '../model-api/response-reason.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { openaiUsage } from '../usage.ts';

/** Judges a response: the parts of its messages are the text, its `function_call` items the calls. */
export function judgeResponse(response: Fields): Judged {
  const { id, status, output } = response;
  if (typeof id !== 'string' || id === '') return { broken: 'a response without an id' };
  if (!ended.includes(status)) return { broken: 'a response that is not complete' };
  if (!Array.isArray(output) || !output.every(isObject)) return { broken: 'output is not a list of items' };
  const ofType = (type: string): readonly Fields[] => output.filter((item) => item['type'] === type);
  const parts = ofType('message').flatMap(partsOf);
  const texts = parts.map(textOfPart);
  if (!texts.every((text) => text !== undefined)) return { broken: 'a message without a list of texts' };
  const toolCalls = ofType('function_call').map(readCall);
  if (!toolCalls.every((call) => call !== undefined))
    return { broken: 'a function_call without a call_id, a name or arguments' };
  const hasRefusal = parts.some((part) => isObject(part) && part['type'] === 'refusal');
  const reason = hasRefusal ? 'refusal' : reasonOf(status, response['incomplete_details'], toolCalls);
  return judgedReply(response, { text: texts.join(''), toolCalls, usage: openaiUsage, reason });
}

/** `incomplete`: a reply that its token limit or a filter cut off. */
const ended: readonly unknown[] = ['completed', 'incomplete', undefined];

const partsOf = ({ content }: Fields): readonly unknown[] => (Array.isArray(content) ? content : [undefined]);

function textOfPart(part: unknown): string | undefined {
  if (!isObject(part)) return undefined;
  const text = part['type'] === 'output_text' ? part['text'] : part['type'] === 'refusal' ? part['refusal'] : '';
  return typeof text === 'string' ? text : undefined;
}

function readCall({ call_id: id, name, arguments: text }: Fields): ToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return { id, name, arguments: text };
}

/** Reads the events of one response. If they are numbered, each number follows the one before. */
export class ResponseReader implements EventReader {
  readonly end = 'response.completed';
  readonly counter = 'sequence_number';
  readonly replyText = new ReplyText();
  hasFailed = false;
  #number: number | undefined;
  readonly #maxFirst: number;
  #id: unknown;
  #response: Fields | undefined;
  /** The latest response of an event: its usage is reported at its end. */
  #latest: Fields = {};

  /** `maxFirst`: the highest number of a first event. */
  constructor(maxFirst = 1) {
    this.#maxFirst = maxFirst;
  }

  get hasEnded(): boolean {
    return this.#response !== undefined;
  }

  take(event: Fields): EventContent | Verdict {
    const { type, sequence_number: number } = event;
    const isInOrder = number === undefined || this.#follows(number);
    // An explicit error takes precedence over its numbering, as in an `error` event.
    if (!isInOrder && type !== 'response.failed') return outOfOrder;
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof event['delta'] === 'string') this.replyText.add(event['delta']);
        return contentOf(event['delta'], 'content');
      case 'response.function_call_arguments.delta':
        return contentOf(event['delta'], 'content');
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return contentOf(event['delta'], 'reasoning');
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#takeResponse(type, event['response']);
      default:
        return typeof type === 'string' ? 'other' : broken('an event without a type');
    }
  }

  repeat(event: RepeatedEvent): EventContent | Verdict {
    if (!this.#follows(event.number)) return outOfOrder;
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  /** Returns the reply; its text is the sum of the deltas, whatever the final response contains. */
  reply(): Judged {
    const judged = judgeResponse(this.#response ?? {});
    return 'reply' in judged ? { reply: { ...judged.reply, text: this.replyText.text } } : judged;
  }

  spent(): SpentUsage | undefined {
    return spentIn(this.#latest, openaiUsage, true);
  }

  #follows(number: unknown): boolean {
    if (typeof number !== 'number') return false;
    const isNext = this.#number === undefined ? isFirst(number, this.#maxFirst) : number === this.#number + 1;
    this.#number = number;
    return isNext;
  }

  #takeResponse(type: string, response: unknown): EventContent | Verdict {
    if (!isObject(response)) return broken('an event without its response');
    this.#id ??= response['id'];
    if (response['id'] !== this.#id) return broken('an event of another response');
    this.#latest = response;
    this.hasFailed = type === 'response.failed';
    if (this.hasFailed) return refuseError(readError(isObject(response['error']) ? response['error'] : {}));
    if (type === 'response.completed' || type === 'response.incomplete') this.#response = response;
    return 'other';
  }
}

const isFirst = (number: number, max: number): boolean => Number.isInteger(number) && number >= 0 && number <= max;

function contentOf(delta: unknown, content: EventContent): EventContent | Verdict {
  if (typeof delta !== 'string') return broken('a delta that is not a text');
  return delta === '' ? 'other' : content;
}

const outOfOrder = broken('a gap or a step back in sequence_number');
