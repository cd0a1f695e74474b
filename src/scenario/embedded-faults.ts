import { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import { errorTexts } from '../protocol/chat-messaging/api.ts';
import { operations, type Operation } from '../protocol/protocol.ts';
import { duration, type Duration } from './duration.ts';
import { afterEvents, closeCode, orNull, retryAfter, status, type ResolvedRetryAfter } from './fault-fields.ts';
import { kindSchema, type KindOptions, type KindRow } from './embedded-kinds.ts';
import {
  countGiven,
  checkTiming,
  resolveTiming,
  timingFields,
  type ResolvedTiming,
  type StrikeTimingOptions,
} from './embedded-timing.ts';

const timing = { ...timingFields, on: z.enum(operations).prefault('message') };

/** A kind of fault: its description, its fields, and its effect on the service. */
interface FaultRow<Fields extends z.ZodRawShape, Resolved extends object> extends KindRow<Fields> {
  example: NoInfer<z.input<z.ZodObject<Fields & typeof timing>>>;
  /** The fields as in the plan and in results; if omitted, they are as read. */
  resolve?: (read: z.output<z.ZodObject<Fields>>) => Resolved;
  effect: (resolved: Resolved) => Doing;
}

/** Behaviour of the service under a fault. */
type Doing = WholeDoing | StreamDoing;

type WholeDoing =
  /** Answers before any work: with `body` if set, otherwise with this error text. */
  | { does: 'answer'; status: number; error: string; body: string | null; retryAfter: ResolvedRetryAfter | null }
  /** Ends the connection before a response, or never answers. */
  | { does: 'end'; outcome: 'reset' | 'closed' | 'hung' }
  /** The work is done; sends half of the declared body (`cut`), or declares half of it as the whole (`malformed`). */
  | { does: 'cut' | 'malformed' }
  | { does: 'break'; breaks: ContractBreak }
  /** The work is done; silent for this time, then the reply. */
  | { does: 'hold'; forMs: Ms };

/** Faults of streamed replies only. `afterEvents`: number of content events before it; `null`: half of them. */
type StreamDoing = { afterEvents: number | null } & StreamAct;
type StreamAct =
  | { does: 'stop'; end: 'reset' | 'whole' | SocketEnd; error?: (typeof streamErrors)[keyof typeof streamErrors] }
  | { does: 'stall'; forMs: Ms }
  | { does: 'duplicate' | 'swap' | 'drop' }
  | { does: 'leave_out_done' | 'buffer' }
  | { does: 'pings'; count: number }
  | { does: 'foreign' };

/** Ends that only a WebSocket has: a close frame, the first half of a frame before the connection ends, or text that is not UTF-8. */
export type SocketEnd = { code: number } | 'half_frame' | 'not_utf8';

/** Another session's id, no `response`, `isSession` false, `success` false, or JSON that is not an object. A creation only lacks its id. */
export type ContractBreak = (typeof contractBreaks)[number];
const contractBreaks = ['other_session', 'missing_response', 'not_session', 'not_success', 'not_object'] as const;

/** Errors within a streamed reply, by the `type` of the fault. */
const streamErrors = {
  server: { status: 500, message: 'The server had an error while generating the reply' },
  overloaded: { status: 529, message: 'Overloaded' },
  rate_limit: { status: 429, message: 'Too many requests' },
  quota: { status: 429, message: 'The quota is used up', code: 'insufficient_quota' },
} as const;

const row = <Fields extends z.ZodRawShape, Resolved extends object = z.output<z.ZodObject<Fields>>>(
  given: FaultRow<Fields, Resolved>,
) => given;

type Example = z.input<z.ZodObject<typeof timing>>;

/** Declares a fault without further fields. */
const plain = (meaning: string, doing: Doing, example: Example = { share: 0.01 }) =>
  row({ meaning, example, fields: {}, effect: () => doing });

/** Declares a fault at a position in a streamed reply. */
const placed = (meaning: string, act: StreamAct, example: Example & { afterEvents?: number } = { share: 0.01 }) =>
  row({ meaning, example, fields: { afterEvents }, effect: (resolved) => ({ ...resolved, ...act }) });

const wholeFaults = {
  rate_limited: row({
    meaning: '429 before any work, with `Retry-After` if configured',
    example: { share: 0.05, retryAfter: '2s' },
    fields: { retryAfter },
    effect: ({ retryAfter }) => answer(429, 'Too many requests', { retryAfter }),
  }),
  internal_error: plain('500 `Internal server error`', answer(500, errorTexts.internal, { retryAfter: null }), {
    first: 3,
  }),
  server_error: row({
    meaning: 'A 5xx of a gateway, by default 503',
    example: { status: 502, every: 10 },
    fields: { status: status(500, 599).prefault(503), retryAfter },
    effect: ({ status, retryAfter }) => answer(status, 'Service unavailable', { retryAfter }),
  }),
  provider: row({
    meaning: '`Chat provider error` with the status of the provider, by default 503',
    example: { status: 429, share: 0.02, retryAfter: { dateIn: '5s' } },
    fields: { status: status(300, 599).prefault(503), retryAfter },
    effect: ({ status, retryAfter }) => answer(status, errorTexts.provider, { retryAfter }),
  }),
  http: row({
    meaning: 'Any other status; `body` is sent as it is',
    example: { status: 404, on: 'create' },
    fields: { status: status(202, 599), body: orNull(z.string()), retryAfter },
    effect: ({ status, body, retryAfter }) => answer(status, `Status ${String(status)}`, { body, retryAfter }),
  }),
  stall: row({
    meaning: "The work is done; the reply is sent after `for`, or with `until: 'windowEnd'` at the end of the window",
    example: { until: 'windowEnd', window: { from: '20s', to: '25s' } },
    fields: { for: duration.optional(), until: z.literal('windowEnd').optional() },
    resolve: ({ for: forMs = ms(0) }) => ({ forMs }),
    effect: ({ forMs }) => ({ does: 'hold', forMs }),
  }),
  contract: row({
    meaning: 'The work is done; 200 with a body that violates the contract as `breaks` defines',
    example: { breaks: 'other_session', share: 0.01 },
    fields: { breaks: z.enum(contractBreaks) },
    effect: ({ breaks }) => ({ does: 'break', breaks }),
  }),
  reset: plain('The connection is reset before a response', { does: 'end', outcome: 'reset' }),
  close: plain('The connection is closed before a response', { does: 'end', outcome: 'closed' }),
  cut: plain('The work is done; the connection ends half-way through the reply', { does: 'cut' }),
  hang: plain('No answer until the client disconnects', { does: 'end', outcome: 'hung' }, { every: 100 }),
  malformed: plain('The work is done; 200 with a body that is not valid JSON', { does: 'malformed' }),
};

function answer(
  status: number,
  error: string,
  { body = null, retryAfter }: { body?: string | null; retryAfter: ResolvedRetryAfter | null },
): WholeDoing {
  return { does: 'answer', status, error, body, retryAfter };
}

/** Faults of replies over WebSocket. */
const socketFaults = {
  socket_close: row({
    meaning: 'WebSocket: a close frame with `code` after `afterEvents` content events',
    example: { code: 1012, afterEvents: 0, share: 0.01 },
    fields: { code: closeCode, afterEvents },
    effect: ({ code, afterEvents }) => ({ afterEvents, does: 'stop', end: { code } }),
  }),
  socket_half_frame: placed('WebSocket: the connection ends within a frame', { does: 'stop', end: 'half_frame' }),
  socket_not_utf8: placed('WebSocket: a text frame that is not UTF-8', { does: 'stop', end: 'not_utf8' }),
  socket_pings: row({
    meaning: 'WebSocket: `count` pings before a content event, by default 100',
    example: { count: 1000, share: 0.01 },
    fields: { count: z.int().min(1).max(100_000).prefault(100), afterEvents },
    effect: ({ count, afterEvents }) => ({ afterEvents, does: 'pings', count }),
  }),
  socket_foreign: placed('`/v1/socket`: a reply to another message between two content events', { does: 'foreign' }),
};

/** Faults of streamed replies, in the order of `/stats`. */
export const streamFaults = {
  stream_cut: placed(
    'Streamed reply: the connection is reset after `afterEvents` content events, by default half of them',
    { does: 'stop', end: 'reset' },
    { afterEvents: 3, share: 0.01 },
  ),
  stream_end: placed(
    "The reply ends after `afterEvents` content events: complete in HTTP, without the API's terminator",
    { does: 'stop', end: 'whole' },
  ),
  stream_duplicate: placed(
    'The content event after `afterEvents` is sent twice',
    { does: 'duplicate' },
    { afterEvents: 1, share: 0.01 },
  ),
  stream_swap: placed(
    'The two content events after `afterEvents` are sent in reverse order',
    { does: 'swap' },
    { afterEvents: 0, share: 0.01 },
  ),
  stream_drop: placed(
    'The content event after `afterEvents` is dropped',
    { does: 'drop' },
    { afterEvents: 1, share: 0.01 },
  ),
  stream_stall: row({
    meaning: 'Silence for `for` after `afterEvents` content events, then the remaining ones',
    example: { for: '5s', afterEvents: 3, share: 0.01 },
    fields: { for: duration, afterEvents },
    resolve: ({ for: forMs, afterEvents }) => ({ afterEvents, forMs }),
    effect: ({ afterEvents, forMs }) => ({ afterEvents, does: 'stall', forMs }),
  }),
  stream_error: row({
    meaning:
      'An error event replaces the remaining content after `afterEvents` content events; `type` is `server`, `overloaded`, `rate_limit` or `quota`',
    example: { type: 'rate_limit', share: 0.01 },
    fields: { type: z.enum(typesOf(streamErrors)).prefault('server'), afterEvents },
    effect: ({ afterEvents, type }) => ({ afterEvents, does: 'stop', end: 'whole', error: streamErrors[type] }),
  }),
  stream_no_done: plain('Chat completions: `data: [DONE]` is missing at the end', {
    afterEvents: null,
    does: 'leave_out_done',
  }),
  stream_buffered: plain('All events are sent in one write at the end, as by a buffering proxy', {
    afterEvents: null,
    does: 'buffer',
  }),
  ...socketFaults,
};

function typesOf<Errors extends object>(errors: Errors): (keyof Errors & string)[] {
  return Object.keys(errors) as (keyof Errors & string)[];
}

/** All faults of the service that clients can detect. */
export const faultTable = { ...wholeFaults, ...streamFaults };

type FaultKind = keyof typeof faultTable;
export type StreamFaultKind = keyof typeof streamFaults;
export type StreamFaultOptions = KindOptions<typeof streamFaults>;

/**
 * Faults of the embedded service, and when they apply. They only apply to requests that would have succeeded: a message
 * rejected for its key, its fields, its agent or its session is never affected. If several faults apply, the first of
 * the list takes effect.
 */
export type FaultOptions = FaultKindOptions & FaultTimingOptions;

type FaultKindOptions =
  | Exclude<KindOptions<typeof wholeFaults>, { kind: 'stall' }>
  | { kind: 'stall'; for: Duration }
  /** A frozen service: every reply due inside the window, errors included, is sent at its end. */
  | { kind: 'stall'; until: 'windowEnd' }
  /** Only in streamed replies. */
  | StreamFaultOptions;

export interface FaultTimingOptions extends StrikeTimingOptions {
  /** Operation that is affected: messages or creations. Default `'message'`. */
  on?: Operation;
}

/** A fault as read: JSON-safe, with all defaults. Its row defines the fields of `effect`. */
export interface ResolvedFault extends ResolvedTiming {
  on: Operation;
  effect: { kind: FaultKind | 'freeze' };
}

const anyFault = kindSchema(faultTable, timing);
type ReadFault = z.output<typeof anyFault>;

/** The schema of one fault: accepts `FaultOptions`, returns `ResolvedFault`. */
export const faultOptions: z.ZodType<ResolvedFault, FaultOptions> = anyFault
  .superRefine(refuseNonsense)
  .transform((fault): ResolvedFault => ({
    ...resolveTiming(fault),
    on: fault.on,
    effect: fault.kind === 'stall' && fault.until !== undefined ? { kind: 'freeze' } : resolveEffect(fault),
  }));

/** The schema of one fault of the model service, which does not speak WebSocket. */
export const modelFaultOptions = faultOptions.refine(({ effect }) => !(effect.kind in socketFaults), {
  error: 'only affects WebSockets of the embedded service: set it in `embedded.faults`',
});

function refuseNonsense(fault: ReadFault, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  checkTiming(fault, context);
  if (fault.kind in streamFaults && fault.on === 'create') refuse('on', 'only messages have streamed replies');
  if (fault.kind !== 'stall') return;
  if (countGiven(fault.for, fault.until) !== 1) refuse('for', "a stall has either for: '2s' or until: 'windowEnd'");
  if (fault.until === undefined) return;
  if (fault.window?.to === undefined) refuse('window', "until: 'windowEnd' needs a window with from and to");
  if (countGiven(fault.share, fault.every, fault.first) > 0)
    refuse('until', 'a frozen service holds every reply: omit share, every and first');
}

/** The rows without their types, because the fields of a kind are only passed to the functions of that kind. */
const rows: Readonly<Record<FaultKind, UntypedRow>> = faultTable;
interface UntypedRow extends KindRow {
  resolve?: (read: never) => object;
  effect: (resolved: never) => Doing;
}

function resolveEffect({ kind, ...read }: ReadFault): ResolvedFault['effect'] {
  const { fields, resolve } = rows[kind];
  const own = Object.fromEntries(Object.entries(read).filter(([name]) => name in fields));
  return { ...(kind in streamFaults && { afterEvents: null }), kind, ...(resolve?.(own as never) ?? own) };
}

/** Behaviour of the service under a fault, with the fault's kind. */
export type FaultEffect = WholeEffect | StreamEffect;
type WholeEffect = WholeDoing & { kind: FaultKind };
/** Effect of a fault of streamed replies. */
export type StreamEffect = StreamDoing & { kind: StreamFaultKind };

/** Returns the effect of a fault as read; `undefined` for a freeze, which holds every reply. */
export function effectOf({ effect: { kind, ...resolved } }: ResolvedFault): FaultEffect | undefined {
  return kind === 'freeze' ? undefined : ({ kind, ...rows[kind].effect(resolved as never) } as FaultEffect);
}

/** Reports whether a fault only affects streamed replies. */
export function isStreamEffect(effect: FaultEffect): effect is StreamEffect {
  return 'afterEvents' in effect;
}

/** Reports whether a fault only affects replies over WebSocket. */
export function isSocketEffect({ kind }: FaultEffect): boolean {
  return kind in socketFaults;
}
