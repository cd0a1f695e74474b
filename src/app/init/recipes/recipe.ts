import type { Finish } from '../../../protocol/finish.ts';
import type { ErrorClass } from '../../../protocol/outcome.ts';
import type { HeaderFields } from '../../../protocol/protocol.ts';

/** A known bot: its definition, the commands by which it is recognized, its part of the docs, and responses for tests. */
export interface Recipe {
  /** Name in results. */
  readonly name: string;
  readonly title: string;
  /** Public description of the API. */
  readonly docs: string;
  /** Paragraph of docs/guides/bots.md. */
  readonly text: string;
  /** Commands that hold a conversation, as the docs of the bot or a browser show them. */
  readonly curl: string;
  /** Returns the call of `defineProtocol`, by the code of the bodies: of the function of a message, and of the creation of a session. */
  readonly definition: (body: string, creation: string) => string;
  readonly message: RequestShape;
  /** Request that creates the session, if a command shows it. */
  readonly creation?: RequestShape;
  /** True if messages alone do not name the bot: the command that creates the session does. */
  readonly needsCreation?: true;
  /** True if the key is that of the creation, whose reply contains the key of the messages. */
  readonly usesKeyOfCreation?: true;
  /** Body of the creation, unless a command shows it. */
  readonly creationBody?: Readonly<Record<string, unknown>>;
  /** Code of the fields that differ between turns or sessions, by their paths in the body. */
  readonly computed: Readonly<Record<string, string>>;
  /** Path of the message in the body. If omitted, it is found by names. */
  readonly messageAt?: string;
  /** True if the client keeps the history if a request has a list of messages and no id of a session; `body` is then a function of `messages`. */
  readonly mayKeepHistory?: true;
  /** Path of the agent or the model in the body, unless the path of the URL names it. */
  readonly agentAt?: string;
  /** Field of every non-streamed reply, if only a reply shows whether replies are streamed. */
  readonly replyKey?: string;
  /** Reports whether a request requires a streamed reply. */
  readonly streams: (body: Readonly<Record<string, unknown>>, path: string) => boolean;
  /** Header fields of the key, if not `Authorization: Bearer KEY`. */
  readonly authorize?: (apiKey: string) => HeaderFields;
  /** Responses to the requests that create a session. */
  readonly created?: readonly RawResponse[];
  /** Response to each message, if it is only an acknowledgement: the replies below are then polled. */
  readonly acknowledged?: RawResponse;
  /** Text of the replies below. */
  readonly expected: string;
  readonly whole?: Responses;
  readonly streamed?: Responses;
}

/** The form of a request. */
export interface RequestShape {
  /** Ends of the path, in which `{agentId}` is the agent and `*` any segment. */
  readonly paths: readonly string[];
  /** Fields that the body has. */
  readonly keys: readonly string[];
  /** Names of parameters of the query that the definition replaces. */
  readonly query?: readonly string[];
  /** Reports whether the body is one of this bot, if its keys are common. */
  readonly accepts?: (body: Readonly<Record<string, unknown>>) => boolean;
}

/** A reply as the bot sends it, and an error. */
interface Responses {
  readonly reply: RawResponse;
  readonly error?: RawResponse & { readonly outcome: ErrorClass };
  /** Replies that end otherwise. */
  readonly others?: readonly (RawResponse &
    ({ readonly outcome: ErrorClass } | { readonly text: string; readonly finish: Finish }))[];
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns a response in JSON. */
export function jsonResponse(value: unknown, status = 200): RawResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Returns a response with server-sent events. */
export function sseResponse(body: string): RawResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
}
