import type { Books } from '../books/books.ts';
import type { Failing } from '../failures/failures.ts';
import type { Drift } from '../sections/drift.ts';
import type { Environment } from '../sections/environment.ts';
import type { GeneratorHealth } from '../sections/generator-health.ts';
import type { Latency } from '../sections/latency.ts';
import { valuesByRank, type LatencySummary } from '../sections/latency-summary.ts';
import type { Model } from '../sections/model.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { Stop } from '../sections/run-facts.ts';
import type { StreamFigures } from '../sections/stream.ts';
import type { OfferedLoad } from './offered-load.ts';
import { formatMs, formatShare } from '../../base/format.ts';
import { rankOf } from '../../statistics/rank-of.ts';
import type { DoubtfulFigure } from '../percentiles/doubt.ts';

export const severities = ['degraded', 'invalid'] as const;

/** A concern about a run, with its verdict, and a remedy if it fits the cause better than the rule's; `undefined`: none. */
export type Concern = { severity: (typeof severities)[number]; message: string; remedy?: string } | undefined;

export function invalidIf(seen: boolean, message: string): Concern {
  return seen ? { severity: 'invalid', message } : undefined;
}
export function degradedIf(seen: boolean, message: string): Concern {
  return seen ? { severity: 'degraded', message } : undefined;
}
export function graded(value: number, above: { degraded: number; invalid: number }, message: string): Concern {
  return invalidIf(value > above.invalid, message) ?? degradedIf(value > above.degraded, message);
}

/** Returns by how many times a lateness exceeds what is acceptable, and its description; `undefined` without values. */
export function lateness(
  what: string,
  { count, hdr, minMs, maxMs }: LatencySummary,
  allowed: { p50: number; p99: number; text: string },
): { excess: number; message: string } | undefined {
  if (hdr === null || minMs === null || maxMs === null) return undefined;
  const valueAt = valuesByRank({ hdr, minUs: minMs * 1000, maxUs: maxMs * 1000 });
  const p50 = valueAt(rankOf(50, count));
  const p99 = valueAt(rankOf(99, count));
  return {
    excess: Math.max(p50 / allowed.p50, p99 / allowed.p99),
    message: `${what} late: p50 ${formatMs(p50)}, p99 ${formatMs(p99)} ${allowed.text}`,
  };
}

/** Input of the validity rules. `generator` null: not measured. */
export interface Evidence {
  books: Books;
  outcomes: Outcomes;
  examples?: Failing['examples'];
  stop?: Stop | null;
  /** `sessionLateness` has no values under closed load. */
  latency: Pick<Latency, 'lateness' | 'sessionLateness'> & Partial<Pick<Latency, 'turn' | 'model.lateness'>>;
  /** Headline and gated figures whose measurement error matters. */
  doubtful?: readonly DoubtfulFigure[];
  /** Model calls of the run; absent or null without a model service. */
  model?: Pick<Model, 'attributedShare' | 'calls' | 'saturatedSeconds'> | null;
  /** Streamed replies; absent if they are not judged. */
  stream?: StreamFigures;
  generator: GeneratorHealth | null;
  elapsedMs: number;
  drift?: Drift;
  /** Generating machine: its cores and shards. */
  environment?: Pick<Environment, 'cores' | 'workers' | 'startSkewMs'> | null;
  plannedSessions?: number | null;
  /** Kind of authorization, as in the plan. */
  auth?: string;
  /** Requested load and live sessions over time. */
  offered?: OfferedLoad;
}

export interface ValidityRule {
  code: string;
  /** Remedy; a function if it depends on the run: on its shards, and the cores of its machine. */
  remedy: string | ((evidence: Evidence) => string);
  /** True if the rule concerns the generator's speed, which its start distorts. */
  isOfPace?: true;
  /** True if the service is the cause: the load was offered as requested. */
  isOfService?: true;
  find: (evidence: Evidence) => Concern;
}

/** Share of a core: a generator that never used more was late for another reason, and more cores would not help. */
export const ownWork = 0.4;

type CpuEvidence = Pick<Evidence, 'environment'> & Partial<Pick<Evidence, 'generator'>>;

/** Returns the CPU usage of the busiest process in its busiest two seconds, as a share of a core; `undefined`: not measured. */
function busiestShare({ generator, environment }: CpuEvidence): number | undefined {
  const measured = [generator, ...(environment?.workers ?? []).map((worker) => worker.generator)];
  const shares = measured.flatMap((health) => (health == null ? [] : [health.cpuShareMax]));
  return shares.length === 0 ? undefined : Math.max(...shares);
}

/** Returns the remedies for a late generator: flags for more cores, or less load, unless its own work was not the cause. */
export function relieve(evidence: CpuEvidence): string {
  const used = busiestShare(evidence);
  const isIdle = used !== undefined && used < ownWork;
  return `${spreadOut(evidence)}${isIdle ? ', and close other programs' : ', or lower the rate'}.`;
}

/**
 * Returns the remedy for a late generator, without a full stop: flags for more cores, if it used all available ones.
 */
export function spreadOut(evidence: CpuEvidence): string {
  const { environment } = evidence;
  const used = busiestShare(evidence);
  if (used !== undefined && used < ownWork)
    return `The generator used at most ${formatShare(used)} of a core, so more cores would not help: run on an idle machine`;
  const shards = environment?.workers?.length ?? 1;
  if (shards > 1)
    return `Distribute the run over more than ${String(shards)} shards (--cores on one machine, --fleet and --shards on several: docs/guides/many-machines.md)`;
  if (environment?.cores === 1)
    return 'Distribute the run over several machines (--fleet, --shards: docs/guides/many-machines.md)';
  return 'Distribute the run over more cores (chat-load run ... --cores 2)';
}

/** Reports whether a validity reason concerns only model calls by turn and by attempt: metrics of them have no data then. */
export function isOfAttribution({ code }: { code: string }): boolean {
  return code === 'model_unattributed';
}
