import { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import { errorTexts } from '../protocol/chat-messaging/api.ts';
import { operations, type Operation } from '../protocol/protocol.ts';
import { closedObject } from './closed-object.ts';
import { duration, readDuration, type Duration } from './duration.ts';
import { kindSchema, type KindOptions, type KindRow } from './embedded-kinds.ts';
import {
  countGiven,
  refuseTiming,
  settleTiming,
  timingFields,
  type SettledTiming,
  type StrikeTimingOptions,
} from './embedded-timing.ts';

const timing = { ...timingFields, on: z.enum(operations).prefault('message') };

/** One kind of fault: how it is described and read, and what the service does under it. */
interface FaultRow<Fields extends z.ZodRawShape, Settled extends object> extends KindRow<Fields> {
  example: NoInfer<z.input<z.ZodObject<Fields & typeof timing>>>;
  /** The fields as the plan and results hold them; without it they are as read. */
  settle?: (read: z.output<z.ZodObject<Fields>>) => Settled;
  effect: (settled: Settled) => Doing;
}

/** What the service does under a fault. */
type Doing = WholeDoing | StreamDoing;

type WholeDoing =
  /** Answers before any work: with `body` as it is, else with this error text. */
  | { does: 'answer'; status: number; error: string; body: string | null; retryAfter: SettledRetryAfter | null }
  /** Ends the connection before a response, or never answers. */
  | { does: 'end'; outcome: 'reset' | 'closed' | 'hung' }
  /** The work is done; half of the declared body is sent, or half of it as the whole. */
  | { does: 'cut' | 'malformed' }
  | { does: 'break'; breaks: ContractBreak }
  /** The work is done; silence for that long, then the reply. */
  | { does: 'hold'; forMs: Ms };

/** Only replies in pieces show these. `afterEvents`: how many pieces come first; `null`: half of them. */
type StreamDoing = { afterEvents: number | null } & StreamAct;
type StreamAct =
  | { does: 'stop'; end: 'reset' | 'whole'; error?: (typeof streamErrors)[keyof typeof streamErrors] }
  | { does: 'stall'; forMs: Ms }
  | { does: 'duplicate' | 'swap' | 'drop' }
  | { does: 'leave_out_done' | 'buffer' };

/** Another session's id, no `response`, `isSession` false, `success` false, or JSON that is no object. A creation only lacks its id. */
export type ContractBreak = (typeof contractBreaks)[number];
const contractBreaks = ['other_session', 'missing_response', 'not_session', 'not_success', 'not_object'] as const;

/** The errors within a reply in pieces, by the `type` of the fault. */
const streamErrors = {
  server: { status: 500, message: 'The server had an error while it made the reply' },
  overloaded: { status: 529, message: 'Overloaded' },
  rate_limit: { status: 429, message: 'Too many requests' },
  quota: { status: 429, message: 'The quota is used up', code: 'insufficient_quota' },
} as const;

export type SettledRetryAfter = { kind: 'text'; text: string } | { kind: 'date'; inMs: Ms };

/** A length of time (sent as whole seconds, rounded up), a date that far ahead, or a literal header text such as `'soon'` or `'-1'`. */
const retryAfter = z
  .union(
    [
      closedObject({ dateIn: duration }).transform(({ dateIn }): SettledRetryAfter => ({ kind: 'date', inMs: dateIn })),
      z
        .union([z.string().regex(/^[\x20-\x7e]*$/), z.number().min(0)])
        .transform((value): SettledRetryAfter => ({ kind: 'text', text: headerText(value) })),
    ],
    { error: "expected a duration such as '2s', { dateIn: '2s' }, or a header text of visible ASCII characters" },
  )
  .optional()
  .transform((value) => value ?? null);

function headerText(value: string | number): string {
  const length = readDuration(value);
  return length === undefined ? String(value) : String(Math.ceil(length / 1000));
}

const status = (from: number, to: number) => z.int().min(from).max(to);
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.optional().transform((value) => value ?? null);
const afterEvents = orNull(z.int().min(0));

const row = <Fields extends z.ZodRawShape, Settled extends object = z.output<z.ZodObject<Fields>>>(
  given: FaultRow<Fields, Settled>,
) => given;

type Example = z.input<z.ZodObject<typeof timing>>;

/** A fault without fields of its own. */
const plain = (meaning: string, doing: Doing, example: Example = { share: 0.01 }) =>
  row({ meaning, example, fields: {}, effect: () => doing });

/** A fault at a place in a reply in pieces. */
const placed = (meaning: string, act: StreamAct, example: Example & { afterEvents?: number } = { share: 0.01 }) =>
  row({ meaning, example, fields: { afterEvents }, effect: (settled) => ({ ...settled, ...act }) });

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
    meaning: "The work is done; the reply comes after `for`, or with `until: 'windowEnd'` at the end of the window",
    example: { until: 'windowEnd', window: { from: '20s', to: '25s' } },
    fields: { for: duration.optional(), until: z.literal('windowEnd').optional() },
    settle: ({ for: forMs = ms(0) }) => ({ forMs }),
    effect: ({ forMs }) => ({ does: 'hold', forMs }),
  }),
  contract: row({
    meaning: 'The work is done; 200 with a body that breaks the contract in the way of `breaks`',
    example: { breaks: 'other_session', share: 0.01 },
    fields: { breaks: z.enum(contractBreaks) },
    effect: ({ breaks }) => ({ does: 'break', breaks }),
  }),
  reset: plain('The connection is reset before a response', { does: 'end', outcome: 'reset' }),
  close: plain('The connection is closed before a response', { does: 'end', outcome: 'closed' }),
  cut: plain('The work is done; the reply breaks off half-way', { does: 'cut' }),
  hang: plain('No answer, until the client goes away', { does: 'end', outcome: 'hung' }, { every: 100 }),
  malformed: plain('The work is done; 200 with a body that is not JSON', { does: 'malformed' }),
};

