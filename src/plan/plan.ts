import { z } from 'zod';
import { integrityShape, integrityPromptsShape } from '../scenario/integrity-options.ts';
import { anyLoadShape, openLoadShape } from '../scenario/load-options.ts';
import { traceFormNames, traceInputs, traceUnits } from '../trace/trace.ts';
import { budgetShape, retryShape } from '../scenario/retry-options.ts';
import { scenarioShape } from '../scenario/scenario-shape.ts';
import { createShape, targetShape } from '../scenario/target-options.ts';
import { authKinds } from './resolve-auth.ts';
import { tlsShape, type ReadTls } from '../scenario/tls-options.ts';
import { readDistribution } from '../scenario/duration-distribution.ts';
import { lengthMs } from '../scenario/duration.ts';
import { readTurns } from '../scenario/turn-options.ts';
import { plannedShape } from './planned-options.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';

/** Segment of the load with a level that changes linearly; the last one ends with the run (`endMs` is `null`). */
const segment = z.object({
  startMs: lengthMs,
  endMs: lengthMs.nullable(),
  from: z.number(),
  to: z.number(),
});

const arrivals = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant') }),
  /** Gaps with a coefficient of variation of 1/sqrt(burstiness); Poisson is burstiness 1. */
  z.object({ kind: z.literal('gamma'), burstiness: z.number() }),
]);

/** Malformed lines of a file that were skipped: their number, and the first ones. */
const skippedLines = z.object({ lines: z.int(), first: z.array(z.object({ line: z.int(), why: z.string() })) });

/** Replayed trace of an open load: it defines the levels and the start times of sessions. */
const trace = z.object({
  /** Path as given; not part of the hash, which covers the content. */
  file: z.string(),
  form: z.enum(traceFormNames),
  /** Description of the detected time format. */
  times: z.string(),
  /** SHA-256 of the file. */
  digest: z.string(),
  /** Length of the window. */
  sessions: z.int(),
  skipped: skippedLines,
  /** Reason for a unit of times that may be wrong. */
  unitDoubt: z.string().optional(),
  /** Lines that contradict themselves, but were read. */
  doubtful: skippedLines.optional(),
  /** Sessions of several turns by their input tokens: the whole conversation, or the message alone. */
  inputs: z.object({ whole: z.int(), fresh: z.int() }).optional(),
  speed: z.number(),
  fromMs: lengthMs,
  forMs: lengthMs.nullable(),
  columns: z
    .object({
      at: z.string().optional(),
      session: z.string().optional(),
      inputTokens: z.string().optional(),
      outputTokens: z.string().optional(),
      unit: z.enum(traceUnits).optional(),
      input: z.enum(traceInputs).optional(),
    })
    .nullable(),
  sort: z.boolean(),
  /** True if turns are sent at their recorded times; otherwise after think times. */
  keepsPace: z.boolean(),
});

const load = z.discriminatedUnion('model', [
  /** Levels are concurrent sessions. */
  z.object({ model: z.literal('closed'), segments: z.array(segment), ...plannedShape(anyLoadShape) }),
  /** Levels are sessions per second. */
  z.object({
    model: z.literal('open'),
    segments: z.array(segment),
    arrivals,
    /** Omitted if no trace is replayed. */
    trace: trace.optional(),
    ...plannedShape(openLoadShape),
    ...plannedShape(anyLoadShape),
  }),
]);

const retryPolicy = z.object({
  name: z.string(),
  classes: z.array(z.string()),
  ...plannedShape(retryShape),
  /** Present if the service recognizes repeated requests. */
  idempotent: z.literal(true).optional(),
  /** At most this share of attempts may be retries, over the last `windowMs`; `null`: no budget. */
  budget: z.object(plannedShape(budgetShape)).nullable(),
});

/** Settings of the integrity guard. */
const integrity = z.object({
  mode: z.enum(['off', 'passive', 'active']),
  prompts: z.object(plannedShape(integrityPromptsShape)),
  /** Dotted path in `data` of the list of turns; `null`: not checked. */
  transcript: z.string().nullable(),
  ...plannedShape(integrityShape),
});

