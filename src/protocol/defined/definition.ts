import type { ErrorClass } from '../outcome.ts';
import type { ToolResult, Usage } from '../protocol.ts';

/** A chat API as its author describes it. `Length` is how a length of time is written; as read, milliseconds. */
export interface ApiDefinition<Length = number> {
  /** How results and messages call it; letters, digits and `-`. Default `'defined'`. */
  readonly name?: string | undefined;
  /** Who keeps what was said: the service, or the client, which sends it again with every turn. Default `'service'`. */
  readonly history?: 'service' | 'client' | undefined;
  /** The header fields that carry the key. Default `Authorization: Bearer KEY`. */
  readonly authorize?: ((apiKey: string) => Fields) | undefined;
  /** Whether a session gives the cookies back that it was given. Default `false`. */
  readonly cookies?: boolean | undefined;
  /** How a session is created. Without it nothing is created: a session begins with its first message. */
  readonly createSession?: CreationDefinition | undefined;
  /** How a turn becomes a request. */
  readonly message: MessageDefinition;
  /** Contents of a reply that is not streamed, and their paths. Without it, the API only streams, and `target.stream` is true. */
  readonly reply?: ReplyDefinition | undefined;
  /** How a reply is asked for that takes its time; for replies that come whole. */
  readonly poll?: PollDefinition<Length> | undefined;
  /** How a reply in pieces is read: what `target.stream` needs. */
  readonly stream?: StreamDefinition | undefined;
  /** The class of a response that is an error, where its status does not say it: `undefined` leaves it to the status. Is given every response that is no stream; `body` is its JSON, or its text where that is not JSON. */
  readonly errors?: AuthorFunction<[status: number, body: unknown], ErrorClass | undefined> | undefined;
}

export interface CreationDefinition {
  /** Default `'POST'`. */
  readonly method?: string | undefined;
  /** Below the base URL; `{{agentId}}` stands for the agent. */
  readonly path: string;
  /** Besides `Content-Type` and `Accept`, or in their place. */
  readonly headers?: Fields | undefined;
  /** What is sent: JSON, or a function that gives it. Default `{}`. */
  readonly body?: JsonGiven | ((parts: { readonly agentId: string }) => unknown) | undefined;
  /** Where the id of the session is found. With `cookies` it may be left out: the cookies are the session. */
  readonly sessionId?: Place | undefined;
}

export interface MessageDefinition {
  /** Default `'POST'`. */
  readonly method?: string | undefined;
  /** Below the base URL; `{{sessionId}}` and `{{agentId}}` stand for the ids, encoded for a path. */
  readonly path: string | ((parts: MessageParts) => string);
  /** Besides `Content-Type` and `Accept`, or in their place; `{{sessionId}}` and `{{agentId}}` stand for the ids. */
  readonly headers?: Fields | ((parts: MessageParts) => Fields) | undefined;
  /** What is sent: a text as it is, everything else as JSON. Without it nothing is sent. */
  readonly body?: ((parts: MessageParts) => unknown) | undefined;
}

/** What a request is made from. */
export interface MessageParts {
  /** '' if the target names none. */
  readonly agentId: string;
  /** As the creation or the latest reply told it; '' as long as there is none. */
  readonly sessionId: string;
  /** From 1. */
  readonly turn: number;
  /** What the user says; '' where tools answer. */
  readonly message: string;
  /** What was said so far, this turn last; only this turn where the service keeps the history. */
  readonly messages: readonly SaidMessage[];
  /** What tools gave that the reply before called. */
  readonly toolResults: readonly ToolResult[];
  /** The variable values of the session. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** What the agent is told, its `{{name}}` filled in; '' for nothing. */
  readonly instructions: string;
  /** Whether the reply is asked for in pieces. */
  readonly stream: boolean;
}

/** One message of a conversation, in the form that most chat APIs take. */
export type SaidMessage =
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

export interface ReplyDefinition {
  /** What the agent said. */
  readonly text: BodyPlace;
  /** What tells this reply from others. */
  readonly id?: BodyPlace | undefined;
  /** The id of the session, where replies tell it: later turns have it. */
  readonly sessionId?: BodyPlace | undefined;
  /** The tokens that it took. */
  readonly usage?: UsagePlaces | undefined;
  /** The tools that it calls. */
  readonly toolCalls?: AuthorFunction<[body: unknown], readonly CalledTool[] | undefined> | undefined;
}

export interface PollDefinition<Length = number> {
  /** Where the URL of the answer is found: a path, or a whole URL of the service. */
  readonly url: Place;
  /** The status that says that the answer is still being made. Default 202. */
  readonly status?: number | undefined;
  /** Whether a 200 holds the answer: a field that is true, or a function. Default: it does. */
  readonly done?: BodyPlace | undefined;
  /** The wait before each question. Default `'500ms'`. */
  readonly every?: Length | undefined;
}

/** Omitted fields are found where `reply` finds them; without `reply`, `text` is required. */
export interface StreamDefinition extends Omit<ReplyDefinition, 'text'> {
  /** What an event adds to what the agent says. */
  readonly text?: EventPlace | undefined;
  /** Server-sent events, or a JSON value on every line. */
  readonly format: 'sse' | 'json-lines';
  /** Reasoning that comes apart from the answer. */
  readonly reasoning?: EventPlace | undefined;
  /** The end: a field that is true, the data `'[DONE]'`, the type of an event, or a function. A stream without it is `truncated`. */
  readonly end: EventPlace | { readonly event: string };
  /** What makes an event an error: a field that is there, or a function that gives its class, or true for the class of `errors`, else `server_error`. */
  readonly error?: EventPlace | undefined;
}

/** Where a value is found in JSON: a dotted path such as `'choices.0.text'`, or a function. */
type BodyPlace = string | AuthorFunction<[body: unknown]>;
/** The same in an event of a stream; `type` is that of a server-sent event, '' where it has none. */
export type EventPlace = string | AuthorFunction<[event: unknown, type: string]>;
/** The same, or a header field of the response. */
export type Place = BodyPlace | { readonly header: string };
export type UsagePlaces =
  | { readonly inputTokens?: string | undefined; readonly outputTokens?: string | undefined }
  | AuthorFunction<[body: unknown], Partial<Usage> | undefined>;

/** JSON as it is. */
type JsonGiven = Readonly<Record<string, unknown>> | readonly unknown[];

/** Names and values of header fields. */
type Fields = Readonly<Record<string, string>>;

/** A function to whose parameters its author gives the types that are known of them. */
type AuthorFunction<Given extends readonly unknown[], Gives = unknown> = {
  call(...given: Given): Gives;
}['call'];