function answer(
  status: number,
  error: string,
  { body = null, retryAfter }: { body?: string | null; retryAfter: SettledRetryAfter | null },
): WholeDoing {
  return { does: 'answer', status, error, body, retryAfter };
}

/** What goes wrong in a reply in pieces, in the order of `/stats`. */
export const streamFaults = {
  stream_cut: placed(
    'A reply in pieces: the connection is reset after `afterEvents` of them, by default half',
    { does: 'stop', end: 'reset' },
    { afterEvents: 3, share: 0.01 },
  ),
  stream_end: placed("It ends after `afterEvents` pieces, properly in HTTP, but without the API's end", {
    does: 'stop',
    end: 'whole',
  }),
  stream_duplicate: placed(
    'The piece after `afterEvents` is sent twice',
    { does: 'duplicate' },
    { afterEvents: 1, share: 0.01 },
  ),
  stream_swap: placed(
    'The two pieces after `afterEvents` come the other way round',
    { does: 'swap' },
    { afterEvents: 0, share: 0.01 },
  ),
  stream_drop: placed('The piece after `afterEvents` is left out', { does: 'drop' }, { afterEvents: 1, share: 0.01 }),
  stream_stall: row({
    meaning: 'Silence for `for` after `afterEvents` pieces, then the rest',
    example: { for: '5s', afterEvents: 3, share: 0.01 },
    fields: { for: duration, afterEvents },
    settle: ({ for: forMs, afterEvents }) => ({ afterEvents, forMs }),
    effect: ({ afterEvents, forMs }) => ({ afterEvents, does: 'stall', forMs }),
  }),
  stream_error: row({
    meaning:
      'An error event in place of the rest, after `afterEvents` pieces; `type` is `server`, `overloaded`, `rate_limit` or `quota`',
    example: { type: 'rate_limit', share: 0.01 },
    fields: { type: z.enum(typesOf(streamErrors)).prefault('server'), afterEvents },
    effect: ({ afterEvents, type }) => ({ afterEvents, does: 'stop', end: 'whole', error: streamErrors[type] }),
  }),
  stream_no_done: plain('Chat completions: `data: [DONE]` is missing at the end', {
    afterEvents: null,
    does: 'leave_out_done',
  }),
  stream_buffered: plain('All events come in one write at the end, as from a proxy that buffers', {
    afterEvents: null,
    does: 'buffer',
  }),
};