/** A named part of the scenario that stays out of documents: only its size and a hash of it are shown. */
const digest = z.object({ count: z.int(), hash: z.string() });

/** The model service next to the run, without its keys and the texts of its replies. */
const model = z.looseObject({
  host: z.string(),
  port: z.int(),
  tokenizer: z.string(),
  delivered: z.boolean(),
  /** Header with the trace id besides `traceparent`; `null`: none. */
  header: z.string().nullable(),
  match: z.literal('text').nullable(),
  orphanGraceMs: lengthMs,
  forward: z.object({ openai: z.string().nullable(), anthropic: z.string().nullable() }).nullable(),
});

const metricsPlan = z.object({
  url: z.string(),
  series: z.array(z.string()).nullable(),
  requests: z.string().nullable(),
  everyMs: lengthMs,
});

/** The resolved scenario: defaults, environment and flags applied. JSON-safe; contains no secret and no message text. */
export const planSchema = z.object({
  name: z.string(),
  /** SHA-256 of the workload and its policies: not of the seed, the target, the gates, labels or output options. */
  hash: z.string(),
  seed: z.int(),
  target: z.object({
    /** `null`: the embedded service, started for the run. */
    baseUrl: z.string().nullable(),
    agentId: z.string(),
    /** Authorization of requests; `key`: by the API key, in the protocol's own way. */
    auth: z.enum(authKinds),
    /** Name of the protocol; `defined` for one without a name. */
    protocol: z.string(),
    /** True if the protocol creates a session before its first message. */
    createsSessions: z.boolean(),
    /** Keeper of the conversation: the service, or the client, which resends it with every turn. */
    history: z.enum(['service', 'client']),
    /** True if the client may have to poll for replies. */
    polls: z.boolean(),
    /** Interval of these polls; omitted: there are none. */
    pollEveryMs: lengthMs.optional(),
    /** Set if replies arrive on a stream, or on a WebSocket next to requests over HTTP, that every live session keeps open. */
    listens: z.enum(['sse', 'websocket']).optional(),
    /** Set if every live session has a socket of its own. */
    transport: z.literal('websocket').optional(),
    /** Local addresses of connections, used round-robin; none: chosen by the system. */
    localAddresses: z.array(z.string()),
    /** Proxy for requests, without its credentials; `null`: none. */
    proxy: z.string().nullable(),
    /** Header fields of the scenario by name; `null`: the value is a credential, and is not compared. */
    headers: z.record(z.string(), z.object({ hash: z.string().nullable() })),
    createSession: z.object(plannedShape(createShape)),
    /** File paths as given; their contents are never published. */
    tls: z.object(plannedShape(tlsShape)),
    /** Interval at which its host is resolved again; `null`: never. */
    dnsRefreshMs: lengthMs.nullable(),
    ...plannedShape(targetShape),
    /** Endpoints of the target's metrics; omitted: none. `null` stands for the known series, or no counter of requests. */
    metrics: z.array(metricsPlan).optional(),
    // Added later: omitted in older documents.
    traceShare: z.number().optional(),
    traceUrl: z.string().nullable().optional(),
  }),
  /** Behaviour of the embedded service; `null` for another target. */
  embedded: z.record(z.string(), z.unknown()).nullable(),
  /** Missing: the model calls of the agent are not measured. */
  model: model.optional(),
  durationMs: lengthMs.nullable(),
  turns: readTurns,
  load,
  thinkTime: readDistribution,
  data: z.record(z.string(), digest),
  variableValues: z.record(z.string(), z.object({ hash: z.string() })),
  /** `branches`: they depend on the replies. */
  messages: digest.extend({
    branches: z.literal(true).optional(),
    /** Generated prompts: from `min` to `max` words, or tokens of the named tokenizer. */
    prompts: z.object({ min: z.int(), max: z.int(), counted: z.string() }).optional(),
  }),
  /**
   * File with the conversations of the messages: its name, and counts of skipped or joined parts. Not part of the hash,
   * because the messages' hash covers its contents.
   */
  conversations: z
    .object({
      file: z.string(),
      order: z.enum(['random', 'inOrder']),
      /** Number of conversations with consecutive user messages, which are one turn. */
      merged: z.int(),
      /** Lines that are not conversations. */
      skipped: skippedLines,
    })
    .optional(),
  /** Functions that answer the tool calls of replies, by name. */
  tools: z.record(z.string(), z.object({ hash: z.string() })),
  /** The checks of replies, by name. */
  checks: z.record(z.string(), z.object({ hash: z.string() })),
  integrity,
  /** The turn latency up to which an ok turn counts for goodput; `null`: any. */
  objectiveMs: lengthMs.nullable(),
  /** Limits of its time to the first content, and of its longest gap. */
  objectiveFirstTokenMs: lengthMs.nullable(),
  objectiveGapMs: lengthMs.nullable(),
  /** Users who leave before a reply is complete; `null`: none. */
  abandon: z.object({ share: z.number(), afterMs: lengthMs }).nullable(),
  /** System message; `null`: none set by the author. */
  instructions: z.object({ hash: z.string() }).nullable(),
  /** Options as read; `null`: no limit, or not set. */
  ...plannedShape(scenarioShape),
  /** At least one. Sessions are assigned to policies by number: session i follows policy (i - 1) mod n. */
  retry: z.array(retryPolicy).min(1),
  gates: z.record(z.string(), z.string()),
  /** Gates that stop the run when they fail, by metric: evaluated after this much measured time. */
  abortGates: z.record(z.string(), z.object({ afterMs: lengthMs })),
  /** Gates that compare the 95 % confidence interval of their percentile with the limit, by metric. */
  confidentGates: z.array(z.string()),
  /** Hosts that may be loaded besides loopback, as given. */
  allowHosts: z.array(z.string()),
  /** Function for the cost of replies; `null`: none. */
  cost: z.object({ hash: z.string() }).nullable(),
  /** Prices of reported tokens, with the number of models; `null`: none. */
  prices: z.object({ hash: z.string(), currency: z.string(), asOf: z.string().nullable(), models: z.int() }).nullable(),
  /** Number of failures at the start, or time without success, after which the run stops; `null`: never. */
  stopWhen: z.object({
    unusable: z.int().nullable(),
    noSuccessMs: lengthMs.nullable(),
    targetGoneMs: lengthMs.nullable(),
  }),
  /** All resolved options: their values as given, and their sources. */
  options: z.record(
    z.string(),
    z.object({ value: z.unknown(), from: z.enum(['default', 'file', 'environment', 'flag']) }),
  ),
});

