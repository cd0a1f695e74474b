import type { Objective } from '../judge/objective.ts';
import type { StepFigures } from '../document/step.ts';
import { meanOf } from '../../../plan/distributions.ts';
import type { Plan } from '../../../plan/plan.ts';
import { failedTurns } from '../../../record/counters.ts';
import { startOf } from '../../../record/interval-width.ts';
import type { Snapshot } from '../../../record/snapshot.ts';
import { mergeTallies } from '../../../record/tally.ts';
import { assembleBooks, assembleSections } from '../../../result/assembly/assemble-sections.ts';
import { metricNamed } from '../../../result/metrics/metrics.ts';
import type { Published } from '../../../result/metrics/metric.ts';
import { addCountersOf } from '../../../result/sections/figures.ts';
import { availableParallelism } from 'node:os';
import { formatShare } from '../../../base/format.ts';
import type { PlayedStep } from '../judge/player.ts';
import { coreNeedsOf } from '../../../plan/core-needs.ts';
import type { GeneratorHealth, GeneratorSample } from '../../../result/sections/generator-health.ts';
import type { Worker } from '../../../result/sections/environment.ts';
import { describeDoubtful, isDoubtful } from '../../../result/percentiles/doubt.ts';
import { ownWork } from '../../../result/validity/rule.ts';
import { judgeValidity } from '../../../result/validity/judge-validity.ts';
import { mean } from '../../../statistics/averages.ts';

/** A time window of a step, in milliseconds since its start. */
type TimeWindow = Record<'fromMs' | 'toMs', number>;

/** Returns the intervals of a snapshot inside a window or, if there are none, the intervals that overlap it. */
export function partIn(snapshot: Snapshot, { fromMs, toMs }: TimeWindow): Snapshot {
  const width = snapshot.intervalMs;
  const inside = { fromMs: Math.ceil(fromMs / width) * width, toMs: startOf(toMs, width) };
  const touched = { fromMs: startOf(fromMs, width), toMs: Math.ceil(toMs / width) * width };
  const { fromMs: from, toMs: to } = inside.toMs > inside.fromMs ? inside : touched;
  const isIn = ({ startMs }: { startMs: number }): boolean => startMs >= from && startMs < to;
  const intervals = snapshot.intervals.filter(isIn);
  const levels = snapshot.levels.filter(isIn);
  const policies = [...new Set(intervals.map(({ policy }) => policy))];
  return {
    ...snapshot,
    intervals,
    levels,
    elapsedMs: levels.reduce((sum, { lengthUs }) => sum + lengthUs, 0) / 1000,
    totals: policies.map((policy) => ({
      warmUp: false,
      policy,
      ...mergeTallies(intervals.filter((each) => each.policy === policy)),
    })),
  };
}

export const noFigures: StepFigures = {
  turnsPerSecond: null,
  sessionsPerSecond: null,
  turnP50Ms: null,
  turnP95Ms: null,
  turnMeanMs: null,
  sessionMeanMs: null,
  sessionsLive: null,
  turnsInFlight: null,
  failedShare: null,
  amplification: null,
  failedAttempts: {},
  failedCreations: {},
};

export function figuresOf(plan: Plan, part: Snapshot): StepFigures {
  const { turns, sessions } = addCountersOf(part.totals);
  const { latency, rates, retries, concurrency, outcomes } = assembleSections(plan, part, 'soFar');
  const finished = turns.ok + failedTurns(turns);
  const ended = sessions.completed + sessions.failed;
  const turnsPerSession = finished / ended;
  const { turn, sessionCreate } = latency;
  const errors = assembleSections(plan, part, 'part').latency.turn.errorMs;
  return {
    turnsPerSecond:
      rates.turnsPerSecond === null || finished === 0 ? null : (rates.turnsPerSecond * turns.ok) / finished,
    sessionsPerSecond: rates.sessionsPerSecond,
    turnP50Ms: turn.p50Ms,
    turnP95Ms: turn.p95Ms,
    turnMeanMs: turn.meanMs,
    turnP50ErrorMs: errors?.p50Ms ?? null,
    turnP95ErrorMs: errors?.p95Ms ?? null,
    turnMeanErrorMs: errors?.meanMs ?? null,
    sessionMeanMs:
      ended === 0 || turn.meanMs === null
        ? null
        : // The creation of a session, its turns, and the think times between them.
          (sessionCreate.meanMs ?? 0) +
          turnsPerSession * turn.meanMs +
          Math.max(0, turnsPerSession - 1) * meanOf(plan.thinkTime),
    sessionsLive: concurrency.sessions.mean,
    turnsInFlight: concurrency.turns.mean,
    failedShare: finished === 0 ? null : failedTurns(turns) / finished,
    amplification: retries.amplification,
    failedAttempts: failuresIn(outcomes.attempts),
    failedCreations: failuresIn(outcomes.createAttempts),
  };
}

/** Returns the values of the objectives over the evaluated part of a step, in their units; `null` without data. */
export function valuesOf(plan: Plan, part: Snapshot, objectives: readonly Objective[]): Record<string, number | null> {
  const published = publishedOf(plan, part);
  const valueOf = (name: string): number | null => {
    const value = metricNamed(name)?.read(published).value ?? null;
    return value !== null && Number.isFinite(value) ? value : null;
  };
  return Object.fromEntries(objectives.map(({ metric }) => [metric, valueOf(metric)]));
}

