import type { ErrorClass } from '../outcome.ts';
import type { ToolResult, Usage } from '../protocol.ts';
import type { UsageForm } from '../usage.ts';

/** A chat API as its author describes it. `Length` is the form of a duration; as read, milliseconds. */
export interface ApiDefinition<Length = number> {
  /** Name in results and messages; letters, digits and `-`. Default `'defined'`. */
  readonly name?: string | undefined;
  /** Keeper of the conversation: the service, or the client, which sends it again with every turn. Default `'service'`. */
  readonly history?: 'service' | 'client' | undefined;
  /** Returns the header fields with the key. Default `Authorization: Bearer KEY`. */
  readonly authorize?: ((apiKey: string) => Fields) | undefined;
  /** True if a session sends back its cookies. Default `false`. */
  readonly cookies?: boolean | undefined;
  /** Creation of a session. If omitted, a session begins with its first message. */
  readonly createSession?: CreationDefinition | undefined;
  /** Request of a turn. */
  readonly message: MessageDefinition;
  /** Contents of a non-streamed reply, and their paths. If omitted, the API only streams, and `target.stream` is true. */
  readonly reply?: ReplyDefinition | undefined;
  /** Polling for a delayed reply; only for non-streamed replies. */
  readonly poll?: PollDefinition<Length> | undefined;
  /** Contents of a streamed reply; required by `target.stream`. */
  readonly stream?: StreamDefinition | undefined;
  /** Returns the class of an error response if its status does not decide it; `undefined`: the status decides. Receives every non-streamed response; `body` is its JSON, or its text if it is not JSON. */
  readonly errors?: AuthorFunction<[status: number, body: unknown], ErrorClass | undefined> | undefined;
}

export interface CreationDefinition {
  /** Default `'POST'`. */
  readonly method?: string | undefined;
  /** Path below the base URL; `{{agentId}}` is replaced by the agent. */
  readonly path: string;
  /** Fields besides `Content-Type` and `Accept`, or in their place. */
  readonly headers?: Fields | undefined;
  /** JSON to send, or a function that returns it. Default `{}`. */
  readonly body?: JsonGiven | ((parts: { readonly agentId: string }) => unknown) | undefined;
  /** Path of the session's id. May be omitted with `cookies`: the cookies are the session. */
  readonly sessionId?: ValuePath | undefined;
}

export interface MessageDefinition {
  /** Default `'POST'`. */
  readonly method?: string | undefined;
  /** Path below the base URL; `{{sessionId}}` and `{{agentId}}` are replaced by the ids, encoded for a path. */
  readonly path: string | ((parts: MessageParts) => string);
  /** Fields besides `Content-Type` and `Accept`, or in their place; `{{sessionId}}` and `{{agentId}}` are replaced by the ids. */
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

export interface ReplyDefinition {
  /** The agent's text. */
  readonly text: BodyPath;
  /** Unique id of the reply. */
  readonly id?: BodyPath | undefined;
  /** The id of the session, if replies contain it: later turns use it. */
  readonly sessionId?: BodyPath | undefined;
  /** Token usage. */
  readonly usage?: UsagePaths | undefined;
  /** Name of the model, by which its usage is priced. Default `'model'`, if the reply has that field. */
  readonly model?: BodyPath | undefined;
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
export interface StreamDefinition extends Omit<ReplyDefinition, 'text'> {
  /** The agent's text in an event. */
  readonly text?: EventPath | undefined;
  /** Server-sent events, or a JSON value on every line. */
  readonly format: 'sse' | 'json-lines';
  /** Reasoning, separate from the answer. */
  readonly reasoning?: EventPath | undefined;
  /** The end: a field that is true, the data `'[DONE]'`, the type of an event, or a function. A stream without it is `truncated`. */
  readonly end: EventPath | { readonly event: string };
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
