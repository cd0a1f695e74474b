import { chatRequest } from '../chat-request.ts';
import type {
  ChatApi,
  ChatRequest,
  Conversation,
  Dialogue,
  Received,
  Route,
  SocketExchange,
  SocketLine,
  SocketObserver,
  StreamEvent,
  TurnContent,
  UnawaitedFrame,
  Verdict,
} from '../protocol.ts';
import { ms } from '../../base/time.ts';
import { broken } from '../classify-whole.ts';
import { AuthorError, callAuthor, scenarioError } from './author-error.ts';
import { bodyText, checkPath, fillPath, headersOf } from './compose-message.ts';
import { DefinedTurns, type TurnSettings } from './defined-turns.ts';
import type { ConnectParts, MessageParts, SendParts, SocketDefinition } from './definition.ts';
import type { Routes } from './poller.ts';
import { Greeting, judgeOpening, SocketReply, type FrameRules } from './socket-reply.ts';

/** The shared part of all sockets to a target. */
export interface SocketShared extends TurnSettings {
  definition: SocketDefinition;
  auth: string;
  rules: FrameRules;
  routes: { create: Routes; message: Routes };
}

/** The session of one socket: its creation opens the socket, and its turns are sent over it. */
export class SocketSession implements ChatApi, SocketLine {
  link: SocketLine['link'];
  readonly observer: SocketObserver;
  readonly pingIntervalMs: SocketLine['pingIntervalMs'];
  readonly creation: NonNullable<ChatApi['creation']>;
  readonly #shared: SocketShared;
  readonly #number: number;

  /** Throws `AuthorError` if the upgrade cannot be requested. */
  constructor(shared: SocketShared, number: number, observer: SocketObserver) {
    const { pingInterval } = shared.definition.connect;
    this.#shared = shared;
    this.#number = number;
    this.observer = observer;
    this.pingIntervalMs = pingInterval === undefined ? undefined : ms(pingInterval);
    const opening = this.open('create', '');
    // Reports a function that fails before anything is sent.
    const { connect, cancel } = shared.definition;
    const parts: ConnectParts = { agentId: shared.agentId, session: number, sessionId: '' };
    if (connect.frames !== undefined)
      checkKey('connect.frames', makeFrames('connect.frames', connect.frames, parts), shared.auth);
    if (cancel !== undefined) makeFrames('cancel', cancel, { id: attemptId(1, 1), sessionId: '' });
    this.creation = {
      request: { ...chatRequest(opening.route, ''), socket: { ...opening, line: this } },
      read: (received) => readOpening(received, shared.rules),
    };
  }

