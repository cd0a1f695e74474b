import { broken, classOfStatus, isReplyStatus, jsonIn, refused, verdictOf } from '../classify-whole.ts';
import { errorMessage, quoteText } from '../error-message.ts';
import { errorBeside, errorInEvent, isErrorType, readError, refuseError } from '../model-api/api-error.ts';
import { judgeFinish } from '../model-api/read-reply.ts';
import { isKeepAlive } from '../keep-alive.ts';
import { Notes } from '../notes.ts';
import type { EventContent, Received, ReplyStream, StreamEvent, ToolCall, Usage, Verdict } from '../protocol.ts';
import { isTerminator } from '../terminator.ts';
import { latestUsage } from '../usage.ts';
import { AuthorError, type Finder } from './author-error.ts';
import { idOf } from './read-reply.ts';
import type { StreamRules } from './stream-rules.ts';

/** One streamed reply. The first problem decides. */
export class DefinedStream implements ReplyStream {
  text = '';
  hasEnded = false;
  /** From the latest event that contains one. */
  sessionId: string | undefined;
  /** The event that stated an error. */
  protected errorEvent: unknown;
  readonly #rules: StreamRules;
  readonly #notes = new Notes();
  #id: string | undefined;
  #usage: Usage | undefined;
  #model: string | undefined;
  #toolCalls: readonly ToolCall[] | undefined;
  /** The latest reason of the end. */
  #finish: unknown;
  #last: unknown;
  /** The first events, until one contains text. */
  #silent: unknown[] | undefined = [];
  #problem: Verdict | undefined;

  constructor(rules: StreamRules) {
    this.#rules = rules;
  }