export type Plan = z.infer<typeof planSchema>;
export type Load = Plan['load'];
export type TracePlan = z.infer<typeof trace>;
export type Segment = z.infer<typeof segment>;
export type Arrivals = z.infer<typeof arrivals>;
export type ModelPlan = z.infer<typeof model>;
export type IntegrityPlan = Plan['integrity'];
export type MetricsPlan = z.infer<typeof metricsPlan>;
export type RetryPolicy = Plan['retry'][number];

/** The options of `target.tls` that name files. */
export const tlsFileNames = ['ca', 'cert', 'key', 'pfx'] as const;
export type TlsFileName = (typeof tlsFileNames)[number];

/** Contents of those files, and the passphrase of the key. Never published. */
export interface TlsFiles extends Partial<Record<TlsFileName, Buffer>> {
  passphrase?: string;
  /** Expiry of the client certificate. */
  clientValidTo?: Date;
}

/** Configured files, and the source of each: the scenario file, or a flag or the environment. */
interface NamedTlsFiles {
  tls: ReadTls;
  isInScenario: (name: TlsFileName) => boolean;
  passphrase: string | undefined;
}

/** Reads these files and checks that they are usable. */
export type ReadTlsFiles = (named: NamedTlsFiles) => { files: TlsFiles; problems: ScenarioProblem[] };

/** The only source of a private key's passphrase. */
export const passphraseVariable = 'CHAT_LOAD_TLS_PASSPHRASE';
