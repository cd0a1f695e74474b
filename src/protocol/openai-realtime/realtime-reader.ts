import { isObject } from '../../base/is-object.ts';
import { broken, refused, type Judged } from '../classify-whole.ts';
import { finishOf } from '../finish.ts';
import { readError, refuseError } from '../model-api/api-error.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { reasonOf } from '../model-api/response-reason.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, ToolCall, Usage, Verdict } from '../protocol.ts';
import { openaiUsage } from '../usage.ts';
import { PartsText, textOfItems } from './parts-text.ts';

/** Names of events before the general availability of the API, and those of the transcript of speech. */
const otherNames: Readonly<Record<string, string>> = {
  'response.text.delta': 'response.output_text.delta',
  'response.text.done': 'response.output_text.done',
  'response.audio_transcript.delta': 'response.output_text.delta',
  'response.audio_transcript.done': 'response.output_text.done',
  'response.output_audio_transcript.delta': 'response.output_text.delta',
  'response.output_audio_transcript.done': 'response.output_text.done',
};

/** Reads the events of one response of a Realtime session. */
export class RealtimeReader implements EventReader {
  readonly end = 'response.done';
  readonly notes = new Notes();
  readonly #parts = new PartsText(this.notes);
  readonly replyText = this.#parts.replyText;
  hasFailed = false;
  /** Id of the response; `undefined`: it has not begun. */
  id: string | undefined;
  /** True if the service has taken the items of the turn. */
  hasItems = false;
  #hasBegun = false;
  #response: Fields | undefined;
  #latest: Fields = {};
  /** Items that were sent before the end. */
  readonly #items: Fields[] = [];

  get hasEnded(): boolean {
    return this.#response !== undefined;
  }

  take(event: Fields): EventContent | Verdict {
    const type = this.#typeOf(event);
    if (!this.#hasBegun && type.startsWith('response.')) this.#begin(type);
    switch (type) {
      case 'response.output_text.delta':
        return this.#parts.add(event);
      case 'response.output_text.done':
        return this.#parts.complete(event, event['text'] ?? event['transcript']);
      case 'response.function_call_arguments.delta':
        return typeof event['delta'] === 'string' && event['delta'] !== '' ? 'content' : 'other';
      case 'response.output_item.done':
        if (isObject(event['item'])) this.#items.push(event['item']);
        return 'other';
      case 'conversation.item.added':
      case 'conversation.item.created':
        this.hasItems = true;
        return 'other';
      case 'response.created':
      case 'response.done':
        return this.#takeResponse(type, event['response']);
      default:
        return 'other';
    }
  }

  reply(): Judged {
    const response = this.#response ?? {};
    const output = this.#output();
    if (output === undefined) return { broken: 'output is not a list of items' };
    const toolCalls = output.filter(({ type }) => type === 'function_call').map((item) => readCall(item, this.notes));
    if (!toolCalls.every((call) => call !== undefined))
      return { broken: 'a function_call without a name or arguments' };
    const { status, status_details: details } = response;
    return judgedReply(response, {
      text: this.replyText.text,
      toolCalls,
      usage: realtimeUsage,
      reason: reasonOf(status, details, toolCalls),
      notes: this.notes.all,
    });
  }

  spent(): SpentUsage | undefined {
    return spentIn(this.#latest, realtimeUsage, true);
  }

  #typeOf({ type }: Fields): string {
    if (typeof type !== 'string') {
      this.notes.add('other_event', 'an event without a type');
      return '';
    }
    const known = Object.hasOwn(otherNames, type) ? otherNames[type] : undefined;
    if (known !== undefined) this.notes.add('old_form', type);
    return known ?? type;
  }

  #begin(type: string): void {
    this.#hasBegun = true;
    if (type !== 'response.created') this.notes.add('no_start', `${type} first`);
  }

  /** Returns the items of the response, which some services send only before the end. */
  #output(): readonly Fields[] | undefined {
    const output = this.#response?.['output'] ?? [];
    if (!Array.isArray(output) || !output.every(isObject)) return undefined;
    return output.length === 0 ? this.#items : output;
  }

  #takeResponse(type: string, given: unknown): EventContent | Verdict {
    const response = isObject(given) ? given : {};
    this.hasItems = true;
    this.#latest = response;
    if (type === 'response.created') return 'other';
    const { status, status_details: details } = response;
    const { error, reason } = isObject(details) ? details : {};
    if (status === 'failed' || status === 'cancelled') this.hasFailed = true;
    if (status === 'failed') return refuseError(readError(isObject(error) ? error : {}), 'a failed response');
    if (status === 'cancelled') return refused('truncated', `the response was cancelled: ${String(reason)}`);
    const isUnknown = status !== 'incomplete' && finishOf(status) === 'other';
    if (isUnknown && this.replyText.text === '') {
      this.hasFailed = true;
      return broken('a response without a text, with an unknown status');
    }
    if (typeof status !== 'string') this.notes.add('no_finish', 'response.done without a status');
    this.#response = response;
    return this.#parts.completeAll(textOfItems(this.#output() ?? []));
  }
}

function readCall({ call_id: id, name, arguments: given = '' }: Fields, notes: Notes): ToolCall | undefined {
  if (typeof name !== 'string') return undefined;
  if (typeof given !== 'string') notes.add('arguments_value');
  return {
    id: typeof id === 'string' ? id : '',
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
  };
}

/** The names of the details differ from those of Responses. */
const realtimeUsage = (usage: Fields): Usage =>
  openaiUsage({
    ...usage,
    input_tokens_details: usage['input_token_details'],
    output_tokens_details: usage['output_token_details'],
  });
