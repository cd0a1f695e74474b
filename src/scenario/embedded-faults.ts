import { z } from 'zod';
import { operations, type Operation } from '../protocol/protocol.ts';
import type { Ms } from '../base/time.ts';
import { unknownName } from '../base/unknown-name.ts';
import { closedObject } from './closed-object.ts';
import { duration, readDuration, type Duration } from './duration.ts';
import {
  isStreamFault,
  streamEffectOf,
  streamFaultKinds,
  streamFaultSchemas,
  type StreamFaultEffect,
  type StreamFaultOptions,
} from './embedded-stream-faults.ts';
import {
  countGiven,
  writtenKind,
  refuseTiming,
  settleTiming,
  timingFields,
  type SettledTiming,
  type StrikeTimingOptions,
} from './embedded-timing.ts';

/**
 * What the embedded service does wrong, and when. Only what would have been answered well is struck:
 * a message refused for its key, its fields, its agent or its session is never hit by faults. Where several faults
 * strike, the first of the list happens.
 */
export type FaultOptions = FaultKindOptions & FaultTimingOptions;

interface FaultTimingOptions extends StrikeTimingOptions {
  /** What is struck: messages, unless it says creations. Default `'message'`. */
  on?: Operation;
}

type FaultKindOptions =
  /** 429 from the service itself, before any work. */
  | { kind: 'rate_limited'; retryAfter?: RetryAfterOptions }
  /** 500 with the error text `Internal server error`. */
  | { kind: 'internal_error' }
  /** A 5xx of a gateway: 503 unless `status` says otherwise. */
  | { kind: 'server_error'; status?: number; retryAfter?: RetryAfterOptions }
  /** `Chat provider error` with the provider's status: 503 unless `status` says otherwise. */
  | { kind: 'provider'; status?: number; retryAfter?: RetryAfterOptions }
  /** Any other status; `body` is sent as it is. */
  | { kind: 'http'; status: number; body?: string; retryAfter?: RetryAfterOptions }
  /** The connection is reset before a response. */
  | { kind: 'reset' }
  /** The connection is closed before a response. */
  | { kind: 'close' }
  /** The work is done; half of the declared body is sent, then the connection is closed. */
  | { kind: 'cut' }
  /** No answer ever, until the client goes away. */
  | { kind: 'hang' }
  /** The work is done; silence for that long, then the reply. */
  | { kind: 'stall'; for: Duration }
  /** A frozen service: every reply that would be given inside the window, an error too, is given at its end. */
  | { kind: 'stall'; until: 'windowEnd' }
  /** The work is done; 200 with a body that is not JSON. */
  | { kind: 'malformed' }
  /** The work is done; 200 with a body that breaks the contract in this way. */
  | { kind: 'contract'; breaks: ContractBreak }
  /** Only in replies in pieces. */
  | StreamFaultOptions;

export type FaultKind = FaultKindOptions['kind'];

/** Another session's id, no `response`, `isSession` false, `success` false, or JSON that is no object. A creation only lacks its id. */
export type ContractBreak = (typeof contractBreaks)[number];

/** A length of time (sent as whole seconds, rounded up), a date that far ahead, or a literal header text such as `'soon'` or `'-1'`. */
type RetryAfterOptions = Duration | { dateIn: Duration } | (string & {});

/** A fault as read: JSON-safe, every default filled in. */
export interface SettledFault extends SettledTiming {
  on: Operation;
  effect: FaultEffect;
}

export type FaultEffect =
  | { kind: 'rate_limited'; retryAfter: SettledRetryAfter | null }
  | { kind: 'internal_error' }
  | { kind: 'server_error' | 'provider'; status: number; retryAfter: SettledRetryAfter | null }
  | { kind: 'http'; status: number; body: string | null; retryAfter: SettledRetryAfter | null }
  | { kind: 'reset' | 'close' | 'cut' | 'hang' | 'malformed' }
  | { kind: 'stall'; forMs: Ms }
  | { kind: 'freeze' }
  | { kind: 'contract'; breaks: ContractBreak }
  | StreamFaultEffect;

export type SettledRetryAfter = { kind: 'text'; text: string } | { kind: 'date'; inMs: Ms };

