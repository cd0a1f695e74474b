import { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';

export const lengthMs = z
  .number()
  .min(0)
  .transform((value): Ms => ms(value));
const distribution = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), ms: lengthMs }),
  z.object({ kind: z.literal('uniform'), minMs: lengthMs, maxMs: lengthMs }),
  z.object({ kind: z.literal('lognormal'), medianMs: lengthMs, sigma: z.number() }),
  z.object({ kind: z.literal('exponential'), meanMs: lengthMs }),
]);

const turnLaw = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), turns: z.int().min(1) }),
  z.object({ kind: z.literal('uniform'), min: z.int().min(1), max: z.int().min(1) }),
  z.object({ kind: z.literal('normal'), mean: z.number(), sd: z.number() }),
  z.object({
    kind: z.literal('weights'),
    ranges: z.array(z.object({ min: z.int(), max: z.int(), weight: z.number() })),
  }),
]);

/** A stretch of the load in which the level runs linearly `from` one value `to` another; the last one never ends. */
const segment = z.object({
  startMs: lengthMs,
  /** `null`: until the run ends. */
  endMs: lengthMs.nullable(),
  from: z.number(),
  to: z.number(),
});

const arrivals = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant') }),
  /** Gaps with a coefficient of variation of 1/sqrt(burstiness); Poisson is burstiness 1. */
  z.object({ kind: z.literal('gamma'), burstiness: z.number() }),
]);

const load = z.discriminatedUnion('model', [
  /** Levels are sessions at a time. */
  z.object({ model: z.literal('closed'), segments: z.array(segment), maxTurnsInFlight: z.int().nullable() }),
  /** Levels are sessions per second. */
  z.object({
    model: z.literal('open'),
    segments: z.array(segment),
    arrivals,
    maxConcurrency: z.int().nullable(),
    whenFull: z.enum(['wait', 'drop']),
    maxTurnsInFlight: z.int().nullable(),
  }),
]);

const retryPolicy = z.object({
  name: z.string(),
  maxAttempts: z.int(),
  classes: z.array(z.string()),
  baseMs: lengthMs,
  factor: z.number(),
  capMs: lengthMs,
  jitter: z.enum(['none', 'full', 'equal', 'decorrelated']),
  respectRetryAfter: z.boolean(),
  maxRetryAfterMs: lengthMs,
  /** At most this share of attempts may be retries, over the last `windowMs`; `null`: no budget. */
  budget: z.object({ share: z.number(), windowMs: lengthMs }).nullable(),
});

/** The integrity guard: what it says, when it speaks, and what it looks at in replies. */
const integrity = z.object({
  mode: z.enum(['off', 'listen', 'speak']),
  words: z.object({ remember: z.string(), recall: z.string(), tag: z.string() }),
  /** Dotted path in `data` of the list of turns; `null`: it is not looked at. */
  transcript: z.string().nullable(),
  /** Variable values whose text every reply must hold, and that of no other session. */
  variables: z.array(z.string()),
  /** From how long an idle time on a forgotten code is amnesia. */
  idleMs: lengthMs,
});

/** A named part of the scenario that stays out of documents: only its size and a hash of it are shown. */
const digest = z.object({ count: z.int(), hash: z.string() });

/** The scenario settled: defaults, environment and flags applied. JSON-safe; holds no secret and no message text. */
export const planSchema = z.object({
  name: z.string(),
  /** SHA-256 of the workload and its policies: not of the seed, the target, the gates, labels or output options. */
  hash: z.string(),
  seed: z.int(),
  target: z.object({
    /** `null`: the embedded service, started for the run. */
    baseUrl: z.string().nullable(),
    agentId: z.string(),
    /** Connections start from these in turn; none: the system chooses. */
    localAddresses: z.array(z.string()).default([]),
    createSession: z.object({ path: z.string(), body: z.record(z.string(), z.unknown()), sessionIdFrom: z.string() }),
  }),
  /** How the embedded service behaves; `null` when the target is another. */
  embedded: z.record(z.string(), z.unknown()).nullable(),
  sessions: z.int().nullable(),
  durationMs: lengthMs.nullable(),
  turns: turnLaw,
  load,
  thinkTime: distribution,
  data: z.record(z.string(), digest),
  variableValues: z.record(z.string(), z.object({ hash: z.string() })),
  messages: digest,
  /** The checks of replies, by name. */
  checks: z.record(z.string(), z.object({ hash: z.string() })),
  integrity,
  timeoutMs: lengthMs,
  connectTimeoutMs: lengthMs,
  idleConnectionMs: lengthMs,
  maxHeadBytes: z.int(),
  maxBodyBytes: z.int(),
  warmUpMs: lengthMs,
  gracePeriodMs: lengthMs,
  onFailedTurn: z.enum(['stop', 'continue']),
  /** At least one; sessions are dealt to them by number: session i follows policy (i - 1) mod n. */
  retry: z.array(retryPolicy).min(1),
  /** What a turn may take at most to count for goodput; `null`: no objective, every ok turn counts. */
  objectiveMs: lengthMs.nullable(),
  gates: z.record(z.string(), z.string()),
  /** Of the gates those that stop the run when they fail, by metric: judged from so much measured time on. */
  abortGates: z.record(z.string(), z.object({ afterMs: lengthMs })).default({}),
  /** Of the gates those that hold the 95 % interval of their percentile against the limit, by metric. */
  confidentGates: z.array(z.string()).default([]),
  /** Hosts that may be loaded beside loopback, as they were given. */
  allowHosts: z.array(z.string()).default([]),
  /** `null`: no bound. */
  maxDurationMs: lengthMs.nullable().default(null),
  /** Attempts of turns; `null`: no bound. */
  maxTurns: z.int().nullable().default(null),
  /** Attempts to create a session; `null`: no bound. */
  maxSessions: z.int().nullable().default(null),
  /** How replies are priced; `null`: not at all. */
  cost: z.object({ hash: z.string() }).nullable().default(null),
  /** `null`: no bound. */
  maxCost: z.number().nullable().default(null),
  /** After how long without success the run stops; `null`: never. */
  stopWhen: z
    .object({ noSuccessMs: lengthMs.nullable(), targetGoneMs: lengthMs.nullable() })
    .default({ noSuccessMs: null, targetGoneMs: null }),
  /** Whether examples keep what was said. */
  keepTexts: z.boolean().default(false),
  /** Every option that was settled: its value as given and where it came from. */
  options: z.record(
    z.string(),
    z.object({ value: z.unknown(), from: z.enum(['default', 'file', 'environment', 'flag']) }),
  ),
});

export type Plan = z.infer<typeof planSchema>;
export type Load = Plan['load'];
export type Segment = z.infer<typeof segment>;
export type Arrivals = z.infer<typeof arrivals>;
export type Integrity = Plan['integrity'];
export type RetryPolicy = Plan['retry'][number];
