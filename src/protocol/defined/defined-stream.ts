import type {
  EventContent,
  Received,
  ReplyStream,
  StreamEvent,
  StreamFormat,
  ToolCall,
  Usage,
  Verdict,
} from '../protocol.ts';
import { AuthorError, finderOf, type Finder } from './author-error.ts';
import { isHtmlPage, htmlPage, itself } from './plain-text.ts';
import { classOfStatus, broken, isReplyStatus, jsonIn, refused } from '../classify-whole.ts';
import { errorMessage, quoteText } from '../error-message.ts';
import { errorInEvent, errorInText, refuseError } from '../model-api/api-error.ts';
import { Notes } from '../notes.ts';
import type { ErrorClass } from '../outcome.ts';
import type { EventPath, ApiDefinition, ReplyDefinition, StreamDefinition } from './definition.ts';
import { errorClass, errorReader } from './judge-response.ts';
import { idOf, modelReader, toolReader, usageReader } from './read-reply.ts';
import { latestUsage } from '../usage.ts';

/** Returns the format of streamed replies by their definition. */
export function streamFormat(definition: ApiDefinition, stream: StreamDefinition): StreamFormat {
  const { format, end } = stream;
  const passesEmpty = typeof end === 'object' ? true : undefined;
  if (!isTextual(stream)) {
    const rules = streamRules(definition, stream);
    return { framing: format, isStated: true, isJson: true, passesEmpty, begin: () => new DefinedStream(rules) };
  }
  const { isEnd, ...rules } = streamRules({ errors: definition.errors }, stream);
  const framing = format === 'json-lines' ? 'lines' : format;
  const reading = { isEnd, mayBePage: format !== 'sse' };
  return { framing, isStated: true, passesEmpty, begin: () => new TextStream({ ...rules, isEnd: never }, reading) };
}

/** Reports whether the data of a stream is text. */
export function isTextual({ format, data }: Pick<StreamDefinition, 'format' | 'data'>): boolean {
  return format === 'text' || data === 'text';
}

const never = (): boolean => false;

/** Values of events, for all streams of a target. */
export interface StreamRules {
  text: Finder;
  reasoning: Finder | undefined;
  id: Finder | undefined;
  session: Finder | undefined;
  usage: (event: unknown) => Usage | undefined;
  model: ReturnType<typeof modelReader>;
  tools: (event: unknown) => readonly ToolCall[] | undefined;
  isEnd: (event: StreamEvent, data: unknown) => boolean;
  /** Type of an event that ends the reply, even without data. */
  endType: string | undefined;
  /** True if the complete response ends the reply. */
  endsByClose: boolean;
  error: (data: unknown, type: string) => ErrorClass | undefined;
}

/** Returns the rules of events; `at`: path of their definition. */
export function streamRules(
  definition: Pick<ApiDefinition, 'reply' | 'errors'>,
  stream: Omit<StreamDefinition, 'format'> & Partial<Pick<StreamDefinition, 'format'>>,
  at = 'stream',
): StreamRules {
  const { format = 'json-lines', end = 'close' } = stream;
  const reply: Partial<ReplyDefinition> = definition.reply ?? {};
  const own = (field: 'text' | 'id' | 'sessionId' | 'usage' | 'model' | 'toolCalls'): string =>
    stream[field] === undefined ? `reply.${field}` : `${at}.${field}`;
  const maybe = (name: string, path: EventPath | undefined): Finder | undefined =>
    path === undefined ? undefined : finderOf(name, path);
  return {
    text:
      isTextual({ format, data: stream.data }) && stream.text === undefined
        ? itself
        : finderOf(own('text'), stream.text ?? reply.text ?? ''),
    reasoning: maybe(`${at}.reasoning`, stream.reasoning),
    id: maybe(own('id'), stream.id ?? reply.id),
    session: maybe(own('sessionId'), stream.sessionId ?? reply.sessionId),
    usage: usageReader(own('usage'), stream.usage ?? reply.usage),
    model: modelReader(own('model'), stream.model ?? reply.model),
    tools: toolReader(own('toolCalls'), stream.toolCalls ?? reply.toolCalls),
    isEnd: endOf(end, `${at}.end`),
    endType: typeof end === 'object' ? end.event : undefined,
    endsByClose: end === 'close',
    error: errorOf(definition, stream.error, `${at}.error`),
  };
}

