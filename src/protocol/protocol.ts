import type { Instant, Ms } from '../base/time.ts';
import type { Finish } from './finish.ts';
import type { Note } from './notes.ts';
import type { AttemptClass, ExchangeFailure } from './outcome.ts';

/**
 * A chat API as a value: the creation of sessions, if any, the requests of turns, and the reading and judging of replies.
 * Sessions, records and sockets use only this port.
 *
 *     protocol -- open(target) --> api -- converse(session id) --> conversation -- request(turn) --> request
 *                                                                               <-- read(received) -- reply
 */
export interface ChatProtocol {
  readonly name: string;
  /** Paths of the API; omitted by a protocol of a scenario, whose paths may depend on the session. */
  readonly paths?: ProtocolPaths;
  /** Recognizes a base URL of the API, which has no path of messages. */
  readonly base?: ProtocolBase;
  /** Recognizes a request of an API without such paths: returns the end of its path that follows the base URL. */
  readonly endOf?: (path: string, body: Readonly<Record<string, unknown>>) => string | undefined;
  /** Keeper of the conversation: the service, or the client, which sends it again with every turn. */
  readonly history: 'service' | 'client';
  /** Replies cannot be streamed: `target.stream` is rejected. */
  readonly wholeOnly?: true;
  /** All replies are streamed: `target.stream: false` is rejected. */
  readonly streamsOnly?: true;
  /** Messages have one path and only its own fields: `target.messagesPath`, `messageBody` and `instructions` are rejected. */
  readonly fixedMessages?: true;
  /** Interval of polls, if replies that are not streamed have to be polled until the answer is available. */
  readonly pollEveryMs?: Ms;
  /** Replies arrive on a stream, or on a WebSocket next to requests over HTTP, that is open as long as its session. */
  readonly listens?: 'sse' | 'websocket';
  /** Requests may go to other origins than the target's, each of which has a sender of its own. */
  readonly otherOrigins?: true;
  /** No session has an id, cookies or a history of its own, unless the author's functions of requests write one. */
  readonly lacksSession?: true;
  /** Every session has a socket of its own, which its creation opens. Default: requests over HTTP. */
  readonly transport?: 'websocket';
  /** It has agents instead of models: `--model` is rejected. */
  readonly agentsOnly?: true;
  /** Optional package that streamed replies need. */
  readonly streamPackage?: string;
  /** Requests need not name an agent or a model: `target.agentId` is optional. */
  readonly mayLackAgent?: true;
  /** Name of the message field that limits the tokens of a reply; omitted by a protocol without one. */
  readonly outputLimit?: string;
  /** The shortest conforming replies, by operation, if they are the same for all requests: the responder of `calibrate` answers with them. */
  readonly shortestReplies?: (text: string) => Readonly<Partial<Record<Operation, object>>>;
  /** Reports whether a session is created before its first message: `open(target).creation` is then defined. */
  createsSessions(target: Pick<ProtocolTarget, 'conversation'>): boolean;
  /** Returns the header fields that authorize every request. */
  authorize(apiKey: string): HeaderFields;
  /** Asks a service after the load for work that it has not finished; omitted if the protocol has no such request. */
  readonly unfinished?: UnfinishedWork;
  /** Called once per run: a sender prepares every route once. */
  open(target: ProtocolTarget): ChatApi;
}

/** A request for the work of a service that has not ended. */
interface UnfinishedWork {
  readonly request: ChatRequest;
  /** Returns the number of conversations in the response with such work; 0 if the service does not know. `since`: milliseconds since 1970. */
  readonly count: (received: Received, since: number) => number;
}

/** The paths of a named protocol, below a base URL without a version: requests use them, and URLs are recognized by them. */
interface ProtocolPaths {
  /** `{model}` stands for the agent or model. */
  readonly message: string;
  /** Path of streamed messages, if it is another one. */
  readonly streamed?: string;
  /** Default path of creations. */
  readonly create?: string;
  /** Some services also support the path of messages without its `/v1`. */
  readonly mayLackVersion?: true;
  /** An older path of messages, with a query whose value is the version of the API. */
  readonly dated?: string;
  /** Other vendors have the path of messages for another API: it shows this one only at the hosts of its vendor, or with its header of authorization. */
  readonly isShared?: true;
}