/** Returns the figures of a part of a step, each computed on first access. */
function publishedOf(plan: Plan, part: Snapshot): Published {
  const sections = assembleSections(plan, part, 'part');
  const books = assembleBooks(plan, part, { equations: [], hasEnded: true });
  Object.defineProperty(sections, 'books', { value: books, enumerable: true });
  return Object.assign(sections, { validity: { verdict: 'valid' as const, reasons: [] }, scenario: { plan } });
}

/** Returns the counts of failures; abandoned turns are not failures. */
const failuresIn = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).filter(([name, count]) => count > 0 && name !== 'ok' && name !== 'abandoned'),
  );

export interface GeneratorPart {
  plan: Plan;
  whole: Snapshot;
  judged: Snapshot;
  window: TimeWindow;
  health: GeneratorHealth | null;
  samples: readonly GeneratorSample[];
  cores: number;
  workers: readonly Worker[] | null;
  objectives: readonly Objective[];
}

/** Validity reasons that mean the load was not offered, or its latency includes the generator's own delay. */
const limitCodes: ReadonlySet<string> = new Set([
  ...['turns_late', 'sessions_late', 'sessions_not_offered', 'shards_lost'],
  ...['event_loop_late', 'event_loop_busy'],
  ...['descriptors_exhausted', 'ports_exhausted'],
]);
const coreCodes: ReadonlySet<string> = new Set([
  ...['turns_late', 'sessions_late', 'sessions_not_offered'],
  ...['event_loop_late', 'event_loop_busy'],
]);

/** Age from which runs are judged by their pace; the generator of a step was active before. */
const oldEnoughMs = 5000;

/** Returns why the generator could not sustain a step, with a remedy; `null` if it could. Applies the rules of runs to the evaluated part. */
export function generatorLimit(part: GeneratorPart): PlayedStep['generatorLimit'] {
  const { plan, whole, judged, workers } = part;
  const generator = part.health && healthIn(part, part.health);
  const { latency, outcomes } = assembleSections(plan, judged, 'soFar');
  const { reasons } = judgeValidity({
    books: assembleBooks(plan, whole, { equations: [], hasEnded: true }),
    outcomes,
    latency,
    generator,
    elapsedMs: Math.max(oldEnoughMs, whole.elapsedMs),
    environment: { cores: availableParallelism(), workers: workers && [...workers], startSkewMs: null },
    plannedSessions: null,
  });
  const found = reasons.find(affects);
  if (found !== undefined)
    return { message: found.message, remedy: coreCodes.has(found.code) ? remedyOf(part) : found.remedy };
  const message = doubtfulObjective(part);
  return message === undefined ? null : { message, remedy: remedyOf(part) };
}

/** Reports whether a validity reason concerns the load; the figures of the objectives are judged one by one. */
export function affects(reason: { code: string }): boolean {
  return limitCodes.has(reason.code);
}

/** Returns the mean health over the evaluated seconds; the first moments are not representative. */
function healthIn({ samples, window }: GeneratorPart, health: GeneratorHealth): GeneratorHealth {
  const { fromMs, toMs } = window;
  const those = samples.filter(({ startMs, lengthMs }) => startMs + lengthMs > fromMs && startMs < toMs);
  if (those.length === 0) return health;
  const busy = mean(those.map(({ cpuShare }) => cpuShare));
  const delayMs = mean(those.map(({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms));
  return { ...health, cpuShareMax: busy, eventLoopBusyMax: busy, eventLoopDelayP99Ms: delayMs };
}

/**
 * Describes an objective that fails only by the measurement error: its figure is doubtful, and without the error it would meet its limit.
 * An objective that is met in spite of the error is evidence.
 */
export function doubtfulObjective({ plan, judged, objectives }: GeneratorPart): string | undefined {
  const figures = publishedOf(plan, judged);
  for (const { metric: name, limit, operator } of objectives) {
    const metric = metricNamed(name);
    const errorMs = metric?.readError?.(figures) ?? null;
    const valueMs = errorMs === null ? null : (metric?.read(figures).value ?? null);
    if (errorMs === null || valueMs === null || !Number.isFinite(valueMs) || !operator.startsWith('<')) continue;
    if (valueMs >= limit && valueMs - errorMs < limit && isDoubtful(valueMs, errorMs))
      return `the generator read replies late: ${describeDoubtful({ metric: name, valueMs, errorMs })}`;
  }
  return undefined;
}

/** Suggests more processes if there are cores for them, otherwise a larger machine. */
function remedyOf({ plan, judged, health, cores }: GeneratorPart): string {
  if ((health?.cpuShare ?? 1) < ownWork)
    return `The generator used little CPU itself (${formatShare(health?.cpuShare ?? 0)} of a core); another process used the processor. Search when this machine is idle, or from another machine.`;
  const { rates, concurrency } = assembleSections(plan, judged, 'soFar');
  const sent = rates.turnsPerSecond ?? 0;
  const perCore = sent / cores / Math.max(0.1, health?.cpuShare ?? 1);
  const wanted = coreNeedsOf(
    { peakTurnsPerSecond: sent, peakTurnsInFlight: concurrency.turns.mean },
    perCore > 0 ? perCore : undefined,
  ).cores;
  const more = Math.max(cores + 1, wanted ?? 0);
  const left = availableParallelism();
  if (more <= left) return `Spread the load over more cores: --cores ${String(more)}.`;
  if (cores < left) return `Spread the load over all cores of this machine: --cores ${String(left)}.`;
  return 'Search from an idle machine with more cores (--cores).';
}
