import { ms, type Ms } from '../../base/time.ts';
import { broken, classOfStatus, jsonIn, notJson, refused } from '../classify-whole.ts';
import { describeStatus, errorMessage } from '../error-message.ts';
import { errorBeside, errorIn, refuseError } from '../model-api/api-error.ts';
import type { HeaderFields, Poll, Received, Route, Verdict } from '../protocol.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import type { LaterParts, LaterPolls, MessageParts, ReplyDefinition } from './definition.ts';
import { errorClass, type ReadError } from './judge-response.ts';
import { isHtmlPage } from './plain-text.ts';
import { defaultEveryMs } from './poller.ts';
import type { Reach } from './destination.ts';
import { pollComposer, type ComposePoll } from './poll-request.ts';
import { laterReader } from './read-later.ts';
import type { ReadReply, SessionId } from './read-reply.ts';

/** Rules of replies that follow an acknowledgement, for all conversations with a target. */
export interface LaterRules {
  readonly polls: LaterPolls;
  readonly everyMs: Ms;
  readonly compose: ComposePoll;
  readonly readError: ReadError;
  /** True if a function of the author decides which bodies are errors. */
  readonly statesErrors: boolean;
  readonly readValues: (replies: readonly unknown[], text: unknown) => ReadReply;
}

interface Around {
  readonly reach: Reach;
  readonly readError: ReadError;
  readonly statesErrors: boolean;
  readonly wantedHeaders: Route['wantedHeaders'];
}

/** Returns the rules of a definition. */
export function laterRules(
  definition: ReplyDefinition,
  polls: LaterPolls,
  { reach, readError, statesErrors, wantedHeaders }: Around,
): LaterRules {
  return {
    polls,
    everyMs: ms(polls.every ?? defaultEveryMs),
    compose: pollComposer(polls, reach, wantedHeaders),
    readError,
    statesErrors: statesErrors || polls.fail !== undefined,
    readValues: laterReader(definition),
  };
}

/** The reply to one attempt: its acknowledgement, and what was polled. */
export class PolledReply {
  readonly #rules: LaterRules;
  readonly #replies: unknown[] = [];
  readonly #parts: LaterParts & { responses: LaterParts['responses'][number][] };
  #latest: Poll | undefined;
  #end: Ended | undefined;

  constructor(rules: LaterRules, parts: MessageParts) {
    this.#rules = rules;
    this.#parts = { ...parts, responses: [] };
  }

  /** Returns the next poll, or `undefined` after the last reply, and after a failure. `usual`: header fields of the message. */
  next(received: Received, usual: HeaderFields): Poll | undefined {
    if (this.#latest !== undefined && isPassing(received.status)) return this.#latest;
    try {
      this.#end = this.#take(received);
      if (this.#end !== undefined) return undefined;
      const request = this.#rules.compose(this.#replies, this.#parts, usual);
      this.#latest = { request, afterMs: this.#rules.everyMs, isRepeatable: true };
      return this.#latest;
    } catch (thrown) {
      if (!(thrown instanceof AuthorError)) throw thrown;
      this.#end = { verdict: broken(thrown.message), sessionId: undefined };
      return undefined;
    }
  }

  /** Returns the verdict on the latest response. */
  conclude(received: Received): Ended {
    const { failure, detail } = received;
    if (failure !== undefined) return { verdict: refused(failure, detail), sessionId: undefined };
    if (this.#end === undefined) this.next(received, {});
    return this.#end ?? { verdict: broken('the reply has to be polled: it is not complete'), sessionId: undefined };
  }

  /** Takes a response; `undefined`: the reply is not complete. */
  #take(received: Received): Ended | undefined {
    const { readError, statesErrors, polls, readValues } = this.#rules;
    const { status } = received;
    const body = jsonIn(received.body);
    const refusal = this.#refuse(received, body, readError(status, body));
    if (refusal !== undefined) return { verdict: refusal, sessionId: undefined };
    this.#replies.push(body);
    this.#parts.responses.push({ status, headers: received.headers ?? {} });
    const [replies, parts] = [this.#replies, this.#parts];
    const failed: unknown =
      polls.fail === undefined ? undefined : callAuthor(failName, () => polls.fail?.(replies, parts));
    if (failed !== undefined && failed !== null)
      return { verdict: refused(errorClass(failName, failed), failureText(body)), sessionId: undefined };
    if (callAuthor(doneName, () => polls.done(replies, parts)) !== true) return undefined;
    const beside = statesErrors ? undefined : errorBeside(body);
    if (beside !== undefined) return { verdict: refuseError(beside), sessionId: undefined };
    const text = callAuthor(textName, () => polls.text(replies, parts));
    const read = readValues(replies, text);
    if ('broken' in read) return { verdict: broken(read.broken), sessionId: undefined };
    if ('refusal' in read) return { verdict: read.refusal, sessionId: undefined };
    return { verdict: { outcome: 'ok', detail: '', reply: read.reply }, sessionId: read.sessionId };
  }

  /** Returns the verdict on a refused or broken response. An acknowledgement may be any text. */
  #refuse({ status, body: text, isUtf8, ...received }: Received, body: unknown, error: ReturnType<ReadError>) {
    if (error !== undefined) return refused(error, describeStatus(status, body, text));
    if (status < 200 || status > 299) return refused(classOfStatus(status), describeStatus(status, body, text));
    const stated = errorIn(body);
    if (stated !== undefined) return refuseError(stated);
    if (!isUtf8) return refused('malformed', `status ${String(status)} whose body is not UTF-8`);
    const isJson = body !== undefined || text === '' || (this.#latest === undefined && !isHtmlPage(text));
    return isJson ? undefined : notJson({ ...received, status, body: text, isUtf8 });
  }
}

/** Verdict on a reply, and the session id that it contains. */
interface Ended {
  verdict: Verdict;
  sessionId: SessionId;
}

const failName = 'reply.then.poll.fail';
const doneName = 'reply.then.poll.done';
const textName = 'reply.then.poll.text';

/** Reports whether a poll with this status can succeed later: a time-out, a limit, or an error of the server. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Describes a reply that `fail` recognized. */
function failureText(body: unknown): string {
  const message = errorMessage(body);
  return message === '' ? 'the service gave up the reply (reply.then.poll.fail)' : message;
}