function typesOf<Errors extends object>(errors: Errors): (keyof Errors & string)[] {
  return Object.keys(errors) as (keyof Errors & string)[];
}

/** Everything that the service can do wrong in the open. */
export const faultTable = { ...wholeFaults, ...streamFaults };

type FaultKind = keyof typeof faultTable;
export type StreamFaultKind = keyof typeof streamFaults;
export type StreamFaultOptions = KindOptions<typeof streamFaults>;

/**
 * What the embedded service does wrong, and when. Only what would have been answered well is struck:
 * a message refused for its key, its fields, its agent or its session is never hit by faults. Where several faults
 * strike, the first of the list happens.
 */
export type FaultOptions = FaultKindOptions & FaultTimingOptions;

type FaultKindOptions =
  | Exclude<KindOptions<typeof wholeFaults>, { kind: 'stall' }>
  | { kind: 'stall'; for: Duration }
  /** A frozen service: every reply that would be given inside the window, an error too, is given at its end. */
  | { kind: 'stall'; until: 'windowEnd' }
  /** Only in replies in pieces. */
  | StreamFaultOptions;

export interface FaultTimingOptions extends StrikeTimingOptions {
  /** What is struck: messages, unless it says creations. Default `'message'`. */
  on?: Operation;
}

/** A fault as read: JSON-safe, every default filled in. The fields of `effect` are those that its row settles. */
export interface SettledFault extends SettledTiming {
  on: Operation;
  effect: { kind: FaultKind | 'freeze' };
}

const anyFault = kindSchema(faultTable, timing);
type ReadFault = z.output<typeof anyFault>;

/** The schema of one fault: takes `FaultOptions`, gives `SettledFault`. */
export const faultOptions: z.ZodType<SettledFault, FaultOptions> = anyFault
  .superRefine(refuseNonsense)
  .transform((fault): SettledFault => ({
    ...settleTiming(fault),
    on: fault.on,
    effect: fault.kind === 'stall' && fault.until !== undefined ? { kind: 'freeze' } : settleEffect(fault),
  }));

function refuseNonsense(fault: ReadFault, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  refuseTiming(fault, context);
  if (fault.kind in streamFaults && fault.on === 'create') refuse('on', 'only messages are answered in pieces');
  if (fault.kind !== 'stall') return;
  if (countGiven(fault.for, fault.until) !== 1) refuse('for', "a stall has either for: '2s' or until: 'windowEnd'");
  if (fault.until === undefined) return;
  if (fault.window?.to === undefined) refuse('window', "until: 'windowEnd' needs a window with from and to");
  if (countGiven(fault.share, fault.every, fault.first) > 0)
    refuse('until', 'a frozen service holds every reply: leave out share, every and first');
}

/** The rows without their types: fields of one kind go only to the functions of the same kind. */
const rows: Readonly<Record<FaultKind, UntypedRow>> = faultTable;
interface UntypedRow extends KindRow {
  settle?: (read: never) => object;
  effect: (settled: never) => Doing;
}

function settleEffect({ kind, ...read }: ReadFault): SettledFault['effect'] {
  const { fields, settle } = rows[kind];
  const own = Object.fromEntries(Object.entries(read).filter(([name]) => name in fields));
  return { ...(kind in streamFaults && { afterEvents: null }), kind, ...(settle?.(own as never) ?? own) };
}

/** What the service does under a fault, with the kind of the fault. */
export type FaultEffect = WholeEffect | StreamEffect;
type WholeEffect = WholeDoing & { kind: FaultKind };
/** Of a fault that only a reply in pieces shows. */
export type StreamEffect = StreamDoing & { kind: StreamFaultKind };

/** The effect of a fault as read; `undefined` for a freeze, which holds every reply. */
export function effectOf({ effect: { kind, ...settled } }: SettledFault): FaultEffect | undefined {
  return kind === 'freeze' ? undefined : ({ kind, ...rows[kind].effect(settled as never) } as FaultEffect);
}

/** Whether a fault is one of those that only a reply in pieces shows. */
export function isStreamEffect(effect: FaultEffect): effect is StreamEffect {
  return 'afterEvents' in effect;
}
