import type { Objective } from '../../capacity/objectives/objective.ts';
import type { StepFigures } from '../../capacity/document/step.ts';
import { meanOf } from '../../plan/distributions.ts';
import type { Plan } from '../../plan/plan.ts';
import { failedTurns } from '../../record/counters.ts';
import { startOf } from '../../record/interval-width.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { mergeTallies } from '../../record/tally.ts';
import { assembleBooks, assembleSections } from '../../result/assembly/assemble-sections.ts';
import { metricNamed } from '../../result/metrics/metrics.ts';
import { addCountersOf } from '../../result/sections/figures.ts';

/** A stretch of a step, in milliseconds since its start. */
export interface Stretch {
  fromMs: number;
  toMs: number;
}

/** The part of a snapshot that lies in a stretch, by whole intervals: those that are all in it, else those that it touches. */
export function partIn(snapshot: Snapshot, { fromMs, toMs }: Stretch): Snapshot {
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

/** The figures of a step in which nothing ended. */
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

/** The figures of the part of a step that is judged. */
export function figuresOf(plan: Plan, part: Snapshot): StepFigures {
  const { turns, sessions } = addCountersOf(part.totals);
  const { latency, rates, retries, concurrency, outcomes } = assembleSections(plan, part, 'soFar');
  const finished = turns.ok + failedTurns(turns);
  const ended = sessions.completed + sessions.failed;
  const { turn, sessionCreate } = latency;
  return {
    turnsPerSecond:
      rates.turnsPerSecond === null || finished === 0 ? null : (rates.turnsPerSecond * turns.ok) / finished,
    sessionsPerSecond: rates.sessionsPerSecond,
    turnP50Ms: turn.p50Ms,
    turnP95Ms: turn.p95Ms,
    turnMeanMs: turn.meanMs,
    sessionMeanMs:
      ended === 0 || turn.meanMs === null
        ? null
        : lengthOf(plan, { createMs: sessionCreate.meanMs ?? 0, turnMs: turn.meanMs, turns: finished / ended }),
    sessionsLive: concurrency.sessions.mean,
    turnsInFlight: concurrency.turns.mean,
    failedShare: finished === 0 ? null : failedTurns(turns) / finished,
    amplification: retries.amplification,
    failedAttempts: failuresIn(outcomes.attempts),
    failedCreations: failuresIn(outcomes.createAttempts),
  };
}

/** Values of the objectives over the part of a step that is judged, in their units; `null` if there is none. */
export function valuesOf(plan: Plan, part: Snapshot, objectives: readonly Objective[]): Record<string, number | null> {
  const books = assembleBooks(plan, part, { equations: [], hasEnded: true });
  const published = {
    ...assembleSections(plan, part, 'soFar'),
    books,
    validity: { verdict: 'valid' as const, reasons: [] },
  };
  const valueOf = (name: string): number | null => {
    const value = metricNamed(name)?.read(published).value ?? null;
    return value !== null && Number.isFinite(value) ? value : null;
  };
  return Object.fromEntries(objectives.map(({ metric }) => [metric, valueOf(metric)]));
}

/** Users who leave have not been failed. */
const failuresIn = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).filter(([name, count]) => count > 0 && name !== 'ok' && name !== 'abandoned'),
  );

/** A session from its start to its end: its creation, its turns, and the think times between. */
function lengthOf(
  plan: Plan,
  { createMs, turnMs, turns }: { createMs: number; turnMs: number; turns: number },
): number {
  return createMs + turns * turnMs + Math.max(0, turns - 1) * meanOf(plan.thinkTime);
}
