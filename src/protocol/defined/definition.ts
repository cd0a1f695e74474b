import type { ErrorClass } from '../outcome.ts';
import type { CloseClass } from '../close-class.ts';
import type { ToolResult, Usage } from '../protocol.ts';
import type { UsageForm } from '../usage.ts';

/** A chat API as its author describes it. `Length` is the form of a duration; as read, milliseconds. */
export interface ApiDefinition<Length = number> {
  /** Default: requests over HTTP. */
  readonly transport?: undefined;
  /** Name in results and messages; letters, digits and `-`. Default `'defined'`. */
  readonly name?: string | undefined;
  /** Keeper of the conversation: the service, or the client, which sends it again with every turn. Default `'service'`. */
  readonly history?: 'service' | 'client' | undefined;
  /** Returns the header fields with the key. Default `Authorization: Bearer KEY`. */
  readonly authorize?: ((apiKey: string) => Fields) | undefined;
  /** True if a session sends back its cookies. Default `false`. */
  readonly cookies?: boolean | undefined;
  /** Id of a session that the client chooses: a text with `{{uuid}}`, `{{run.id}}` and `{{session.number}}`, unique in every run. Default: the service chooses it, if there is one. */
  readonly sessionId?: string | undefined;
  /** Creation of a session: a request, or several, each of which may depend on the replies before it. If omitted, a session begins with its first message. */
  readonly createSession?: CreationDefinition | readonly CreationDefinition[] | undefined;
  /** Request of a turn. */
  readonly message: MessageDefinition;
  /** Contents of a non-streamed reply, and their paths. If omitted, the API only streams, and `target.stream` is true. */
  readonly reply?: ReplyDefinition<Length> | undefined;
  /** Polling of a URL in the reply until it contains the answer; only for non-streamed replies. */
  readonly poll?: PollDefinition<Length> | undefined;
  /** Contents of a streamed reply; required by `target.stream`. */
  readonly stream?: StreamDefinition | undefined;
  /** Returns the class of an error response if its status does not decide it; `undefined`: the status decides. Receives every non-streamed response; `body` is its JSON, or its text if it is not JSON. */
  readonly errors?: AuthorFunction<[status: number, body: unknown], ErrorClass | undefined> | undefined;
}

/** A chat API over WebSocket, with JSON frames: every session has one socket, which its creation opens. */
export interface SocketDefinition<Length = number> extends Pick<
  ApiDefinition,
  'name' | 'history' | 'authorize' | 'errors'
> {
  readonly transport: 'websocket';
  /** Opening of the socket of a session. */
  readonly connect: ConnectDefinition<Length>;
  /** Returns the frame of a turn, or a list of frames: a text is sent unchanged, any other value as JSON. */
  readonly send: (parts: SendParts) => unknown;
  /** Contents of the frames of a reply. */
  readonly read: ReadDefinition;
  /** The id in a frame of a reply, which `send` has put into the frame of its turn: a frame with another id is not part of the reply. Without it, a reply that did not end closes the socket. */
  readonly match?: EventPath | undefined;
  /** Returns the frame, or the frames, sent when a user leaves before the end of a reply. Without it, and without `match`, the socket is closed. */
  readonly cancel?: ((parts: CancelParts) => unknown) | undefined;
  /** Classes of close codes, instead of the usual ones. */
  readonly closeCodes?: Readonly<Record<number, CloseClass>> | undefined;
}

export interface ConnectDefinition<Length = number> {
  /** Path below the base URL; `{{sessionId}}`, `{{agentId}}` and `{{apiKey}}` are replaced, encoded for a URL. */
  readonly path: string | ((parts: ConnectParts) => string);
  /** Header fields of the upgrade; `{{sessionId}}` and `{{agentId}}` are replaced by the ids. */
  readonly headers?: Fields | ((parts: ConnectParts) => Fields) | undefined;
  /** Requested subprotocols; `{{apiKey}}` is replaced. */
  readonly subprotocols?: readonly string[] | ((parts: ConnectParts) => readonly string[]) | undefined;
  /** Returns the frame, or the frames, sent as soon as the socket is open. */
  readonly frames?: ((parts: ConnectParts) => unknown) | undefined;
  /** The frame after which turns are sent: a field that is present, or a function. Default: turns are sent at once. */
  readonly ready?: EventPath | undefined;
  /** The id of the session in that frame. */
  readonly sessionId?: BodyPath | undefined;
  /** Interval of pings. Default: none are sent. */
  readonly pingInterval?: Length | undefined;
}

