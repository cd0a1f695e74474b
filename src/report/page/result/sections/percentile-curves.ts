import type { Result } from '../../../../result/result.ts';
import { rankedValues, type LatencySummary } from '../../../../result/sections/latency-summary.ts';
import { readSparse } from '../../../../record/sparse-histogram.ts';
import { latencyCells } from '../../../run/latency-table.ts';
import type { CurveBlock, Tone } from '../../page.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { inRun, titleIn, type ShownRun } from '../shown/shown-run.ts';
import { rounded } from '../../drawn-numbers.ts';

export const percentileCurves: SectionView = {
  id: 'percentiles',
  title: 'Latency',
  lead: 'Of the whole measured time.',
  view: (runs) => [
    ...curveBlock(runs),
    ...runs.flatMap((run) =>
      tableBlock({ title: titleIn(run, 'Latency by series'), first: 'series' }, latencyCells(run.result)),
    ),
  ],
};

function curveBlock(runs: readonly ShownRun[]): CurveBlock[] {
  const series = runs.flatMap((run) =>
    curvesOf(run.result, run.isOverlaid).flatMap(({ label, tone, summary }) => {
      const points = pointsOf(summary);
      return points.length === 0 ? [] : [{ ...inRun(run, label, tone), points }];
    }),
  );
  if (series.length === 0) return [];
  return [
    {
      type: 'curve',
      id: 'percentile-curve',
      title: 'Percentiles',
      description:
        'How long the fastest part of all took, up to any percentile. Each step to the right halves the number of slower ones; a curve ends where too few values are left beyond it.',
      series,
    },
  ];
}

interface Curve {
  label: string;
  tone: Tone;
  summary: LatencySummary;
}

/** Each series as a whole; of a run alone also what failed, since it may be faster or slower. */
function curvesOf({ latency }: Result, isOverlaid: boolean): Curve[] {
  const { turn, effective, attempt, sessionCreate } = latency;
  const wholes: Curve[] = [
    { label: 'turn', tone: 'first', summary: turn },
    { label: 'effective', tone: 'second', summary: effective },
    { label: 'attempt', tone: 'third', summary: attempt },
    { label: 'session create', tone: 'fourth', summary: sessionCreate },
  ];
  if (isOverlaid || attempt.failed.count === 0) return wholes;
  const parts: Curve[] = [
    { label: 'turn, ok', tone: 'ok', summary: turn.ok },
    { label: 'turn, failed', tone: 'failed', summary: turn.failed },
    { label: 'attempt, ok', tone: 'neutral', summary: attempt.ok },
    { label: 'attempt, failed', tone: 'server', summary: attempt.failed },
  ];
  return [...wholes, ...parts.filter(({ label }) => !label.startsWith('turn') || turn.failed.count > 0)];
}

/** Points for each halving of what is beyond. */
const perHalving = 6;
/** As for published percentiles: below that many expected values beyond it, fewer than two may well be. */
const leastBeyond = 6.64;

/** Percentiles and their values, from the least value to the last percentile with enough values beyond it. */
function pointsOf({ count, minMs, maxMs, hdr }: LatencySummary): [number, number][] {
  if (hdr === null || minMs === null || maxMs === null) return [];
  const valueAt = rankedValues(readSparse(hdr), { minMs, maxMs });
  const halvings = Math.max(0, Math.floor(perHalving * Math.log2(count / leastBeyond)));
  const rest = Array.from({ length: halvings }, (_, step): [number, number] => {
    const share = 1 - 2 ** (-(step + 1) / perHalving);
    return [Number((share * 100).toPrecision(8)), rounded(valueAt(Math.ceil(share * count - 1e-9)))];
  });
  return [[0, rounded(minMs)], ...rest];
}