/** Marks of an API in a base URL. Services with the APIs of several vendors have other hosts, and are asked instead. */
interface ProtocolBase {
  /** Hosts of the API's vendor. */
  readonly host?: RegExp;
  /** Base paths of the API at these hosts, without a final slash, if they have other APIs, too. */
  readonly path?: RegExp;
  /** End of the path, without a final slash. */
  readonly end?: RegExp;
  /** Models, without which the end of the path proves nothing. */
  readonly model?: RegExp;
}

/** The target of a scenario. */
export interface ProtocolTarget {
  /** The agent, or the model of a protocol without agents. */
  readonly agentId: string;
  /** `null`: the embedded service. A path in it precedes every path. */
  readonly baseUrl: string | null;
  /** Reports whether requests may be sent to the origin of a URL besides the target's; omitted: to no other. */
  readonly mayReach?: (url: URL) => boolean;
  /** Method of authorization; only `key` has an API key. */
  readonly auth: string;
  /** True if streamed replies are requested. */
  readonly stream: boolean;
  /** Path of messages instead of the protocol's own path; `{model}` stands for the agent or model. */
  readonly messagesPath: string | null;
  /** Fields of every message request besides the protocol's own. */
  readonly messageBody: Readonly<Record<string, unknown>>;
  /** The agent's instructions, with `{{name}}` for variable values. */
  readonly instructions?: string | null;
  /** Link between turns, if a protocol has two: the id of the previous reply, or of a created conversation. */
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
  /** `undefined`: a session begins with its first message. */
  readonly creation: SessionCreation | undefined;
  /** Begins a conversation in a created session; the id is '' without a creation. */
  converse(sessionId: string): Conversation;
  /** Returns the API of one session: over its own socket, or with state of its own. Omitted if all sessions share one. */
  readonly forSession?: (number: number, observer: SocketObserver, own?: OwnSession) => ChatApi;
}

/** The part of a session that its API may depend on. */
export interface OwnSession {
  /** Eight characters that are different in every run. */
  readonly runId: string;
  /** Returns the UUID of the session, another one in every run. */
  uuid(): string;
  /** Receives secrets that must not be written. */
  readonly keepSecret: (secret: string) => void;
}

/** Creation of a session. The id of the reply is the session's id. */
export interface SessionCreation {
  readonly request: ChatRequest;
  read(received: Received): Verdict;
  /** Returns the next request of a creation that has several; `undefined` after the last one. */
  poll?(received: Received): Poll | undefined;
}

/** One conversation of a client, with the state that its protocol has to keep. */
export interface Conversation {
  readonly sessionId: string;
  /** Returns the request of a turn, once for all of its attempts. */
  request(turnContent: TurnContent): ChatRequest;
  /** Returns the verdict. Never throws, because every response has a class. */
  read(received: Received): Verdict;
  /** Returns the next poll if a response has no answer yet; `undefined` if it is the answer. The attempt continues until then. */
  poll?(received: Received): Poll | undefined;
  /** Called if the latest turn succeeded with this reply. Omitted if only the service keeps the conversation. */
  replied?(reply: Reply): void;
  /** Called if the user left the latest turn after reading this text of the reply; '' for none. Omitted if only the service keeps the conversation. */
  left?(text: string): void;
  /** Stream of the session on which replies arrive after an acknowledgement; omitted if responses contain the replies. */
  readonly listener?: Listener;
  /** Called once, at the end of the session: its socket or stream is closed. Omitted if it has none. */
  end?(): void;
}

