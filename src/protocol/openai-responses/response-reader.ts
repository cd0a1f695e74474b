import { isObject } from '../../base/is-object.ts';
import { refused, type Judged } from '../classify-whole.ts';
import { readError, refuseError } from '../model-api/api-error.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import type { RepeatedEvent } from '../model-api/repeated-event.ts';
import { SaidText } from '../model-api/said-text.ts';
import type { Piece, Verdict } from '../protocol.ts';
import { judgeResponse } from './judge-response.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the events of one response. Where they are numbered, each has the number after that of the one before. */
export class ResponseReader implements EventReader {
  readonly end = 'response.completed';
  readonly counter = 'sequence_number';
  readonly said = new SaidText();
  #number: number | undefined;
  #id: unknown;
  #response: Fields | undefined;

  get hasEnded(): boolean {
    return this.#response !== undefined;
  }

  take(event: Fields): Piece | Verdict {
    const { type, sequence_number: number } = event;
    const isInOrder = number === undefined || this.#follows(number);
    // An explicit error wins over its numbering, as it does in an `error` event.
    if (!isInOrder && type !== 'response.failed') return outOfOrder;
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof event['delta'] === 'string') this.said.add(event['delta']);
        return pieceOf(event['delta'], 'content');
      case 'response.function_call_arguments.delta':
        return pieceOf(event['delta'], 'content');
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return pieceOf(event['delta'], 'reasoning');
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

  say(event: RepeatedEvent): Piece | Verdict {
    if (!this.#follows(event.number)) return outOfOrder;
    event.addTo(this.said);
    return event.isEmpty ? 'other' : 'content';
  }

  /** What was said is what came in pieces, whatever the response at the end has. */
  reply(): Judged {
    const judged = judgeResponse(this.#response ?? {});
    return 'reply' in judged ? { reply: { ...judged.reply, text: this.said.text } } : judged;
  }

  #follows(number: unknown): boolean {
    if (typeof number !== 'number') return false;
    const isNext = this.#number === undefined ? number === 0 || number === 1 : number === this.#number + 1;
    this.#number = number;
    return isNext;
  }

  #takeResponse(type: string, response: unknown): Piece | Verdict {
    if (!isObject(response)) return broken('an event without its response');
    this.#id ??= response['id'];
    if (response['id'] !== this.#id) return broken('an event of another response');
    if (type === 'response.failed') return refuseError(readError(isObject(response['error']) ? response['error'] : {}));
    if (type === 'response.completed' || type === 'response.incomplete') this.#response = response;
    return 'other';
  }
}

const pieceOf = (delta: unknown, piece: Piece): Piece | Verdict => {
  if (typeof delta !== 'string') return broken('a delta that is no text');
  return delta === '' ? 'other' : piece;
};

const broken = (rule: string): Verdict => refused('contract_broken', rule);
const outOfOrder = broken('a gap or a step back in sequence_number');