  take(event: StreamEvent): EventContent {
    if (this.#problem !== undefined) return 'other';
    if (event.start === event.end) {
      if (event.type === this.#rules.endType) this.hasEnded = true;
      else if (isErrorType(event.type)) return this.fail(refuseError(readError({})));
      return 'other';
    }
    try {
      return this.#read(event);
    } catch (thrown) {
      if (!(thrown instanceof AuthorError)) throw thrown;
      return this.fail(broken(thrown.message));
    }
  }

  /** True if no further event is read. */
  get hasFailed(): boolean {
    return this.#problem !== undefined;
  }

  /** Returns the verdict on the stream; if it did not end, its usage may be the usage so far. */
  conclude(received: Received): Verdict {
    const verdict = this.judge(received);
    if (verdict.reply !== undefined || this.#usage === undefined) return verdict;
    return { ...verdict, spent: { usage: this.#usage, model: this.#model, isFinal: this.hasEnded } };
  }

  protected judge({ failure, detail, status, isUtf8 }: Received): Verdict {
    if (failure !== undefined) return refused(failure, detail);
    if (!isReplyStatus(status)) return refused(classOfStatus(status), `status ${String(status)}`);
    if (!isUtf8) return refused('malformed', 'a stream that is not UTF-8');
    if (this.#problem !== undefined) return this.#problem;
    this.hasEnded ||= this.#rules.endsByClose;
    if (!this.hasEnded) return refused('truncated', this.#silent?.length === 1 ? wholeReply : noEnd);
    const { text } = this;
    const [id, data, toolCalls, usage, model] = [this.#id, this.#last, this.#toolCalls, this.#usage, this.#model];
    if (this.#silent !== undefined && toolCalls === undefined)
      return broken(`no event has text${describeSilence(this.#rules.text, this.#silent)}`);
    const reply = { text, id, data, toolCalls, usage, model, notes: this.#notes.all };
    return this.#rules.finish === undefined
      ? { outcome: 'ok', detail: '', reply }
      : verdictOf(judgeFinish(this.#finish, reply));
  }

  /** Returns the JSON of an event; `undefined` if it is not JSON. */
  protected parse(event: StreamEvent): unknown {
    return jsonIn(event.text());
  }

  #read(event: StreamEvent): EventContent {
    const data = this.parse(event);
    const hadEnded = this.hasEnded;
    this.hasEnded ||= this.#rules.isEnd(event, data);
    if (data === undefined) return this.#takeOther(event);
    const error = this.#rules.error(data, event.type);
    if (error !== undefined) {
      this.errorEvent = data;
      return this.fail(refused(error, errorInside(data)));
    }
    const beside = this.#rules.statesErrors ? undefined : errorBeside(data, event.type);
    const piece = beside !== undefined || isErrorType(event.type) ? 'other' : this.#take(data, event.type);
    const stated = beside ?? (piece === 'other' ? errorInEvent(data, event.type) : undefined);
    if (stated !== undefined) {
      this.errorEvent = data;
      return this.fail(refuseError(stated));
    }
    if (piece !== 'other' && hadEnded) this.#notes.add('text_after_end');
    return piece;
  }

  /** Takes an event that is not JSON: the terminator, or anything after the end, unless it is cut off. */
  #takeOther(event: StreamEvent): EventContent {
    if (event.isHalf === true && !isTerminator(event.text())) return this.fail(halfEvent);
    if (this.hasEnded || isTerminator(event.text()) || isKeepAlive(event)) return 'other';
    return this.fail(unreadable(event));
  }

  /** Adds an event to the reply. */
  #take(data: unknown, type: string): EventContent {
    const { text, reasoning, id, session, usage, model, tools, finish } = this.#rules;
    this.#last = data;
    this.#id = idOf(id?.find(data, { type })) ?? this.#id;
    this.sessionId = idOf(session?.find(data, { type })) ?? this.sessionId;
    this.#usage = latestUsage(this.#usage, usage(data));
    this.#model ??= model(data, { type });
    if (finish !== undefined) this.#finish = finish.find(data, { type }) ?? this.#finish;
    const calls = tools(data);
    if (calls !== undefined) this.#toolCalls = [...(this.#toolCalls ?? []), ...calls];
    const added = this.#textIn(text, data, type);
    if (added !== undefined) this.#silent = undefined;
    else if (this.#silent !== undefined && this.#silent.length < maxSilent) this.#silent.push(data);
    this.text += added ?? '';
    if ((added ?? '') !== '' || calls !== undefined) return 'content';
    const thought = reasoning && this.#textIn(reasoning, data, type);
    return (thought ?? '') === '' ? 'other' : 'reasoning';
  }

  /** Returns the text of an event, if any. */
  #textIn(finder: Finder, data: unknown, type: string): string | undefined {
    const found = finder.find(data, { type }) ?? undefined;
    if (found === undefined || typeof found === 'string') return found;
    this.fail(broken(`no text in an event${finder.describe(data, found)}`));
    return undefined;
  }

  protected fail(problem: Verdict): EventContent {
    this.#problem = problem;
    return 'other';
  }
}

/** The response ended cleanly, and its last event did not. */
export const halfEvent = refused('truncated', 'the response ended within an event');

const noEnd =
  "the stream ended without stream.end: if only the end of the response ends a reply, set stream.end to 'close'";

const wholeReply =
  'the response is one JSON document without the text and the end of a stream: if the service does not stream this reply, set stream: false in target, and reply.text in the definition';

/** Returns the verdict on an event that is not JSON: an error as text, or not a part of the API. */
function unreadable(event: StreamEvent): Verdict {
  const text = event.text();
  const error = errorInEvent(text, event.type);
  return error === undefined ? refused('malformed', `an event that is not JSON${quoteText(text)}`) : refuseError(error);
}

/** Maximum number of events that are kept to describe the absence of text. */
const maxSilent = 20;

/** Describes the most frequent content of events without text. */
function describeSilence(text: Finder, events: readonly unknown[]): string {
  const words = events.map((data) => text.describe(data, undefined));
  const counts = words.map((word) => words.filter((other) => other === word).length);
  return words[counts.indexOf(Math.max(...counts))] ?? '';
}

/** Returns the detail of an event that states an error. */
export function errorInside(data: unknown): string {
  const message = errorMessage(data);
  return `an error inside a stream${message === '' ? '' : `: ${message}`}`;
}
