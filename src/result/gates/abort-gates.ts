import { formatMs, formatNumber, formatShare } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { assembleSections } from '../assembly/assemble-sections.ts';
import { measuredMs } from '../sections/figures.ts';
import { judgeGates, readGate, type GateVerdict } from './gates.ts';
import type { Published } from '../metrics/metric.ts';
import { metricNamed } from '../metrics/metrics.ts';

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

/** Why a gate cannot stop a run; `undefined`: it can. */
export function problemOfAbortGate(metric: string): string | undefined {
  return metricNamed(metric)?.isKnownAtEnd
    ? 'cannot stop a run: it is known only at its end. Leave abort out'
    : undefined;
}

/** The series that a metric is read from: `turn.p95` from all positions, `turns.failedShare` from none. */
const seriesOf = (metric: string): readonly SeriesName[] => metricNamed(metric)?.series ?? [];

/** What gates are judged by while a run goes on: its validity is known only at the end. */
const publishedSoFar = (plan: Plan, snapshot: Snapshot): Published =>
  Object.assign(assembleSections(plan, snapshot, 'soFar'), { validity: { verdict: 'valid' as const, reasons: [] } });

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
