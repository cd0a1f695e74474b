import type { FailedClass } from '../../src/protocol/outcome.ts';
import type { Usage } from '../../src/protocol/protocol.ts';
import type { TargetOptions } from '../../src/scenario/scenario.ts';

/** A raw response in the form in which the vendor sends it. */
export interface Raw {
  /** Page of the vendor that describes this form. */
  readonly source: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In a text, `#N#` is replaced by the number of the response. With status 101, a text of frames, one per line. */
  readonly body: string | Buffer;
}

/** A cell that cannot exist for a protocol. */
interface NotApplicable {
  readonly notApplicable: string;
  /** Page of the vendor. */
  readonly source: string;
}
export type Cell<Tested> = Tested | NotApplicable;

/** The request of the first message, `Hello`, as it arrives; UUIDs in the body are replaced by `UUID`. */
interface WireRequest {
  /** Default: `POST`; `GET` for an upgrade, whose body is the list of the frames of the first turn. */
  readonly method?: 'GET';
  readonly path: string;
  /** Header fields that identify the client or negotiate the API, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A reply, and what a run reports of it. */
export interface Answered {
  readonly answer: Raw;
  readonly text: string;
  /** Usage of the reply, part by part; `undefined`: not reported. */
  readonly usage: Usage | undefined;
  /** Events with content: text, reasoning or a tool call. */
  readonly contentEvents?: number;
  /** True if the reply contains reasoning. */
  readonly reasoned?: true;
}

/** A response that is not a reply, and its class. */
export interface Refused {
  readonly answer: Raw;
  readonly outcome: FailedClass;
  /** Part of the reason that examples show. */
  readonly detail: string;
  /** Seconds that the response asks the client to wait. */
  readonly retryAfter?: number;
}

interface ToolCalled {
  /** The reply that calls the tool, and the final one. */
  readonly answers: readonly [Raw, Raw];
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Value that the tool returns. */
  readonly returns: unknown;
  /** Part of the next request, which contains the result: found anywhere in its body. */
  readonly sends: object;
}

interface Left {
  /** The beginning of a streamed reply; the service then remains silent. */
  readonly begins: Raw;
  /** Text that the user had read. */
  readonly text: string;
  /** The conversation in the request of the next turn, `Bye`; found anywhere in its body. */
  readonly sends: object;
}

interface Checked {
  /** Peers that break one rule of `check` each. */
  readonly load: () => Promise<BrokenRules>;
}

export interface BrokenRules {
  /** The id of a rule, with a function that opens a service that breaks only this rule, and returns its base URL; a rule may have several. */
  readonly broken: readonly (readonly [rule: string, open: () => Promise<string>])[];
  /** Opens a service that breaks no rule. */
  readonly sound: () => Promise<string>;
  readonly maxExchanges: number;
}

/** The same exchange in both forms of a protocol. */
export interface Forms<Tested> {
  readonly streamed: Cell<Tested>;
  readonly whole: Cell<Tested>;
}

/** A protocol of the gallery: every cell is played by a test, or does not apply. */
export interface GalleryRow {
  /** Fields of the target besides its URL and protocol. */
  readonly target: TargetOptions;
  /** The response that creates a session, or the frames after which a socket is ready. */
  readonly created?: Raw;
  readonly request: Forms<WireRequest>;
  readonly cells: {
    readonly streamed: Cell<Answered>;
    readonly whole: Cell<Answered>;
    readonly 'error inside a 200': Cell<Forms<Refused>>;
    /** A stream that ends early: the end of the response without an end of the reply. */
    readonly 'cut stream': Cell<Raw>;
    readonly refusal: Cell<readonly Refused[]>;
    readonly 'usage in parts': Cell<Forms<Answered>>;
    readonly 'tool call': Cell<Forms<ToolCalled>>;
    readonly 'user who leaves': Cell<Left>;
    /** A refusal that is retried. */
    readonly retry: Cell<Refused>;
    /** A refusal as `try` shows it, after a conversation with the replies of the first two cells. */
    readonly try: Cell<Refused>;
    readonly 'check rules': Cell<Checked>;
  };
}

export type CellName = keyof GalleryRow['cells'];

export function isApplicable<Tested extends object>(cell: Cell<Tested>): cell is Tested {
  return !('notApplicable' in cell);
}

/** Returns a response with a JSON body. */
export function json(source: string, body: unknown, more: Partial<Omit<Raw, 'source' | 'body'>> = {}): Raw {
  return {
    source,
    status: more.status ?? 200,
    headers: { 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify(body, null, 2),
  };
}

/** Returns frames over WebSocket. */
export function frames(source: string, sent: readonly object[]): Raw {
  return { source, status: 101, headers: {}, body: sent.map((frame) => JSON.stringify(frame)).join('\n') };
}

/** Returns a stream of server-sent events; the data of an event is JSON, or a text. */
export function sse(source: string, events: readonly SentEvent[], headers: Raw['headers'] = {}): Raw {
  return {
    source,
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
    body: events.map(writeEvent).join(''),
  };
}

/** The data of an event, or its type and its data. */
type SentEvent = string | object | readonly [type: string, data: string | object];

function writeEvent(event: SentEvent): string {
  const [type, data] = Array.isArray(event) ? (event as [string, string | object]) : ['', event];
  return `${type === '' ? '' : `event: ${type}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