/** Input of the opening of a socket. */
export interface ConnectParts {
  /** '' if the target has none. */
  readonly agentId: string;
  /** Number of the session, from 1. */
  readonly session: number;
  /** '' for the first socket of a session, and if there is none. */
  readonly sessionId: string;
}

/** Input of the frames of a turn. */
export interface SendParts extends MessageParts {
  /** Unique id of the attempt in its session, for `match`. */
  readonly id: string;
  /** True if the socket was reopened for this attempt: the service may have forgotten the conversation. */
  readonly reopened: boolean;
  /** W3C trace context of the attempt; '' without `target.trace`. */
  readonly traceparent: string;
}

/** Input of the frames of a user who leaves. */
export interface CancelParts {
  /** The id of the attempt. */
  readonly id: string;
  readonly sessionId: string;
}

/** Contents of the frames of a reply. A frame without text, end or error is ignored. */
export interface ReadDefinition extends Omit<StreamDefinition, 'format' | 'data' | 'text' | 'end'> {
  /** The agent's text in a frame. */
  readonly text: EventPath;
  /** The end of a reply: a field that is true in the last frame, or a function. */
  readonly end: EventPath;
  /** Number of seconds to wait, in a frame that is an error. */
  readonly retryAfter?: EventPath | undefined;
}

export interface CreationDefinition {
  /** Default `'POST'`. */
  readonly method?: string | undefined;
  /** Path below the base URL; `{{agentId}}`, `{{sessionId}}` and `{{values.NAME}}` are replaced, encoded for a path. */
  readonly path: string | ((parts: CreationParts) => string);
  /** Fields besides `Content-Type` and `Accept`, or in their place; the same placeholders are replaced. */
  readonly headers?: Fields | ((parts: CreationParts) => Fields) | undefined;
  /** JSON to send, or a function that returns it. Default `{}`. */
  readonly body?: JsonGiven | ((parts: CreationParts) => unknown) | undefined;
  /** Path of the session's id, in one reply of a creation. May be omitted with `cookies`: the cookies are the session. */
  readonly sessionId?: ValuePath | undefined;
  /** Further values of the reply by their names, for later requests of the session: `values.NAME`, or `{{values.NAME}}`. */
  readonly values?: Readonly<Record<string, ValuePath>> | undefined;
}

/** Input of a request that creates a session. */
export interface CreationParts {
  /** '' if the target has none. */
  readonly agentId: string;
  /** Number of the session, from 1. */
  readonly session: number;
  /** Chosen by the client, or from the replies so far; '' if there is none yet. */
  readonly sessionId: string;
  /** Values of the replies so far. */
  readonly values: Readonly<Record<string, string>>;
  /** The JSON of the replies so far, the first one first. */
  readonly replies: readonly unknown[];
}

export interface MessageDefinition {
  /** Default `'POST'`. */
  readonly method?: string | undefined;
  /** Path below the base URL; `{{sessionId}}`, `{{agentId}}` and `{{values.NAME}}` are replaced, encoded for a path. */
  readonly path: string | ((parts: MessageParts) => string);
  /** Fields besides `Content-Type` and `Accept`, or in their place; the same placeholders are replaced. */
  readonly headers?: Fields | ((parts: MessageParts) => Fields) | undefined;
  /** Returns the body: a text is sent unchanged, any other value as JSON. If omitted, no body is sent. */
  readonly body?: ((parts: MessageParts) => unknown) | undefined;
}

/** Input of a request. */
export interface MessageParts {
  /** '' if the target has none. */
  readonly agentId: string;
  /** From the creation or the latest reply; '' if there is none yet. */
  readonly sessionId: string;
  /** From 1. */
  readonly turn: number;
  /** The user's message; '' with tool results. */
  readonly message: string;
  /** The conversation so far, this turn last; only this turn if the service keeps the history. */
  readonly messages: readonly ConversationMessage[];
  /** Results of the tools that the previous reply called. */
  readonly toolResults: readonly ToolResult[];
  /** Values that the creation of the session returned (`createSession.values`). */
  readonly values: Readonly<Record<string, string>>;
  /** The variable values of the session. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The agent's instructions, with `{{name}}` filled in; '' if there are none. */
  readonly instructions: string;
  /** True if a streamed reply is requested. */
  readonly stream: boolean;
}

/** One message of a conversation, in the format of most chat APIs. */
export type ConversationMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly CalledTool[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string; readonly name: string };

