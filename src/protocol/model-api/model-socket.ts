import { chatRequest } from '../chat-request.ts';
import type {
  ChatApi,
  ChatRequest,
  Conversation,
  Dialogue,
  Operation,
  ProtocolTarget,
  Route,
  SocketExchange,
  SocketLine,
  SocketObserver,
  StreamEvent,
  UnawaitedFrame,
} from '../protocol.ts';
import { pathBelow, withModel } from './message-route.ts';
import { readOpening } from './opening.ts';

/** A model API over WebSocket; one value serves all sockets to a target. */
export interface SocketDialect {
  readonly routes: Readonly<Record<Operation, Route>>;
  /** Begins the dialogue on a new socket, which is usable after it. */
  greet(): Dialogue;
  meaningOf(frame: StreamEvent): UnawaitedFrame;
  converse(sessionId: string, socket: ModelSocket): Conversation;
}

/** Returns the routes of upgrades: the creations of sessions, and the turns that open a socket again. */
export function upgradeRoutes(target: ProtocolTarget, path: string): SocketDialect['routes'] {
  const below = withModel(target.messagesPath ?? pathBelow(target.baseUrl, path), target);
  const route = (operation: Operation): Route => ({ operation, method: 'GET', path: below, headers: {} });
  return { create: route('create'), message: route('message') };
}

/** A session with its own socket: its creation opens the socket, and its turns are sent over it. */
export class ModelSocket implements ChatApi, SocketLine {
  link: SocketLine['link'];
  readonly observer: SocketObserver;
  readonly pingIntervalMs: SocketLine['pingIntervalMs'];
  readonly #dialect: SocketDialect;

  constructor(dialect: SocketDialect, observer: SocketObserver) {
    this.#dialect = dialect;
    this.observer = observer;
  }

  get creation(): NonNullable<ChatApi['creation']> {
    const request = { ...chatRequest(this.#dialect.routes.create, ''), socket: this.#exchange() };
    return { request, read: readOpening };
  }

  converse(sessionId: string): Conversation {
    return this.#dialect.converse(sessionId, this);
  }

  meaningOf(frame: StreamEvent): UnawaitedFrame {
    return this.#dialect.meaningOf(frame);
  }

  /** Returns the request of a turn. `frame`: the frame that its first attempt is expected to send. */
  turn(frame: string, begin: SocketExchange['begin'] & object): ChatRequest {
    return { ...chatRequest(this.#dialect.routes.message, frame), socket: { ...this.#exchange(), begin } };
  }

  #exchange(): Pick<SocketExchange, 'line' | 'subprotocols' | 'greet'> {
    return { line: this, subprotocols: none, greet: () => this.#dialect.greet() };
  }
}

const none: readonly string[] = [];
