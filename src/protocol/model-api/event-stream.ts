import { isObject } from '../../base/is-object.ts';
import { classOfStatus, broken, isReplyStatus, jsonIn, refused, verdictOf, type Judged } from '../classify-whole.ts';
import type { EventContent, Received, ReplyStream, SpentUsage, StreamEvent, Verdict } from '../protocol.ts';
import { quoteText } from '../error-message.ts';
import { Notes } from '../notes.ts';
import { isKeepAlive } from '../keep-alive.ts';
import { isTerminator } from '../terminator.ts';
import { type ApiError, errorIn, errorInEvent, isErrorType, loneMessage, readError, refuseError } from './api-error.ts';
import { patternOf, type RepeatedEvent, type ReplyText } from './repeated-event.ts';

/** Reads the events of one reply as its protocol defines them. */
export interface EventReader {
  /** The text so far. */
  readonly replyText: ReplyText;
  /** True after the protocol's end of the reply. */
  readonly hasEnded: boolean;
  /** True after the protocol's end of a reply that failed; omitted by protocols without one. */
  readonly hasFailed?: boolean;
  /** Name of the end of a reply. */
  readonly end: string;
  /** Takes the data of an event, and its type outside of the data; returns its content, or the verdict on a broken reply. */
  take(data: Readonly<Record<string, unknown>>, type: string): EventContent | Verdict;
  /** Takes an event that differs from an earlier one only by its text, and by its number if it has that field. Omitted if events never repeat. */
  repeat?(event: RepeatedEvent): EventContent | Verdict;
  /** Deviations of the events; omitted by protocols without any. */
  readonly notes?: Notes;
  /** True if the terminator ends a reply, too; omitted by protocols whose replies end by events alone. */
  readonly isEndedByDone?: boolean;
  /** True if the reply stated its reason to end: then a complete response suffices. Omitted by protocols whose reason is the end. */
  readonly hasReason?: boolean;
  /** True if the reply calls tools: then every event is parsed. */
  readonly hasCalls?: boolean;
  /** True if an event like the last one would have another meaning: the last one defines no pattern. Omitted if there are none. */
  readonly isSingular?: boolean;
  /** The field with a number that may also differ: a count of events, or the index of a text's block. */
  readonly counter?: string;
  /** Returns the reply, after its end. */
  reply(hasDone: boolean): Judged;
  /** Returns the token usage reported so far; `undefined`: none. */
  spent(): SpentUsage | undefined;
  /** Returns the wait that an error event asks for, in the form of `Retry-After`. Omitted if errors never contain one. */
  waitIn?(data: Readonly<Record<string, unknown>>): string | undefined;
}

/** A streamed reply in events of JSON objects, as in all model APIs. The first problem decides. */
export class EventStream<Reader extends EventReader = EventReader> implements ReplyStream {
  protected readonly reader: Reader;
  #problem: Verdict | undefined;
  #pattern: RepeatedEvent | undefined;
  /** Number of content events that were parsed because they did not fit a pattern. */
  #parsed = 0;
  #hasDone = false;
  /** The first event that is a message alone: an error, unless there is a reply besides it. */
  #message: ApiError | undefined;
  readonly #notes: Notes;

  constructor(reader: Reader) {
    this.reader = reader;
    this.#notes = reader.notes ?? new Notes();
  }

  get text(): string {
    return this.reader.replyText.text;
  }

  get hasEnded(): boolean {
    return this.reader.hasEnded || this.#hasDone;
  }

  /** True if the reply broke its contract, or ended with an error. */
  protected get isBroken(): boolean {
    return this.#problem !== undefined;
  }