const done = '[DONE]';

/** Recognizes the terminator, also with spaces or quotation marks around it. */
const isDone = (text: string): boolean => text.length <= maxDoneLength && /^\s*"?\s*\[DONE\]\s*"?\s*$/.test(text);

/** Length of the terminator with a few spaces. */
const maxDoneLength = 16;

function endOf(end: NonNullable<StreamDefinition['end']>, name: string): StreamRules['isEnd'] {
  if (end === 'close') return never;
  if (end === done) return (event) => isDone(event.text());
  if (typeof end === 'object') return (event) => event.type === end.event;
  const finder = finderOf(name, end);
  return ({ type }, data) => data !== undefined && finder.find(data, { type }) === true;
}

function errorOf(
  definition: Pick<ApiDefinition, 'errors'>,
  error: EventPath | undefined,
  name: string,
): StreamRules['error'] {
  if (error === undefined) return () => undefined;
  const finder = finderOf(name, error);
  const classOf = errorReader(definition);
  return (data, type) => {
    const found = finder.find(data, { type });
    if (found === undefined || found === null || found === false) return undefined;
    if (typeof error === 'function' && found !== true) return errorClass(name, found);
    return classOf(200, data) ?? 'server_error';
  };
}

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
    if (!this.hasEnded) return refused('truncated', noEnd);
    const { text } = this;
    const [id, data, toolCalls, usage, model] = [this.#id, this.#last, this.#toolCalls, this.#usage, this.#model];
    if (this.#silent !== undefined && toolCalls === undefined)
      return broken(`no event has text${describeSilence(this.#rules.text, this.#silent)}`);
    return { outcome: 'ok', detail: '', reply: { text, id, data, toolCalls, usage, model, notes: this.#notes.all } };
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
    const piece = event.type === 'error' ? 'other' : this.#take(data, event.type);
    const stated = piece === 'other' && !this.hasEnded ? errorInEvent(data, event.type) : undefined;
    if (stated !== undefined) {
      this.errorEvent = data;
      return this.fail(refuseError(stated));
    }
    if (piece !== 'other' && hadEnded) this.#notes.add('text_after_end');
    return piece;
  }

  /** Takes an event that is not JSON: the terminator, or anything after the end, unless it is cut off. */
  #takeOther(event: StreamEvent): EventContent {
    if (event.isHalf === true && !isDone(event.text())) return this.fail(halfEvent);
    return this.hasEnded || isDone(event.text()) ? 'other' : this.fail(unreadable(event));
  }

  /** Adds an event to the reply. */
  #take(data: unknown, type: string): EventContent {
    const { text, reasoning, id, session, usage, model, tools } = this.#rules;
    this.#last = data;
    this.#id = idOf(id?.find(data, { type })) ?? this.#id;
    this.sessionId = idOf(session?.find(data, { type })) ?? this.sessionId;
    this.#usage = latestUsage(this.#usage, usage(data));
    this.#model ??= model(data, { type });
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

/** One streamed reply whose events are its text. The event that ends it is no part of it. */
class TextStream extends DefinedStream {
  readonly #reading: Pick<StreamRules, 'isEnd'> & { mayBePage: boolean };

  constructor(rules: StreamRules, reading: Pick<StreamRules, 'isEnd'> & { mayBePage: boolean }) {
    super(rules);
    this.#reading = reading;
  }

  protected override parse(event: StreamEvent): unknown {
    const text = event.text();
    if (this.#reading.isEnd(event, text) || isDone(text)) {
      this.hasEnded = true;
      return undefined;
    }
    const error = errorInText(text);
    if (error !== undefined) this.fail(refuseError(error));
    else if (event.isHalf === true) this.fail(halfEvent);
    return text;
  }

  protected override judge(received: Received): Verdict {
    const isPage = received.failure === undefined && isReplyStatus(received.status) && this.#reading.mayBePage;
    if (isPage && isHtmlPage(this.text)) return htmlPage;
    const verdict = super.judge(received);
    const error = verdict.reply && errorInText(this.text);
    return error === undefined ? verdict : refuseError(error);
  }
}

/** The response ended cleanly, and its last event did not. */
const halfEvent = refused('truncated', 'the response ended within an event');

const noEnd =
  "the stream ended without stream.end: if only the end of the response ends a reply, set stream.end to 'close'";

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