const bareKinds = ['reset', 'close', 'cut', 'hang', 'malformed'] as const;
const faultKinds: readonly FaultKind[] = [
  'rate_limited',
  'internal_error',
  'server_error',
  'provider',
  'http',
  'stall',
  'contract',
  ...bareKinds,
  ...streamFaultKinds,
];
const contractBreaks = ['other_session', 'missing_response', 'not_session', 'not_success', 'not_object'] as const;

const headerValue = z.string().regex(/^[\x20-\x7e]*$/);
const retryAfter = z.union(
  [
    closedObject({ dateIn: duration }).transform(({ dateIn }): SettledRetryAfter => ({ kind: 'date', inMs: dateIn })),
    z
      .union([headerValue, z.number().min(0)])
      .transform((value): SettledRetryAfter => ({ kind: 'text', text: headerText(value) })),
  ],
  { error: "expected a duration such as '2s', { dateIn: '2s' }, or a header text of visible ASCII characters" },
);
const optionalRetryAfter = retryAfter.optional().transform((value) => value ?? null);

function headerText(value: string | number): string {
  const length = readDuration(value);
  return length === undefined ? String(value) : String(Math.ceil(length / 1000));
}

const timing = {
  ...timingFields,
  on: z.enum(operations).prefault('message'),
};

const status = (from: number, to: number) => z.int().min(from).max(to);

const anyFault = z.discriminatedUnion(
  'kind',
  [
    closedObject({ kind: z.literal('rate_limited'), ...timing, retryAfter: optionalRetryAfter }),
    closedObject({ kind: z.literal('internal_error'), ...timing }),
    closedObject({
      kind: z.literal('server_error'),
      ...timing,
      status: status(500, 599).prefault(503),
      retryAfter: optionalRetryAfter,
    }),
    closedObject({
      kind: z.literal('provider'),
      ...timing,
      status: status(300, 599).prefault(503),
      retryAfter: optionalRetryAfter,
    }),
    closedObject({
      kind: z.literal('http'),
      ...timing,
      status: status(202, 599),
      body: z.string().optional(),
      retryAfter: optionalRetryAfter,
    }),
    closedObject({
      kind: z.literal('stall'),
      ...timing,
      for: duration.optional(),
      until: z.literal('windowEnd').optional(),
    }),
    closedObject({ kind: z.literal('contract'), ...timing, breaks: z.enum(contractBreaks) }),
    closedObject({ kind: z.enum(bareKinds), ...timing }),
    ...streamFaultSchemas(timing),
  ],
  { error: (issue) => unknownName('kind', writtenKind(issue.input), faultKinds) },
);
type ReadFault = z.output<typeof anyFault>;

/** The schema of one fault: takes `FaultOptions`, gives `SettledFault`. */
export const faultOptions = anyFault.superRefine(refuseNonsense).transform((fault): SettledFault => ({
  ...settleTiming(fault),
  on: fault.on,
  effect: effectOf(fault),
}));

function refuseNonsense(fault: ReadFault, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  refuseTiming(fault, context);
  if (isStreamFault(fault) && fault.on === 'create') refuse('on', 'only messages are answered in pieces');
  if (fault.kind !== 'stall') return;
  if (countGiven(fault.for, fault.until) !== 1) refuse('for', "a stall has either for: '2s' or until: 'windowEnd'");
  if (fault.until === undefined) return;
  if (fault.window?.to === undefined) refuse('window', "until: 'windowEnd' needs a window with from and to");
  if (countGiven(fault.share, fault.every, fault.first) > 0)
    refuse('until', 'a frozen service holds every reply: leave out share, every and first');
}

function effectOf(fault: ReadFault): FaultEffect {
  if (isStreamFault(fault)) return streamEffectOf(fault);
  switch (fault.kind) {
    case 'rate_limited':
      return { kind: fault.kind, retryAfter: fault.retryAfter };
    case 'server_error':
    case 'provider':
      return { kind: fault.kind, status: fault.status, retryAfter: fault.retryAfter };
    case 'http':
      return { kind: fault.kind, status: fault.status, body: fault.body ?? null, retryAfter: fault.retryAfter };
    case 'stall':
      return fault.for === undefined ? { kind: 'freeze' } : { kind: 'stall', forMs: fault.for };
    case 'contract':
      return { kind: fault.kind, breaks: fault.breaks };
    default:
      return { kind: fault.kind };
  }
}