  take(event: StreamEvent): EventContent {
    if (this.#problem !== undefined) return 'other';
    if (event.start === event.end) {
      if (isErrorType(event.type)) this.#problem = refuseError(readError({}));
      return 'other';
    }
    if (isDone(event)) {
      this.#hasDone = true;
      return 'other';
    }
    const { hasEnded } = this.reader;
    const pattern = hasEnded || this.reader.hasCalls === true ? undefined : this.#pattern;
    const taken = pattern?.fits(event) === true ? this.#repeat(pattern) : this.#readFirst(event);
    if (typeof taken !== 'string') this.#problem = taken;
    else if (taken === 'other' || (!hasEnded && !this.#hasDone)) return taken;
    else if (this.#hasDone) this.#problem = broken('content was sent after [DONE]');
    else {
      this.#notes.add('text_after_end');
      return taken;
    }
    return 'other';
  }

  conclude(received: Received): Verdict {
    const verdict = this.judge(received);
    const spent = verdict.reply === undefined ? this.reader.spent() : undefined;
    return spent === undefined ? verdict : { ...verdict, spent };
  }

  /** Returns the JSON of an event; `undefined` if it is not JSON. */
  protected parse(event: StreamEvent): unknown {
    return jsonIn(event.text());
  }

  /** Returns the verdict on an event that is an error; `undefined` if it is not. */
  protected refuse(data: Readonly<Record<string, unknown>>, type: string): Verdict | undefined {
    const error = errorIn(data) ?? (type === 'error' || data['type'] === 'error' ? readError(data) : undefined);
    if (error === undefined) return undefined;
    const retryAfter = this.reader.waitIn?.(data);
    return { ...refuseError(error), ...(retryAfter !== undefined && { retryAfter }) };
  }

  protected judge(received: Received): Verdict {
    const { failure, detail, status, isUtf8 } = received;
    if (failure !== undefined) return refused(failure, detail);
    if (!isReplyStatus(status)) return refused(classOfStatus(status), `status ${String(status)}`);
    if (status !== 200) this.#notes.add('other_status', String(status));
    if (!isUtf8) return refused('malformed', 'a stream that is not UTF-8');
    if (this.#problem !== undefined) return this.#problem;
    const { hasEnded, end, isEndedByDone, hasReason } = this.reader;
    const isOver = hasEnded || hasReason === true || (isEndedByDone === true && this.#hasDone);
    if (!isOver) return refused('truncated', `the stream ended without ${end}`);
    if (!hasEnded && hasReason !== undefined) this.#notes.add('no_end_event');
    if (!(hasReason ?? hasEnded)) this.#notes.add('no_finish');
    const judged = this.reader.reply(this.#hasDone);
    if (this.#message !== undefined && isEmptyReply(judged)) return refuseError(this.#message);
    const notes = this.#notes.all;
    return verdictOf('reply' in judged && notes !== undefined ? { reply: { ...judged.reply, notes } } : judged);
  }

  #repeat(event: RepeatedEvent): EventContent | Verdict {
    return this.reader.repeat?.(event) ?? 'other';
  }

  /** Parses an event; one of the first with content defines the pattern of later events. */
  #readFirst(event: StreamEvent): EventContent | Verdict {
    if (event.isUnseparated === true) this.#notes.add('event_lines');
    const before = this.text.length;
    const taken = this.#read(event);
    // An event that also ends the reply is more than its text.
    const { reader } = this;
    const isLearned = taken === 'content' && reader.repeat !== undefined && !reader.hasEnded;
    if (!isLearned || reader.isSingular === true) return taken;
    if (!triedAt.includes(++this.#parsed)) return taken;
    const added = this.text.slice(before);
    if (added !== '') this.#pattern = patternOf(event, added, this.reader.counter);
    return taken;
  }

  #read(event: StreamEvent): EventContent | Verdict {
    const data = this.parse(event);
    if (isErrorType(event.type) && typeof (data ?? '') === 'string')
      return refuseError(readError({ message: data ?? event.text() }));
    if (data === undefined && isKeepAlive(event)) {
      this.#notes.add('other_event', event.text());
      return 'other';
    }
    if (data === undefined) return refused('malformed', `an event that is not JSON${quoteText(event.text())}`);
    if (data === null || data === '') {
      this.#notes.add('other_event', JSON.stringify(data));
      return 'other';
    }
    if (!isObject(data)) return broken('an event is JSON, but not an object');
    const refusal = this.refuse(data, event.type);
    if (refusal !== undefined) return refusal;
    const taken = this.reader.take(data, event.type);
    if (taken === 'content' || taken === 'reasoning') return taken;
    const error = errorInEvent(data, event.type);
    if (error !== undefined) return refuseError(error);
    if (taken === 'other') this.#message ??= loneMessage(data);
    return taken;
  }
}

const isEmptyReply = (judged: Judged): boolean =>
  'reply' in judged && judged.reply.text === '' && judged.reply.toolCalls === undefined;

/** A pattern is learned from the first event with content, and again if later events do not fit it. */
const triedAt = [1, 4];

/** Recognizes the terminator without parsing it as JSON. */
function isDone({ bytes, start, end }: StreamEvent): boolean {
  const length = end - start;
  return length >= minDoneLength && length <= maxDoneLength && isTerminator(bytes.toString('latin1', start, end));
}

/** Lengths of the terminator, and of one with a few spaces. */
const [minDoneLength, maxDoneLength] = [6, 16];
