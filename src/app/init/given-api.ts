/** A request that a user already has: from a curl command, or from an example of an API description. */
export interface GivenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON object; with `fields`, texts by their names. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Place of the fields of `body`, if it is not sent as a JSON object; `text` and `string`: its message is sent alone, as text or in JSON. */
  readonly fields?: 'query' | 'form' | 'multipart' | 'text' | 'string' | undefined;
  /** User and password of Basic credentials. */
  readonly basic?: readonly [user: string, password: string] | undefined;
}

/** An API as known from its requests. Texts may contain variables of the environment, such as `$OPENAI_API_KEY`. */
export interface GivenApi {
  readonly message: GivenRequest;
  /** Creates the session. */
  readonly creation?: GivenRequest | undefined;
  /** Variable of the shell that takes the created id, if the source names it. */
  readonly sessionVariable?: string | undefined;
  /** Position of a session's id in the path, from 0, if the source names it and the client chooses it. */
  readonly sessionSegment?: number | undefined;
  /** True if the path is that of all sessions: the service has refused an id that the client chose. */
  readonly keepsPath?: boolean | undefined;
  /** True if a session sends back its cookies. */
  readonly cookies?: boolean | undefined;
  /** True if replies have to be streamed. */
  readonly stream?: boolean | undefined;
  /** Reply as seen or described; `undefined`: unknown. */
  readonly reply?: SeenReply | undefined;
  /** Answer to the request instead of a reply: a status, or the error that it states. */
  readonly failure?: string | undefined;
  /** Body of the reply to the creation. */
  readonly created?: unknown;
  /** Remarks about parts of the source that were not taken over. */
  readonly notes: readonly string[];
}

/** A reply: its JSON, the events of a stream, or its text. */
export type SeenReply =
  | { readonly json: unknown; readonly isExample?: true }
  | {
      readonly format: 'sse' | 'json-lines' | 'text';
      readonly events: readonly SeenEvent[];
      /** True if the stream ended with an error, so that its usual end is unknown. */
      readonly isCut?: true;
    }
  | { readonly text: string };

export interface SeenEvent {
  readonly type: string;
  /** JSON, or `undefined` for other data. */
  readonly json: unknown;
  readonly data: string;
}

/** Text of examples that a description does not state. */
export const placeholder = 'text';

/** A variable of the environment in a text. */
export const variablePattern = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Describes a number that JavaScript would change. */
export function inexact(number: string): string {
  return `the number ${number}, which JavaScript cannot represent exactly`;
}

export const inexactHint = 'Write it in quotes if the service accepts that, or use another one.';
