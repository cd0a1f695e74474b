import type { Ms } from '../base/time.ts';
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
  /** Its own paths; left out by a protocol of a scenario, whose paths may depend on the session. */
  readonly paths?: ProtocolPaths;
  /** Who keeps what was said: the service, or the client, which sends it again with every turn. */
  readonly history: 'service' | 'client';
  /** It has no replies in pieces: `target.stream` is refused. */
  readonly wholeOnly?: true;
  /** All of its replies are streamed: `target.stream: false` is refused. */
  readonly streamsOnly?: true;
  /** Its messages have one path and its own fields alone: `target.messagesPath`, `messageBody` and `instructions` are refused. */
  readonly fixedMessages?: true;
  /** Some of its replies have to be asked for again until the answer is there. */
  readonly polls?: true;
  /** It has agents and no models: `--model` is refused. */
  readonly agentsOnly?: true;
  /** Name of the message field that limits the tokens of a reply; left out by a protocol without one. */
  readonly outputLimit?: string;
  /** The shortest replies that conform, by operation, if they are the same for all requests: `probe` answers with them. */
  readonly shortestReplies?: (text: string) => Readonly<Partial<Record<Operation, object>>>;
  /** Whether a session is created before its first message: `open(target).creation` is then defined. */
  createsSessions(target: Pick<ProtocolTarget, 'conversation'>): boolean;
  /** What authorizes every request. */
  authorize(apiKey: string): HeaderFields;
  /** Once for a run: a sender prepares every route once. */
  open(target: ProtocolTarget): ChatApi;
}

/** The paths of a named protocol, below a base URL without a version: requests use them, and URLs are recognized by them. */
interface ProtocolPaths {
  readonly message: string;
  /** Where sessions are created unless the scenario names another path. */
  readonly create?: string;
  /** Some services have the path of messages without its `/v1` too. */
  readonly mayLackVersion?: true;
}

/** What a scenario says of its target. */
export interface ProtocolTarget {
  /** The agent; where a protocol knows none, the model. */
  readonly agentId: string;
  /** `null`: the embedded service. A path in it precedes every path. */
  readonly baseUrl: string | null;
  /** Whether replies are asked for in pieces. */
  readonly stream: boolean;
  /** Where messages go instead of the protocol's own path. */
  readonly messagesPath: string | null;
  /** Fields of every message request besides those of the protocol. */
  readonly messageBody: Readonly<Record<string, unknown>>;
  /** What the agent is told before the conversation, with `{{name}}` for variable values. */
  readonly instructions?: string | null;
  /** What keeps a conversation where a protocol has two ways: the id of the reply before, or that of a conversation that is created. */
  readonly conversation: 'previous_response' | 'conversation';
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
  /** What to ask next, and after how long, where this response says that the answer is still being made; `undefined`: it is the answer. The attempt goes on until then. */
  poll?(received: Received): Poll | undefined;
  /** The turn whose request was the latest ended well with this reply. Left out where the service alone keeps the conversation. */
  replied?(reply: Reply): void;
  /** The user left the turn whose request was the latest, having read so much of the reply; '' for nothing. Left out where the service alone keeps the conversation. */
  left?(text: string): void;
}

/** What is said in a turn; `variableValues` is JSON text, or '' for none. */
export interface Said {
  readonly message: string;
  readonly variableValues: string;
  /** What the tools gave that the reply before called: said instead of the message, which is ''. `undefined`: a message is said. */
  readonly toolResults?: readonly ToolResult[] | undefined;
  /** What the agent is told in this conversation, in place of what the target says for all; taken as it is. */
  readonly instructions?: string | undefined;
  /** Whose turn it is, and which, from 1: for functions of the scenario, and messages about them. */
  readonly session?: number;
  readonly turn?: number;
}

/** A tool that a reply asks its client to call. */
export interface ToolCall {
  /** By which its result is known. */
  readonly id: string;
  readonly name: string;
  /** JSON text as it came. */
  readonly arguments: string;
}

/** What a tool gave. */
export interface ToolResult extends Pick<ToolCall, 'id' | 'name'> {
  readonly content: string;
}

/** What an exchange is for: a session is created, or a message of it is sent. */
export const operations = ['create', 'message'] as const;
export type Operation = (typeof operations)[number];

/** Asks again for an answer that takes its time. */
export interface Poll {
  readonly request: ChatRequest;
  readonly afterMs: Ms;
}

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
  /** How a reply that comes in pieces is read; `undefined`: every reply is whole. */
  readonly stream?: StreamFormat | undefined;
  /** Names, in lower case, of the header fields of the response that its reader needs. */
  readonly wantedHeaders?: readonly string[] | undefined;
}

/** How replies in pieces are read: one value for all of a route. */
export interface StreamFormat {
  /** Server-sent events (`text/event-stream`), or JSON lines. A 200 or 201 of another content type is read whole. */
  readonly framing: 'sse' | 'json-lines';
  /** For one response, when its head says that it is such a stream. */
  begin(): ReplyStream;
}

/** One reply in pieces, as a protocol reads it. */
export interface ReplyStream {
  /** Takes the next event and says what it is. Never throws. */
  take(event: StreamEvent): Piece;
  /** What was said so far: of a reply that is not complete, too. */
  readonly text: string;
  /** Whether the protocol's end of the reply has arrived: the response may still be open. */
  readonly hasEnded: boolean;
  /** Once, when the response is over, whole or not. Never throws. `received.body` is ''. */
  conclude(received: Received): Verdict;
}

/** What an event of a stream carries: text of the answer or a tool call, reasoning alone, or nothing that was generated. */
export type Piece = 'content' | 'reasoning' | 'other';

/** One event, or one line. The object is used again for the next: nothing of it may be kept. */
export interface StreamEvent {
  /** The `event` field; '' where there is none. */
  readonly type: string;
  /** The bytes of the data, UTF-8: `bytes` from `start` to `end`. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** The data as text, with U+FFFD for what is not UTF-8. */
  text(): string;
}

/** One request. */
export interface ChatRequest {
  readonly route: Route;
  readonly body: string;
  /** Of the body, in UTF-8; every message of a protocol tells them. */
  readonly bodyBytes?: number;
  /** Further header fields of this one alone, each as `Name: value\r\n`, in Latin-1; '' or left out: none. No protocol gives any. */
  readonly fields?: string;
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
  /** The content type of a 200 or 201 that is not `application/json`; printable. */
  contentType?: string | undefined;
  /** What was read of a reply in pieces; `undefined`: there was none, and the body is whole. */
  stream?: ReplyStream | undefined;
  /** Of the header fields that the route wants, those that came, by their names in lower case; of `set-cookie` the pairs alone, as a `Cookie` field gives them back. */
  headers?: HeaderFields | undefined;
}

/** The verdict on an exchange. */
export interface Verdict {
  outcome: AttemptClass;
  /** Why, in words; '' for `ok`. Holds no reply text, but may quote an error message of the service: raw, to be redacted. */
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
  /** Tools that it calls; `undefined`: none. */
  toolCalls?: readonly ToolCall[] | undefined;
  /** The tokens that it says it took. */
  usage?: Usage | undefined;
  /** Whether a stream of chat completions ended without its `[DONE]`: counted, and no error. */
  lacksDone?: boolean | undefined;
}

/** Tokens as a reply itself tells them: never counted by us. */
export interface Usage {
  /** Of the request, the history included; `undefined`: not told. */
  inputTokens: number | undefined;
  /** Of the reply, reasoning included. */
  outputTokens: number | undefined;
}