/** The stream, or the WebSocket, of one session on which the replies to all of its messages arrive. */
export interface Listener {
  /** True from the head of its response, or the greeting of its socket, until its end. */
  readonly isOpen: boolean;
  /** True from its request until the head of its response, or its end. */
  readonly isOpening: boolean;
  /** True if messages are sent before it is open, unless it opens soon. False for a WebSocket: its upgrade has to be answered. */
  readonly mayBeLate: boolean;
  /** True if it was not open when the current attempt began. */
  readonly isLate: boolean;
  /** True if it is a WebSocket that has been open before. */
  readonly hasBeenOpen: boolean;
  /** End of the stream that was opened last; `undefined` until then. */
  readonly end: Received | undefined;
  /** True if the reply to the current attempt is complete, failed or refused. */
  readonly isOver: boolean;
  /** Called whenever one of these values changes. Set by the session. */
  changed: () => void;
  /** Returns the request that opens the stream. */
  open(): ChatRequest;
  /** Called with the end of the stream of a request; ignored if that was given up. */
  closed(received: Received, request: ChatRequest): void;
  /** Ends the stream. */
  close(): void;
  /** Ends a stream that is not open, so that the next attempt opens it again. */
  giveUp(): void;
  /** Begins an attempt, before its message is sent: events are kept from now on. */
  begin(): void;
  /** Takes the response to the message. */
  acknowledged(received: Received): void;
}

/** The input of a turn; `variableValues` is JSON text, or '' for none. */
export interface TurnContent {
  readonly message: string;
  readonly variableValues: string;
  /** Results of the tools that the previous reply called: sent instead of the message, which is ''. */
  readonly toolResults?: readonly ToolResult[] | undefined;
  /** The agent's literal instructions in this conversation, in place of the target's. */
  readonly instructions?: string | undefined;
  /** Numbers of the session and the turn, from 1: for functions of the scenario, and their errors. */
  readonly session?: number;
  readonly turn?: number;
}

/** A tool call of a reply. */
export interface ToolCall {
  /** Links the result to the call. */
  readonly id: string;
  readonly name: string;
  /** JSON text as received. */
  readonly arguments: string;
  /** Opaque text that an API requires with the call when its result is sent. */
  readonly signature?: string | undefined;
}

/** The result of a tool. */
export interface ToolResult extends Pick<ToolCall, 'id' | 'name'> {
  readonly content: string;
}

/** The purpose of an exchange: a session is created, or a message of it is sent. */
export const operations = ['create', 'message'] as const;
export type Operation = (typeof operations)[number];

/** A request for a delayed answer. */
export interface Poll {
  readonly request: ChatRequest;
  readonly afterMs: Ms;
  /** True if it is sent again after a lost connection: it repeats no work. */
  readonly isRepeatable?: true;
}

/** Names and values of header fields, in the order in which they are sent. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Destination of requests. One value for all requests that differ only in their body. */
export interface Route {
  readonly operation: Operation;
  readonly method: string;
  /** Path below the base URL, or at `origin`; may have a query. */
  readonly path: string;
  /** Origin that the path belongs to, if it is not below the base URL; omitted: the target's base URL. */
  readonly origin?: string | undefined;
  /** Fields that describe the body and the reply. */
  readonly headers: HeaderFields;
  /** Format of streamed replies; `undefined`: no reply is streamed. */
  readonly stream?: StreamFormat | undefined;
  /** Names, in lower case, of the header fields of the response that are read; `*`: all of them. */
  readonly wantedHeaders?: readonly string[] | undefined;
}

/** Format of streamed replies: one value per route. */
export interface StreamFormat {
  /** Server-sent events (`text/event-stream`), JSON lines, lines of text, a text whose reads are its events, or Amazon's binary frames. */
  readonly framing: 'sse' | 'json-lines' | 'lines' | 'text' | 'aws-event-stream';
  /** True if every 2xx is such a stream, whatever its content type. Omitted: a 200 or 201 of another content type is not a stream. */
  readonly isStated?: true;
  /** True if the data of every server-sent event is a JSON object: events without blank lines between them are recognized, too. */
  readonly isJson?: true | undefined;
  /** True if a body may be one JSON array in place of server-sent events: its elements are the events. */
  readonly mayBeArray?: true | undefined;
  /** True if server-sent events without data are passed on if they have a type. */
  readonly passesEmpty?: true | undefined;
  /** Called for one response whose head announces such a stream. */
  begin(): ReplyStream;
}

/** Reader of one streamed reply. */
export interface ReplyStream {
  /** Takes the next event and returns its content. Never throws. */
  take(event: StreamEvent): EventContent;
  /** The text so far, also of an incomplete reply. */
  readonly text: string;
  /** True after the protocol's end of the reply: the response may still be open. */
  readonly hasEnded: boolean;
  /** Called once, after the end of the response, complete or not. Never throws. `received.body` is ''. */
  conclude(received: Received): Verdict;
}

