import { expect, test } from 'vitest';
import { blocksOf, sectionOf } from '../../../test/support/page-parts.ts';
import { releaseRun, type ReleaseRun } from '../../../test/support/release-run.ts';
import { unsafeParts } from '../../../test/support/unsafe-parts.ts';
import { compareResults } from '../../compare/compare-results.ts';
import { decodeHistogram } from '../../record/histogram.ts';
import type { Result } from '../../result/result.ts';
import { viewComparison } from './comparison-outline.ts';

const intervals = 12;
const runOf = (id: string, draw: number, more: Partial<ReleaseRun> = {}): Result =>
  releaseRun({ id, draw, intervals, turnsPerInterval: 700, sitting: 'tonight', ...more });
const base = [runOf('b1', 1), runOf('b2', 2)];
const head = [runOf('h1', 3, { tail: 3 }), runOf('h2', 4, { tail: 3, failed: 2 })];

const compare = (sides: { base: Result[]; head: Result[] }) => {
  const sideOf = (label: string, results: Result[]) => ({
    label,
    runs: results.map((result) => ({ file: null, result })),
  });
  return compareResults({ toolVersion: '0', base: sideOf('v1', sides.base), head: sideOf('v2', sides.head) });
};
const comparison = compare({ base, head });
/** Other series hold the same values in these. */
const ofTurns = (result: Result): Result => ({ ...result, intervals: result.intervals.map(withTurnsAlone) });
const withTurnsAlone = ({ latency, ...interval }: Result['intervals'][number]): Result['intervals'][number] => {
  const turns = latency['turn.ok'];
  return { ...interval, latency: turns === undefined ? {} : { 'turn.ok': turns } };
};
const page = viewComparison(comparison, [...base, ...head].map(ofTurns));
const chartsOf = (shown = page) => blocksOf(sectionOf(shown, 'time'), 'time');

test('draws every run of both sides over time, each in the colour of its side', () => {
  expect(chartsOf().map(({ id }) => id)).toEqual(['time-p50', 'time-p95', 'time-p99', 'time-ok', 'time-failed']);
  for (const { series } of chartsOf())
    expect(series.map(({ label, tone, run }) => ({ label, tone, run }))).toEqual([
      { label: 'base run 1', tone: 'base', run: 0 },
      { label: 'base run 2', tone: 'base', run: 1 },
      { label: 'head run 1', tone: 'head', run: 2 },
      { label: 'head run 2', tone: 'head', run: 3 },
    ]);
  expect(unsafeParts(page)).toEqual([]);
});

test('has the percentiles of the histograms and the turns of the results', () => {
  [...base, ...head].forEach((result, at) => {
    const timeline = page.timelines[at];
    if (timeline === undefined) throw new Error('a run without a timeline');
    const { columns, startMs, lengthMs } = timeline;
    expect(startMs).toHaveLength(intervals);
    const done = (columns['turnsPerSecond.ok'] ?? []).map((rate, each) => ((rate ?? 0) * (lengthMs[each] ?? 0)) / 1000);
    expect(done).toEqual(result.intervals.map(({ turns }) => turns.ok));
    result.intervals.forEach(({ latency }, each) => {
      const histogram = decodeHistogram(latency['turn.ok']?.hdr ?? '');
      for (const percent of [50, 95, 99]) {
        const drawn = columns[`turn.ok.p${String(percent)}`]?.[each] ?? 0;
        expect(drawn / (histogram.getValueAtPercentile(percent) / 1000)).toBeCloseTo(1, 2);
      }
    });
  });
  expect(page.timelines[3]?.columns['turnsPerSecond.failed']).toEqual(Array.from({ length: intervals }, () => 2));
});

test('draws no percentile of too few turns, and no chart of zeros', () => {
  const few = ['f1', 'f2'].map((id, draw) => runOf(id, 5 + draw, { turnsPerInterval: 140 }));
  const shown = viewComparison(compare({ base: few.slice(0, 1), head: few.slice(1) }), few);
  expect(chartsOf(shown).map(({ id }) => id)).toEqual(['time-p50', 'time-p95', 'time-ok']);
  expect(shown.timelines.map(({ label }) => label)).toEqual(['base run 1', 'head run 1']);
});

test('draws only runs of which there is a result, and no others', () => {
  const shown = viewComparison(comparison, [...head.slice(1), runOf('stranger', 6)]);
  expect(shown.timelines.map(({ label }) => label)).toEqual(['head run 2']);
  expect(chartsOf(shown)[0]?.series).toEqual([{ label: 'head run 2', tone: 'head', run: 0, column: 'turn.ok.p50' }]);
  const without = viewComparison(comparison);
  expect(without.timelines).toEqual([]);
});

test('refers to the option that draws the runs over time if their results are not available', () => {
  const [prose, ...others] = sectionOf(viewComparison(comparison), 'time').blocks;
  expect(prose).toMatchObject({
    type: 'prose',
    lines: [expect.stringContaining('chat-load compare --report FILE.html')],
  });
  expect(others).toEqual([]);
});