/** A tool that a reply calls. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface ReplyDefinition<Length = number> extends ReplyValues {
  /** `'text'`: the body is the agent's text, whatever its content type, and functions receive it. Default `'json'`. */
  readonly format?: 'json' | 'text' | undefined;
  /** The agent's text; texts of a list, as at `'messages.*.text'`, are joined by line breaks. May be omitted, or is a function, with `format: 'text'`; omitted with `then`. */
  readonly text?: BodyPath | undefined;
  /** Source of the reply, if the response to the message is only an acknowledgement. */
  readonly then?: LaterDefinition<Length> | undefined;
}

/** Source of replies that follow an acknowledgement. Other values of `reply` are found in the latest of the replies that has them; functions receive all of them. */
export interface LaterDefinition<Length = number> {
  /** Requests that are repeated until the reply is complete. */
  readonly poll?: LaterPolls<Length> | undefined;
  /** Events of a stream that is open as long as the session. Its replies are streamed events, but `target.stream` is false. */
  readonly listen?: ListenDefinition<Length> | undefined;
}

/** A stream on which the replies of a session arrive, as server-sent events or frames of a WebSocket, in JSON. */
export interface ListenDefinition<Length = number> extends Omit<StreamDefinition, 'format' | 'data' | 'text' | 'end'> {
  /** Default: server-sent events. */
  readonly transport?: 'sse' | 'websocket' | undefined;
  /** Returns the request of the stream, sent when the session was created, and again by the next turn if the stream broke. */
  readonly connect: AuthorFunction<[parts: ListenParts], ConnectRequest>;
  /** Decides whether an event belongs to the reply to the latest message. Events since that message are kept until its acknowledgement. */
  readonly match: AuthorFunction<[event: unknown, parts: MatchParts], boolean | undefined>;
  /** The agent's text in an event. */
  readonly text: EventPath;
  /** The end of a reply: a field that is true in its last event, the type of an event, or a function. */
  readonly end: EventPath | { readonly event: string };
  /** The frame of a WebSocket after which messages are sent: a field that is present, or a function. Default: messages are sent at once. */
  readonly ready?: EventPath | undefined;
  /** Interval of pings of a WebSocket. Default: none are sent. */
  readonly pingInterval?: Length | undefined;
  /** Classes of close codes of a WebSocket, instead of the usual ones. */
  readonly closeCodes?: Readonly<Record<number, CloseClass>> | undefined;
}

/** A request that opens the stream of a session. A WebSocket is opened by GET without a body; its URL may begin with `wss:`. */
export interface ConnectRequest extends PollRequest {
  /** The frame, or a list of frames, sent as soon as a WebSocket is open: a text is sent unchanged, any other value as JSON. */
  readonly frames?: unknown;
  /** Requested subprotocols of a WebSocket. */
  readonly subprotocols?: readonly string[] | undefined;
}

/** Input of the request of a stream. */
export type ListenParts = Pick<MessageParts, 'agentId' | 'sessionId' | 'values'>;

/** Input of the choice of an event. */
export interface MatchParts extends MessageParts {
  /** The JSON of the response to the message; `undefined` if it is not JSON. */
  readonly acknowledgement: unknown;
  /** Type of the server-sent event, '' if it has none. */
  readonly type: string;
}

/** Polls for one reply. Functions receive the JSON of all replies so far: of the acknowledgement, then of each poll; `undefined` for one that is not JSON. */
export interface LaterPolls<Length = number> {
  /** Returns the next request. */
  readonly request: AuthorFunction<[replies: readonly unknown[], parts: LaterParts], PollRequest>;
  /** Wait before each poll. Default `'500ms'`. */
  readonly every?: Length | undefined;
  /** Reports whether the reply is complete; also called with the acknowledgement alone. */
  readonly done: AuthorFunction<[replies: readonly unknown[], parts: LaterParts], boolean | undefined>;
  /** Returns the agent's text from the replies of a complete reply. */
  readonly text: AuthorFunction<[replies: readonly unknown[], parts: LaterParts]>;
  /** Returns the class of a reply that the service gave up; `undefined`: it did not. */
  readonly fail?: AuthorFunction<[replies: readonly unknown[], parts: LaterParts], ErrorClass | undefined> | undefined;
}

/** Input of functions of a reply that follows an acknowledgement: the parts of its message, and the responses. */
export interface LaterParts extends MessageParts {
  /** Status and header fields, by their names in lower case, of each of the replies. */
  readonly responses: readonly { readonly status: number; readonly headers: Fields }[];
}