/** Content of an event: text of the answer or a tool call, only reasoning, or no generated content. */
export type EventContent = 'content' | 'reasoning' | 'other';

/** One event, or one line. The object is reused for the next one, so no part of it may be kept. */
export interface StreamEvent {
  /** The `event` field; '' if it is missing. */
  readonly type: string;
  /** The bytes of the data, UTF-8: `bytes` from `start` to `end`. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Instant at which it had arrived, if that was before the current read: only the next event ended it. */
  readonly arrivedAt?: Instant | undefined;
  /** True if no blank line ends the events of the body. */
  readonly isUnseparated?: boolean;
  /** True for the last event of a body if its line has no line break. */
  readonly isHalf?: boolean;
  /** Returns the data as text, with U+FFFD for invalid UTF-8. */
  text(): string;
}

/** One request. */
export interface ChatRequest {
  readonly route: Route;
  readonly body: string;
  /** Size of the body in UTF-8; set by every message of a protocol. */
  readonly bodyBytes?: number | undefined;
  /** Further header fields of this request, each as `Name: value\r\n`, in Latin-1; '' or omitted: none. No protocol sets any. */
  readonly fields?: string;
  /** The part over the socket of the session, whose upgrade is requested by `route`; omitted over HTTP. */
  readonly socket?: SocketExchange | undefined;
  /** Set for a stream that stays open as long as its session: no time-out applies. */
  readonly line?: StreamLine | undefined;
}

/** An open stream, as its session closes it. */
export interface StreamLine {
  /** Ends the exchange as abandoned. Set by the sender. */
  close: () => void;
}

/** The socket of one session. The sender opens it, and keeps it here until it is closed. */
export interface SocketLine {
  /** The open socket; `undefined`: the next exchange opens one. */
  link: SocketLink | undefined;
  readonly observer: SocketObserver;
  /** Interval of pings; `undefined`: none are sent. */
  readonly pingIntervalMs: Ms | undefined;
  /** Returns the meaning of a frame that no exchange awaits. Never throws. */
  meaningOf(frame: StreamEvent): UnawaitedFrame;
}

/** A frame that no exchange awaits: part of a reply, the announcement that the socket cannot be used any more, or another frame. */
export type UnawaitedFrame = 'reply' | 'end' | 'other';

/** An open socket, as its session uses it between exchanges. */
export interface SocketLink {
  /** Closes it; the session is over. */
  close(): void;
}

/** Receives the events of one session's sockets. */
export interface SocketObserver {
  opened(): void;
  closed(): void;
  /** Called for every frame of a reply that no exchange awaits. */
  unsolicited(): void;
}

/** The part of a request that is sent over the socket of its session. */
export interface SocketExchange {
  readonly line: SocketLine;
  /** Requested in the upgrade. */
  readonly subprotocols: readonly string[];
  /** Begins with a socket that was just opened: it is usable after the dialogue. Never throws. */
  readonly greet: () => Dialogue;
  /** Begins an attempt of a turn; omitted by a creation, which ends with the greeting. Never throws. */
  readonly begin?: (opened: Opened) => Dialogue;
}

/** State of the socket at the start of an attempt. */
interface Opened {
  /** True if the socket was opened for this attempt: the service may have forgotten the conversation. */
  readonly isReopened: boolean;
  /** The W3C trace context of the attempt; '' if it is not traced. */
  readonly traceparent: string;
}

/** Frames to send, and the reader of the answer. */
export interface Dialogue {
  readonly frames: readonly string[];
  readonly reader: FrameReader;
  /** Returns the frames with which a user who leaves cancels the reply; omitted or `undefined`: the socket is closed instead. */
  cancel?(): readonly string[] | undefined;
}

