import type { AttemptClass, ExchangeFailure } from './outcome.ts';

/**
 * How a chat API is spoken, as a value: how a session is created, or that none is, how a turn becomes a request, how a
 * reply is read and judged. Sessions, records and sockets use only this port.
 *
 *     protocol -- open(target) --> api -- converse(session id) --> conversation -- request(said) --> request
 *                                                                               <-- read(received) -- reply
 */
export interface ChatProtocol {
  readonly name: string;
  /** What authorizes every request. */
  authorize(apiKey: string): HeaderFields;
  /** Once for a run: a sender prepares every route once. */
  open(target: ProtocolTarget): ChatApi;
}

/** What a scenario says of its target. */
export interface ProtocolTarget {
  readonly agentId: string;
  readonly createSession: {
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    /** Dotted path of the session's id in the reply. */
    readonly sessionIdFrom: string;
  };
}

/** The API of one target. */
export interface ChatApi {
  /** `undefined`: there is nothing to create, a session begins with its first message. */
  readonly creation: SessionCreation | undefined;
  /** Begins a conversation in a session that was created; the id is '' where there is nothing to create. */
  converse(sessionId: string): Conversation;
}

/** How a session is created: the same for all of them. The id of the reply is that of the session. */
interface SessionCreation {
  readonly request: ChatRequest;
  read(received: Received): Verdict;
}

/** One conversation as its client knows it: what a protocol has to keep of it is kept here. */
export interface Conversation {
  readonly sessionId: string;
  /** The request of a turn, once for all of its attempts. */
  request(said: Said): ChatRequest;
  /** Never throws: every response has a class. */
  read(received: Received): Verdict;
  /** The turn whose request was the latest ended well with this reply. Left out where the service alone keeps the conversation. */
  replied?(reply: Reply): void;
}

/** What is said in a turn; `variableValues` is JSON text, or '' for none. */
export interface Said {
  readonly message: string;
  readonly variableValues: string;
}

/** What an exchange is for: a session is created, or a message of it is sent. */
export const operations = ['create', 'message'] as const;
export type Operation = (typeof operations)[number];

/** Names and values of header fields, in the order in which they are sent. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Where requests go. One value for all requests that differ in nothing but the body. */
export interface Route {
  readonly operation: Operation;
  readonly method: string;
  /** Below the base URL; may have a query. */
  readonly path: string;
  /** Those that say what the body and the reply are. */
  readonly headers: HeaderFields;
}

/** One request. */
export interface ChatRequest {
  readonly route: Route;
  readonly body: string;
}

/** The part of an exchange that decides its class. */
export interface Received {
  /** `undefined` when a whole response was read. */
  failure: ExchangeFailure | undefined;
  /** Why it failed, in words for a person; '' when it did not. */
  detail: string;
  /** Status of the final response; 0 when no whole head was read. */
  status: number;
  /** The response body as text, with U+FFFD for what is not UTF-8; '' on failure. */
  body: string;
  /** Whether the body was UTF-8 from end to end; true on failure. */
  isUtf8: boolean;
}

/** The verdict on an exchange. */
export interface Verdict {
  outcome: AttemptClass;
  /** Why, in words; '' for `ok`. Holds no reply text. */
  detail: string;
  /** `undefined` unless the outcome is `ok`. */
  reply: Reply | undefined;
}

/** A reply that keeps the contract of its protocol. */
export interface Reply {
  /** What the agent said; '' for a creation. */
  text: string;
  /** Of the session that was created, or of this exchange alone; `undefined` where a protocol has none. */
  id: string | undefined;
  /** Where prices and lists of turns are looked up. */
  data: unknown;
}