/** A request for a reply that follows an acknowledgement. */
export interface PollRequest {
  /** Default `'GET'`. */
  readonly method?: string | undefined;
  /** A list of segments, each of which is encoded (`['runs', id]`), a path below the base URL, or a URL: of the target, or of an allowed host, which receives no credentials but those in `headers`. */
  readonly path: string | readonly (string | number)[];
  /** Parameters of the query, encoded; `undefined` omits one. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Fields besides those of the message, or in their place. */
  readonly headers?: Fields | undefined;
  /** JSON to send, or a text. Default: no body is sent. */
  readonly body?: unknown;
}

/** Values of a reply besides its text. */
export interface ReplyValues {
  /** Unique id of the reply. */
  readonly id?: BodyPath | undefined;
  /** The id of the session, if replies contain it: later turns use it. */
  readonly sessionId?: BodyPath | undefined;
  /**
   * True if each reply has a new id, which the next request names (as `previous_response_id` does). Default false: another id
   * than the request named means that the service began another conversation.
   */
  readonly chainsIds?: boolean | undefined;
  /** Token usage. */
  readonly usage?: UsagePaths | undefined;
  /** Name of the model, by which its usage is priced. Default `'model'`, if the reply has that field. */
  readonly model?: BodyPath | undefined;
  /** The reason why the reply ended, as the service states it, such as `'stop'` or `'length'`; one that names an error fails the turn. */
  readonly finish?: BodyPath | undefined;
  /** The called tools. */
  readonly toolCalls?: AuthorFunction<[body: unknown], readonly CalledTool[] | undefined> | undefined;
}

export interface PollDefinition<Length = number> {
  /** Path of the URL of the answer, which may be a path or a full URL of the service. */
  readonly url: ValuePath;
  /** Status of a response without an answer yet. Default 202. */
  readonly status?: number | undefined;
  /** Decides whether a 200 contains the answer: a field that is true, or a function. Default: every 200 does. */
  readonly done?: BodyPath | undefined;
  /** Wait before each poll. Default `'500ms'`. */
  readonly every?: Length | undefined;
}

/** Omitted fields are found where `reply` finds them; without `reply`, `text` is required. */
export interface StreamDefinition extends ReplyValues {
  /** The agent's text in an event; with `data: 'text'` omitted, or a function. */
  readonly text?: EventPath | undefined;
  /** Server-sent events, a value on every line, or a body that is the text. It holds for every 2xx, whatever its content type. */
  readonly format: 'sse' | 'json-lines' | 'text';
  /** Data of an event, or a line: JSON, or the agent's text itself, which functions receive. Default `'json'`, with `format: 'text'` always `'text'`. */
  readonly data?: 'json' | 'text' | undefined;
  /** Reasoning, separate from the answer. */
  readonly reasoning?: EventPath | undefined;
  /** The end: a field that is true, the data `'[DONE]'`, the type of an event, a function, or `'close'`: the complete response. A stream without it is `truncated`. May be omitted with `format: 'text'`: `'close'`. */
  readonly end?: EventPath | { readonly event: string } | undefined;
  /** Recognizes an error event: a field that is present, or a function. The function returns the class, or true for the class of `errors`, otherwise `server_error`. */
  readonly error?: EventPath | undefined;
}

/** A value in JSON: a dotted path such as `'choices.0.text'`, or a function. */
type BodyPath = string | AuthorFunction<[body: unknown]>;
/** A value in an event of a stream; `type` is the type of a server-sent event, '' if it has none. */
export type EventPath = string | AuthorFunction<[event: unknown, type: string]>;
/** A value in JSON, or a header field of the response. */
export type ValuePath = BodyPath | { readonly header: string };
/** Paths of the counts, or the form of a known API, in its own field: `usage`, or `usageMetadata` for Gemini. */
export type UsagePaths =
  | UsageForm
  | { readonly [Part in keyof Usage]?: string | undefined }
  | AuthorFunction<[body: unknown], Partial<Usage> | undefined>;

/** Literal JSON. */
type JsonGiven = Readonly<Record<string, unknown>> | readonly unknown[];

/** Names and values of header fields. */
type Fields = Readonly<Record<string, string>>;

/** A function whose author may declare narrower parameter types. */
type AuthorFunction<Given extends readonly unknown[], Result = unknown> = {
  call(...given: Given): Result;
}['call'];
