import { isObject } from '../../base/is-object.ts';
import { classOfStatus } from '../class-of-status.ts';
import { refused, verdictOf, type Judged } from '../classify-whole.ts';
import type { Piece, Received, ReplyStream, StreamEvent, Verdict } from '../protocol.ts';
import { errorIn, readError, refuseError } from './api-error.ts';
import { isDone, readEvent } from './read-event.ts';
import { patternOf, type RepeatedEvent } from './repeated-event.ts';
import type { SaidText } from './said-text.ts';

/** What a protocol knows of its events, one reply at a time. */
export interface EventReader {
  /** What was said so far. */
  readonly said: SaidText;
  /** Whether the protocol's end came. */
  readonly hasEnded: boolean;
  /** What ends a reply, in words. */
  readonly end: string;
  /** Takes the data of an event: what it carries, or why the reply is none. */
  take(data: Readonly<Record<string, unknown>>): Piece | Verdict;
  /** Takes an event that is like one before but for its text, and its number where there is such a field: what it carries, or why the reply is none. Left out where no event is like another. */
  say?(event: RepeatedEvent): Piece | Verdict;
  /** Whether the reply calls tools: then every event of it is parsed. */
  readonly hasCalls?: boolean;
  /** The field whose number may differ too: in which events are counted, or that of the block which a text belongs to. */
  readonly counter?: string;
  /** The reply, once its end came. */
  reply(hasDone: boolean): Judged;
}

/** A reply in events of JSON objects: what all of these APIs have in common. The first problem decides. */
export class EventStream implements ReplyStream {
  readonly #reader: EventReader;
  #problem: Verdict | undefined;
  #pattern: RepeatedEvent | undefined;
  /** Content events that were parsed since there was no pattern that they fitted. */
  #parsed = 0;
  #hasDone = false;

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  get text(): string {
    return this.#reader.said.text;
  }

  get hasEnded(): boolean {
    return this.#reader.hasEnded || this.#hasDone;
  }

  take(event: StreamEvent): Piece {
    if (this.#problem !== undefined || event.start === event.end) return 'other';
    if (isDone(event)) {
      this.#hasDone = true;
      return 'other';
    }
    const { hasEnded } = this.#reader;
    const pattern = hasEnded || this.#reader.hasCalls === true ? undefined : this.#pattern;
    const taken = pattern?.fits(event) === true ? this.#repeat(pattern) : this.#parse(event);
    if (typeof taken !== 'string') this.#problem = taken;
    else if (taken === 'other' || (!hasEnded && !this.#hasDone)) return taken;
    else this.#problem = refused('contract_broken', `content came after ${hasEnded ? this.#reader.end : '[DONE]'}`);
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

  #repeat(event: RepeatedEvent): Piece | Verdict {
    return this.#reader.say?.(event) ?? 'other';
  }

  /** Parses an event; one of the first with content gives the pattern for those that follow. */
  #parse(event: StreamEvent): Piece | Verdict {
    const before = this.text.length;
    const taken = this.#read(event);
    if (taken !== 'content' || this.#reader.say === undefined || !triedAt.includes(++this.#parsed)) return taken;
    const said = this.text.slice(before);
    if (said !== '') this.#pattern = patternOf(event, said, this.#reader.counter);
    return taken;
  }

  #read(event: StreamEvent): Piece | Verdict {
    const data = readEvent(event);
    if (data === undefined) return refused('malformed', 'an event that is not JSON');
    if (!isObject(data)) return refused('contract_broken', 'an event is JSON, but not an object');
    const error = errorIn(data) ?? (event.type === 'error' || data['type'] === 'error' ? readError(data) : undefined);
    return error === undefined ? this.#reader.take(data) : refuseError(error);
  }
}

/** A pattern is learned from the first event with content, and once more where those that follow do not fit it. */
const triedAt = [1, 4];
