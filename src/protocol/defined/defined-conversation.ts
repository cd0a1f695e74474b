import { chatRequest } from '../chat-request.ts';
import type {
  ChatRequest,
  Conversation,
  HeaderFields,
  Poll,
  Received,
  Route,
  SocketObserver,
  TurnContent,
  Verdict,
} from '../protocol.ts';
import { AuthorError, scenarioError } from './author-error.ts';
import { broken, jsonIn, refused } from '../classify-whole.ts';
import type { ComposeMessage } from './compose-message.ts';
import type { MessageParts } from './definition.ts';
import { keepCredentials, mergeCookies, withCookies, withoutField } from './header-fields.ts';
import { DefinedStream } from './defined-stream.ts';
import { DefinedTurns, type TurnSettings } from './defined-turns.ts';
import { isEmptyReply } from '../empty-reply.ts';
import { errorBeside, errorInstead, refuseError } from '../model-api/api-error.ts';
import { unobserved } from '../socket-api.ts';
import { SessionStream, type ListenRules } from './session-stream.ts';
import { judgeResponse, type ReadError } from './judge-response.ts';
import { PolledReply, isPassing, type LaterRules } from './polled-reply.ts';
import type { Poller, Routes } from './poller.ts';
import type { ReadReply } from './read-reply.ts';

/** The shared part of all conversations with a target. */
export interface Shared extends TurnSettings {
  compose: ComposeMessage;
  routes: Routes;
  /** `undefined`: the API only streams. */
  readReply: ((body: unknown) => ReadReply) | undefined;
  /** True if non-streamed replies are text. */
  repliesAreText: boolean;
  readError: ReadError;
  /** True if a function of the author decides which bodies are errors. */
  statesErrors: boolean;
  poller: Poller | undefined;
  /** `undefined`: the response to a message is the reply. */
  later: LaterRules | undefined;
  /** `undefined`: replies do not arrive on a stream of their session. */
  listen: ListenRules | undefined;
}

/** State of a session that its creation leaves. */
interface OwnState {
  values: Readonly<Record<string, string>>;
  keepSecret: (secret: string) => void;
  observer: SocketObserver;
}

/** A conversation by its definition. A class, because a hundred thousand instances may exist at the same time. */
export class DefinedConversation extends DefinedTurns implements Conversation {
  readonly poll?: (received: Received) => Poll | undefined;
  readonly listener?: SessionStream;
  readonly #shared: Shared;
  readonly #own: OwnState | undefined;
  #cookies: string;
  #route: Route | undefined;
  /** Path of polls of the current attempt. */
  #pollPath: string | undefined;
  /** Parts of the latest message, if its reply follows an acknowledgement. */
  #sent: MessageParts | undefined;
  /** The reply of the current attempt that follows an acknowledgement. */
  #polled: PolledReply | undefined;