/** Reader of the frames of one answer. */
export interface FrameReader extends ReplyStream {
  /** Reports whether the next frame belongs to this answer. Never throws. */
  accepts(frame: StreamEvent): boolean;
  /** True if the answer has ended or failed. */
  readonly isOver: boolean;
  /** True if later frames of this answer cannot be mistaken for another answer: the socket may be kept. */
  readonly keepsSocket: boolean;
  /** Wait that an error asked for, in the form of `Retry-After`. */
  readonly retryAfter: string | undefined;
  /** Other fields about a wait in the header of an error frame (`isWaitField`); omitted if its protocol has none. */
  readonly waits?: HeaderFields | undefined;
}

/** The part of an exchange that decides its class. */
export interface Received {
  /** `undefined` if a complete response was read. */
  failure: ExchangeFailure | undefined;
  /** Reason of the failure, to show; '' if there is none. */
  detail: string;
  /** Status of the final response; 0 without a complete head, 101 over an open socket. */
  status: number;
  /** Code with which the socket was closed before the end of the answer; omitted if it was not, and over HTTP. */
  closeCode?: number | undefined;
  /** The response body as text, with U+FFFD for invalid UTF-8; '' on failure. */
  body: string;
  /** True if the whole body was UTF-8, or on failure. */
  isUtf8: boolean;
  /** The content type of a 200 or 201 that is not `application/json`; printable. */
  contentType?: string | undefined;
  /** Reader of a streamed reply; `undefined`: the reply is not streamed. */
  stream?: ReplyStream | undefined;
  /** The received header fields among the route's `wantedHeaders`, by their names in lower case; of `set-cookie` only the pairs, as in a `Cookie` field. */
  headers?: HeaderFields | undefined;
}

/** The verdict on an exchange. */
export interface Verdict {
  outcome: AttemptClass;
  /** Reason, to show; '' for `ok`. Contains no reply text, but may quote an error message of the service: raw, to be redacted. */
  detail: string;
  /** `undefined` unless the outcome is `ok`. */
  reply: Reply | undefined;
  /** Wait that the body of a refusal asks for, in the form of `Retry-After`, which it stands in for. */
  retryAfter?: string | undefined;
  /** True if the next attempt sends what this one lacked: it is retried once, at once, whatever its class. */
  canResend?: boolean;
  /** Token usage that the received part of a reply reported; omitted for a conforming reply, which has its own. */
  spent?: SpentUsage | undefined;
  /** True if a reply breaks one rule only: it names another session than its request. */
  isRestarted?: boolean;
}

/** Token usage of a reply that did not conform or was not complete. */
export interface SpentUsage {
  usage: Usage;
  /** The model, as the reply names it. */
  model: string | undefined;
  /** False for the usage so far: a lower bound. */
  isFinal: boolean;
}

/** A reply that conforms to its protocol. */
export interface Reply {
  /** The agent's text; '' for a creation. */
  text: string;
  /** Id of the created session, or of this exchange; `undefined` if the protocol has none. */
  id: string | undefined;
  /** Data of the reply, in which prices and lists of turns are found by their paths. */
  data: unknown;
  /** Called tools; `undefined`: none. */
  toolCalls?: readonly ToolCall[] | undefined;
  /** Reported token usage. */
  usage?: Usage | undefined;
  /** The model, as the reply names it. */
  model?: string | undefined;
  /** True if it names another session id than its request did: the service began another conversation. `undefined`: it names none. */
  isRestarted?: boolean | undefined;
  /** Normal end that it states; omitted: none. */
  finish?: Finish | undefined;
  /** Deviations from the API's description that no client notices; omitted: none. */
  notes?: readonly Note[] | undefined;
  /** True if a stream of chat completions ended without its `[DONE]`: counted, but not an error. */
  lacksDone?: boolean | undefined;
}

/** Token usage as reported in the reply; never counted locally. */
export interface Usage {
  /** Tokens of the request, the history included; `undefined`: not reported. */
  inputTokens: number | undefined;
  /** Tokens of the reply, reasoning included. */
  outputTokens: number | undefined;
  /** Tokens of the input that were read from a cache. */
  cachedInputTokens?: number | undefined;
  /** Tokens of the input that were written to a cache. */
  cacheWriteTokens?: number | undefined;
  /** Tokens of the cache writes that are kept for an hour. */
  cacheWrite1hTokens?: number | undefined;
  /** Tokens of the output that are reasoning. */
  reasoningTokens?: number | undefined;
}
