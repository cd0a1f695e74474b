import { isObject } from '../../base/is-object.ts';
import { classOfStatus } from '../class-of-status.ts';
import { refused, verdictOf, type Judged } from '../classify-whole.ts';
import type { Piece, Received, ReplyStream, StreamEvent, Verdict } from '../protocol.ts';
import { errorIn, readError, refuseError } from './api-error.ts';
import { isDone, readEvent } from './read-event.ts';

/** What a protocol knows of its events, one reply at a time. */
export interface EventReader {
  /** What was said so far. */
  readonly text: string;
  /** Whether the protocol's end came. */
  readonly hasEnded: boolean;
  /** What ends a reply, in words. */
  readonly end: string;
  /** Takes the data of an event: what it carries, or why the reply is none. */
  take(data: Readonly<Record<string, unknown>>): Piece | Verdict;
  /** The reply, once its end came. */
  reply(hasDone: boolean): Judged;
}

/** A reply in events of JSON objects: what all of these APIs have in common. The first problem decides. */
export class EventStream implements ReplyStream {
  readonly #reader: EventReader;
  #problem: Verdict | undefined;
  #hasDone = false;

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  get text(): string {
    return this.#reader.text;
  }

  take(event: StreamEvent): Piece {
    if (this.#problem !== undefined || event.start === event.end) return 'other';
    if (isDone(event)) {
      this.#hasDone = true;
      return 'other';
    }
    const { hasEnded } = this.#reader;
    const taken = this.#read(event);
    if (typeof taken !== 'string') this.#problem = taken;
    else if (taken === 'other' || !hasEnded) return taken;
    else this.#problem = refused('contract_broken', `content came after ${this.#reader.end}`);
    return 'other';
  }

  conclude(received: Received): Verdict {
    const { failure, detail, status, isUtf8 } = received;
    if (failure !== undefined) return refused(failure, detail);
    if (status !== 200) return refused(classOfStatus(status), `status ${String(status)}`);
    if (!isUtf8) return refused('malformed', 'a stream that is not UTF-8');
    if (this.#problem !== undefined) return this.#problem;
    const { hasEnded, end } = this.#reader;
    return hasEnded
      ? verdictOf(this.#reader.reply(this.#hasDone))
      : refused('truncated', `the stream ended without ${end}`);
  }

  #read(event: StreamEvent): Piece | Verdict {
    const data = readEvent(event);
    if (data === undefined) return refused('malformed', 'an event that is not JSON');
    if (!isObject(data)) return refused('contract_broken', 'an event is JSON, but not an object');
    const error = errorIn(data) ?? (event.type === 'error' || data['type'] === 'error' ? readError(data) : undefined);
    return error === undefined ? this.#reader.take(data) : refuseError(error);
  }
}