  constructor(shared: Shared, sessionId: string, cookies: string, own?: OwnState) {
    super(shared, sessionId, own?.values);
    this.#shared = shared;
    this.#cookies = cookies;
    this.#own = own;
    const { poller, later, listen } = shared;
    if (listen !== undefined) this.listener = new SessionStream(listen, () => this.#around());
    if (poller !== undefined) this.poll = (received) => this.#pollAfter(received, poller);
    if (later !== undefined) this.poll = (received) => this.#laterPoll(received, later);
  }

  request(turnContent: TurnContent): ChatRequest {
    const { compose, routes, later } = this.#shared;
    const parts = this.beginTurn(turnContent);
    if (later !== undefined) this.#sent = parts;
    this.listener?.sends(parts);
    try {
      const { path, headers, body } = compose(parts);
      if (this.#own !== undefined) keepCredentials(headers, this.#own.keepSecret);
      this.#route = routes.to(path, withCookies(headers, this.#cookies), this.#route);
      return chatRequest(this.#route, body);
    } catch (thrown) {
      throw thrown instanceof AuthorError ? scenarioError(thrown, this.describeTurn(turnContent.session)) : thrown;
    }
  }

  end(): void {
    this.listener?.close();
  }

  read(received: Received): Verdict {
    if (this.listener !== undefined) return this.#readListened(received, this.listener);
    this.#pollPath = undefined;
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    const { stream } = received;
    if (!(stream instanceof DefinedStream)) return this.#readWhole(received);
    const verdict = stream.conclude(received);
    if (verdict.reply !== undefined) this.keepId(verdict.reply, stream.sessionId);
    return verdict.outcome === 'malformed' && stream.text === '' ? withContentType(verdict, received) : verdict;
  }

  #readWhole(received: Received): Verdict {
    const { readError, readReply, poller, later, stream, repliesAreText: isText } = this.#shared;
    if (later !== undefined) return this.#readLater(received, later);
    const judge = stream || readReply === undefined ? isWholeReply : (body: unknown) => this.#judge(readReply(body));
    const pending = (body: unknown): Verdict | undefined =>
      poller?.isPending(received.status, body) === true ? lacksUrl(poller, body, received) : undefined;
    const verdict = judgeResponse(received, { readError, needsJson: !isText, isText, pending, judge });
    return stream && verdict.outcome === 'malformed' ? withContentType(verdict, received) : verdict;
  }

  /** Returns the next poll; `undefined` also if its path is unknown, which the verdict reports. */
  #pollAfter(received: Received, poller: Poller): Poll | undefined {
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    try {
      const body = jsonIn(received.body);
      if (this.#pollPath !== undefined && isPassing(received.status)) return this.#pollAt(this.#pollPath, poller);
      if (this.#shared.readError(received.status, body) !== undefined) return undefined;
      if (!poller.isPending(received.status, body)) return undefined;
      const found = poller.pathIn(body, received.headers);
      if ('path' in found) this.#pollPath = found.path;
      return this.#pollPath === undefined ? undefined : this.#pollAt(this.#pollPath, poller);
    } catch (thrown) {
      if (thrown instanceof AuthorError) return undefined;
      throw thrown;
    }
  }

  #pollAt(path: string, { everyMs, routes }: Poller): Poll {
    const sent = withoutField(this.#usualHeaders, 'content-type');
    return { request: { route: routes.to(path, sent, undefined), body: '' }, afterMs: everyMs, isRepeatable: true };
  }

  /** Header fields of the message, with the cookies so far. */
  get #usualHeaders(): HeaderFields {
    return withCookies(this.#route?.headers ?? {}, this.#cookies);
  }

  #laterPoll(received: Received, later: LaterRules): Poll | undefined {
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    const poll = this.#replyBy(later)?.next(received, this.#usualHeaders);
    if (poll !== undefined && this.#own !== undefined)
      keepCredentials(poll.request.route.headers, this.#own.keepSecret);
    return poll;
  }

  #readLater(received: Received, later: LaterRules): Verdict {
    const ended = this.#replyBy(later)?.conclude(received);
    this.#polled = undefined;
    if (ended === undefined) return broken('no message was sent');
    const { verdict, sessionId } = ended;
    if (verdict.reply === undefined) return verdict;
    if (typeof sessionId === 'object' && this.latestId === '') return broken(`no session id${sessionId.missing}`);
    this.keepId(verdict.reply, typeof sessionId === 'object' ? undefined : sessionId);
    return verdict;
  }

  #readListened(received: Received, listener: SessionStream): Verdict {
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    const { verdict, sessionId } = listener.conclude(received);
    if (verdict.reply !== undefined) this.keepId(verdict.reply, sessionId);
    return verdict;
  }

  /** Returns the input of the request of the session's stream, which has no turn. */
  #around() {
    const parts = { agentId: this.#shared.agentId, sessionId: this.latestId, values: this.#own?.values ?? {} };
    const keepSecret = (secret: string): void => this.#own?.keepSecret(secret);
    const { observer = unobserved } = this.#own ?? {};
    return { parts, usual: withCookies({}, this.#cookies), keepSecret, observer };
  }

  #replyBy(later: LaterRules): PolledReply | undefined {
    if (this.#polled === undefined && this.#sent !== undefined) this.#polled = new PolledReply(later, this.#sent);
    return this.#polled;
  }

  #judge(read: ReadReply): Verdict {
    if ('broken' in read) return broken(read.broken);
    if ('refusal' in read) return read.refusal;
    const { reply, sessionId } = read;
    const beside = this.#shared.statesErrors ? undefined : errorBeside(reply.data);
    const error = beside ?? (isEmptyReply(reply) ? errorInstead(reply.data) : undefined);
    if (error !== undefined) return refuseError(error);
    // Some services name the session in their first reply only.
    if (typeof sessionId === 'object' && this.latestId === '') return broken(`no session id${sessionId.missing}`);
    this.keepId(reply, typeof sessionId === 'object' ? undefined : sessionId);
    return { outcome: 'ok', detail: '', reply: read.reply };
  }
}

function lacksUrl(poller: Poller, body: unknown, { headers }: Received): Verdict {
  const found = poller.pathIn(body, headers);
  return broken(`no status URL${'missing' in found ? found.missing : ''}`);
}

/** Names the content type of a reply without an event, if it is that of no stream. */
function withContentType(verdict: Verdict, { contentType }: Received): Verdict {
  if (contentType === undefined || /^(?:text\/event-stream|application\/[^;]*json)/i.test(contentType)) return verdict;
  return refused('malformed', `a reply of content type ${contentType}: check stream.format in the definition`);
}

const isWholeReply = (): Verdict => broken('a non-streamed JSON reply instead of the requested stream');
