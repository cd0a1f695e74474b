import { formatMs, formatNumber, formatShare } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { buildBooks } from '../books/books.ts';
import { buildLevels } from '../sections/concurrency.ts';
import { figuresOf, measuredMs } from '../sections/figures.ts';
import { judgeGates, readGate, type GateVerdict } from './gates.ts';
import { buildIntegrity } from '../sections/integrity.ts';
import { buildLatency, buildPositions } from '../sections/latency.ts';
import type { Published } from '../metrics/metric.ts';
import { metricNamed } from '../metrics/metrics.ts';
import { buildOutcomes } from '../sections/outcomes.ts';
import { buildRates } from '../sections/rates.ts';
import { buildRetryFigures } from '../sections/retries.ts';

/**
 * Says, `elapsedMs` after the start, which gate that stops the run fails on what was measured so far; `undefined`: none
 * does, or it is too early.
 */
export function failedAbortGate(plan: Plan, recorder: Pick<Recorder, 'closed'>, elapsedMs: number): string | undefined {
  const metrics = Object.keys(plan.abortGates);
  const snapshot = recorder.closed([...new Set(metrics.flatMap(seriesOf))]);
  const soFar = measuredMs(snapshot);
  const due = Object.entries(plan.abortGates).flatMap(([metric, { afterMs }]) => {
    const read = readGate(metric, plan.gates[metric] ?? '');
    return soFar > 0 && afterMs <= soFar && 'ok' in read ? [read.ok] : [];
  });
  if (due.length === 0) return undefined;
  const failed = judgeGates(due, publishedSoFar(plan, snapshot)).find(({ verdict }) => verdict === 'fail');
  if (failed === undefined) return undefined;
  const seen = `it was ${show(failed)} over the ${formatMs(soFar)} measured`;
  return `the gate ${failed.metric} ${failed.condition} failed at ${formatMs(elapsedMs)}: ${seen}`;
}

/** What is wrong with a gate that is to stop a run; `undefined`: nothing. */
export function problemOfAbortGate(metric: string): string | undefined {
  return metricNamed(metric)?.isKnownAtEnd
    ? 'cannot stop a run: it is known only at its end. Leave abort out'
    : undefined;
}

/** The series that a metric is read from: `turn.p95` from all positions, `turns.failedShare` from none. */
const seriesOf = (metric: string): readonly SeriesName[] => metricNamed(metric)?.series ?? [];

/**
 * The parts of a result that metrics are read from, each made when it is asked for: most gates want counters alone,
 * while summing up latency takes milliseconds. Without what is known only at the end.
 */
function publishedSoFar(plan: Plan, snapshot: Snapshot): Published {
  const measured = figuresOf(snapshot.totals.filter(({ warmUp }) => !warmUp));
  const timeMs = measuredMs(snapshot);
  return {
    get books() {
      const warmUp = figuresOf(snapshot.totals.filter((tally) => tally.warmUp)).counters;
      const whole = figuresOf(snapshot.totals).counters;
      return buildBooks({ whole, warmUp, planned: plan.sessions, equations: [], hasEnded: false });
    },
    get outcomes() {
      return buildOutcomes(measured);
    },
    get latency() {
      return buildLatency(measured.tally);
    },
    get positions() {
      return buildPositions(measured.tally);
    },
    get retries() {
      // No metric is about a single policy.
      return { ...buildRetryFigures(measured, timeMs), objectiveMs: plan.objectiveMs, policies: [], verdict: null };
    },
    get rates() {
      return buildRates(measured.counters, timeMs);
    },
    get concurrency() {
      return { ...buildLevels(snapshot.levels.filter(({ warmUp }) => !warmUp)), maxIsUpperBound: false };
    },
    get integrity() {
      const { mode } = plan.integrity;
      const whole = figuresOf(snapshot.totals).counters;
      return buildIntegrity({ mode, measured: measured.counters, whole, examples: [] });
    },
    validity: { verdict: 'valid', reasons: [] },
  };
}

function show({ actual, unit, infinite }: GateVerdict): string {
  if (infinite || actual === null) return 'infinite';
  switch (unit) {
    case 'share':
      return formatShare(actual);
    case 'ms':
      return formatMs(actual);
    default:
      return formatNumber(actual);
  }
}