  converse(sessionId: string): Conversation {
    return new SocketConversation(this.#shared, this, sessionId);
  }

  meaningOf(frame: StreamEvent): UnawaitedFrame {
    const reply = new SocketReply(this.#shared.rules, '');
    return reply.take(frame) !== 'other' || reply.isOver ? 'reply' : 'other';
  }

  /** Returns the upgrade and the greeting of the next socket of the session. */
  open(operation: Route['operation'], sessionId: string, own?: Route) {
    const { definition, rules, routes, agentId, auth } = this.#shared;
    const { path, headers = {}, subprotocols = [], frames } = definition.connect;
    const parts: ConnectParts = { agentId, session: this.#number, sessionId };
    const to =
      typeof path === 'string'
        ? fillPath(path, parts)
        : checkPath(
            'connect.path',
            callAuthor('connect.path', () => path(parts)),
          );
    const names =
      typeof subprotocols === 'function' ? callAuthor('connect.subprotocols', () => subprotocols(parts)) : subprotocols;
    if (new Set(names).size < names.length)
      throw new AuthorError('connect.subprotocols', `has a name twice: ${names.join(', ')}`);
    checkKey('connect.path', [to], auth);
    checkKey('connect.subprotocols', names, auth);
    return {
      route: routes[operation].to(to, headersOf('connect.headers', headers, parts), own),
      subprotocols: names,
      greet: (): Greeted =>
        dialogue(new Greeting(rules), () => (frames === undefined ? [] : makeFrames('connect.frames', frames, parts))),
    };
  }
}

class SocketConversation extends DefinedTurns implements Conversation {
  readonly #shared: SocketShared;
  readonly #session: SocketSession;
  #route: Route | undefined;

  constructor(shared: SocketShared, session: SocketSession, sessionId: string) {
    super(shared, sessionId);
    this.#shared = shared;
    this.#session = session;
  }

  request(turnContent: TurnContent): ChatRequest {
    const parts = this.beginTurn(turnContent);
    try {
      const opening = this.#session.open('message', this.latestId, this.#route);
      this.#route = opening.route;
      const first = this.#framesOf(parts, { id: attemptId(parts.turn, 1), reopened: false, traceparent: '' });
      if (first.length === 0) throw new AuthorError('send', 'returned no frame');
      return {
        ...chatRequest(opening.route, first.join('\n')),
        socket: { ...opening, line: this.#session, ...this.#attempts(parts, opening.greet) },
      };
    } catch (thrown) {
      throw thrown instanceof AuthorError ? scenarioError(thrown, this.describeTurn(turnContent.session)) : thrown;
    }
  }

  read(received: Received): Verdict {
    const { stream } = received;
    if (!(stream instanceof SocketReply)) return readOpening(received, this.#shared.rules);
    const verdict = stream.conclude(received);
    if (verdict.reply !== undefined) this.keepId(verdict.reply, stream.sessionId);
    return verdict;
  }

  end(): void {
    this.#session.link?.close();
  }

  /** Returns the dialogues of a turn: each attempt has its own id, and greets only on a new socket. */
  #attempts(parts: MessageParts, open: () => Greeted): Required<Pick<SocketExchange, 'greet' | 'begin'>> {
    const { rules } = this.#shared;
    let attempts = 0;
    let greeting: Greeting | undefined;
    return {
      greet: () => {
        const greeted = open();
        greeting = greeted.reader;
        return greeted;
      },
      begin: ({ isReopened: reopened, traceparent }) => {
        const id = attemptId(parts.turn, ++attempts);
        if (greeting !== undefined && greeting.sessionId !== '') this.latestId = greeting.sessionId;
        const sent = { ...parts, sessionId: this.latestId };
        const made = dialogue(new SocketReply(rules, id), () => this.#framesOf(sent, { id, reopened, traceparent }));
        return { ...made, ...this.#cancelling(id) };
      },
    };
  }

  #framesOf(parts: MessageParts, attempt: Pick<SendParts, 'id' | 'reopened' | 'traceparent'>): string[] {
    const { send } = this.#shared.definition;
    return makeFrames('send', send, { ...parts, ...attempt });
  }

  #cancelling(id: string): Pick<Dialogue, 'cancel'> {
    const { cancel } = this.#shared.definition;
    if (cancel === undefined) return {};
    return { cancel: () => orNone(() => makeFrames('cancel', cancel, { id, sessionId: this.latestId })) };
  }
}

type Greeted = Dialogue & { readonly reader: Greeting };

/** Calls an author's function that returns a frame, or a list of frames. */
function makeFrames<Parts>(name: string, make: (parts: Parts) => unknown, parts: Parts): string[] {
  const made = callAuthor(name, () => make(parts));
  return (Array.isArray(made) ? made : [made]).map((frame) => bodyText(name, frame));
}

/** Throws `AuthorError` for `{{apiKey}}` if there is no API key to replace it. */
function checkKey(name: string, texts: readonly string[], auth: string): void {
  if (auth !== 'key' && texts.some((text) => text.includes('{{apiKey}}')))
    throw new AuthorError(name, `has {{apiKey}}, but target.auth (${auth}) replaces the API key`);
}

/** Returns the id of an attempt, unique in its session. */
const attemptId = (turn: number, attempt: number): string =>
  attempt === 1 ? `t-${String(turn)}` : `t-${String(turn)}-${String(attempt)}`;

/** Returns a dialogue. If the author's function fails, nothing is sent, and the reader reports it. */
function dialogue<Reader extends Greeting | SocketReply>(
  reader: Reader,
  make: () => readonly string[],
): Dialogue & { readonly reader: Reader } {
  try {
    return { reader, frames: make() };
  } catch (thrown) {
    if (!(thrown instanceof AuthorError)) throw thrown;
    reader.refuse(broken(thrown.message));
    return { reader, frames: [] };
  }
}

/** Returns no frames if the author's function fails: the user has left anyway. */
function orNone(make: () => readonly string[]): readonly string[] {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof AuthorError) return [];
    throw thrown;
  }
}

function readOpening(received: Received, rules: FrameRules): Verdict {
  const { stream } = received;
  if (stream instanceof Greeting) return stream.conclude(received);
  return judgeOpening(received, rules) ?? broken('the socket was opened without an answer');
}
