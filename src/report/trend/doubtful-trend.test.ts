import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { latencyRule, nightly, noiseAt, rateRule } from '../../../test/support/sample-nights.ts';
import { releaseRun } from '../../../test/support/release-run.ts';
import { findAlarm, isDoubted, isWithoutVerdict } from '../../compare/trend/build-history.ts';
import { buildTrend } from '../../compare/trend/build-trend.ts';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import { addFigures, takeTrendRun, type TrendRun } from '../../compare/trend/trend-run.ts';
import type { Trend } from '../../compare/trend/trend.ts';
import { writeMarkdown } from '../outline/write-text.ts';
import { writeTerminal } from '../outline/write-terminal.ts';
import { trendOutline, viewTrend } from './trend-outline.ts';

const doubtful = (errorMs: number) => ({ missing: 'doubtful', detail: 'late', errorMs }) as const;

/** Forty nights at 200 ms, doubtful in some; the rate is always known. */
const nightsWith = (isDoubtful: (night: number) => boolean, slowerFrom = Infinity): TrendRun[] =>
  nightly(40, (night) => ({
    'turn.ok.p99': 200 * Math.exp(noiseAt(night)) * (night < slowerFrom ? 1 : 1.2),
    'rates.turnsPerSecond': 50 * Math.exp(noiseAt(night + 7)),
  })).map((run, night) =>
    isDoubtful(night) ? { ...run, figures: new Map([...run.figures, ['turn.ok.p99', doubtful(30 + night)]]) } : run,
  );
const trendOf = (runs: readonly TrendRun[]): Trend =>
  buildTrend({ runs, rules: [latencyRule, rateRule], toolVersion: '0', skipped: [], warnings: [], ...trendDefaults });
const judged = (trend: Trend, nights = 3): Trend => ({
  ...trend,
  alarm: {
    on: 'change',
    nights,
    date: findAlarm(trend, { on: 'change', nights })?.date ?? null,
    doubtful: trend.groups.filter((group) => isDoubted(group, nights)).length,
    searched: 1,
  },
});

const flat = (text: string): string => text.replaceAll('\\', '').replace(/\s+/g, ' ');
const writers: Record<string, (trend: Trend) => string> = {
  terminal: (trend) => flat(writeTerminal(trendOutline(trend), { colors: picocolors.createColors(false), width: 80 })),
  markdown: (trend) => flat(writeMarkdown(trendOutline(trend))),
  page: (trend) => JSON.stringify(viewTrend(trend)),
};

describe('a doubtful figure in a trend', () => {
  const one = trendOf(nightsWith((night) => [12, 30].includes(night)));

  test('is omitted for its metric and night alone, and counted in the document', () => {
    const [latency, rate] = one.groups[0]?.metrics ?? [];
    expect(latency?.points).toHaveLength(38);
    expect(latency?.omitted).toEqual([
      { night: 12, runs: 1, errorMs: 42 },
      { night: 30, runs: 1, errorMs: 60 },
    ]);
    expect(rate?.points).toHaveLength(40);
    expect(rate?.omitted).toEqual([]);
    expect(one.groups[0]?.nights.flatMap(({ isDoubtful }, at) => (isDoubtful ? [at] : []))).toEqual([12, 30]);
  });

  test.each(Object.entries(writers))('is named with its reason: %s', (_, write) => {
    const text = write(one);
    expect(text).toContain(
      'Doubtful figures omitted, because the generator read replies late: turn.ok.p99 in 2 of 40 batches of runs (up to 60.0 ms too high).',
    );
    expect(text).toContain('Not judged, because every deciding latency is doubtful: 2026-10-31, 2026-10-13.');
    expect(text).toContain('2 batches of runs in which every deciding latency is doubtful');
    expect(text).toContain('No change in the other 38 batches of runs.');
  });

  test('is read from the result of a run, by its error and the margin; a degraded run counts otherwise', () => {
    const result = releaseRun({ id: 'a', turnsPerInterval: 3000 });
    const [first] = result.positions;
    if (first === undefined) throw new Error('no position');
    const figuresWith = (ms: number) => {
      const errorMs = { meanMs: ms, p50Ms: ms, p75Ms: ms, p90Ms: ms, p95Ms: ms, p99Ms: ms, p999Ms: ms, p9999Ms: ms };
      const latency = { ...result.latency, turn: { ...result.latency.turn, ok: { ...first.ok, errorMs } } };
      const run = { ...result, latency, validity: { verdict: 'degraded' as const, reasons: [] } };
      return addFigures(takeTrendRun('a', run), run).figures;
    };
    // Half of the margin of p50 (5 %) is 5 ms of 200 ms; of p95 it is more than 8 ms.
    expect(figuresWith(8).get('turn.ok.p50')).toMatchObject({ missing: 'doubtful', errorMs: 8 });
    expect(figuresWith(8).get('turn.ok.p95')).toHaveProperty('figure.error');
    expect(figuresWith(0.5).get('turn.ok.p50')).toHaveProperty('figure.error');
  });

  test('does not hide a change that other nights show', () => {
    const trend = judged(trendOf(nightsWith((night) => night % 9 === 0, 35)), 7);
    expect(trend.groups[0]?.events).toHaveLength(1);
    expect(viewTrend(trend).verdict.sentence).toMatch(/^FAILED: a gated metric changed on /);
  });
});

describe('a requested verdict over doubtful nights', () => {
  test('is invalid if every recent night is doubtful', () => {
    const trend = judged(trendOf(nightsWith((night) => night >= 37)));
    expect(isWithoutVerdict(trend)).toBe(true);
    expect(viewTrend(trend).verdict.sentence).toBe(
      'INVALID: in the last 3 batches of runs every deciding latency is doubtful',
    );
    expect(viewTrend(trend).verdict.state).toBe('invalid');
  });

  test('has a caveat if some are', () => {
    const trend = judged(trendOf(nightsWith((night) => night === 38)));
    expect(isWithoutVerdict(trend)).toBe(false);
    expect(viewTrend(trend).verdict.sentence).toBe(
      'PASSED, 1 batch of runs in which every deciding latency is doubtful',
    );
  });
});

describe('a night without any latency, such as one whose turns all ended after the measured time', () => {
  const withoutLatency = (isMissing: (night: number) => boolean): Trend =>
    trendOf(
      nightsWith(() => false).map((run, night) =>
        isMissing(night)
          ? { ...run, figures: new Map([...run.figures].filter(([name]) => name !== 'turn.ok.p99')) }
          : run,
      ),
    );

  test.each(Object.entries(writers))('is not judged, and named: %s', (_, write) => {
    const text = write(withoutLatency((night) => [12, 30].includes(night)));
    expect(text).toContain('Not judged, because there is no deciding latency: 2026-10-31, 2026-10-13.');
    expect(text).toContain('2 batches of runs in which there is no deciding latency');
    expect(text).toContain('No change in the other 38 batches of runs.');
  });

  test('is no verdict: if every recent night is one, the trend is invalid', () => {
    const trend = judged(withoutLatency((night) => night >= 37));
    expect(isWithoutVerdict(trend)).toBe(true);
    expect(viewTrend(trend).verdict.sentence).toBe(
      'INVALID: in the last 3 batches of runs there is no deciding latency',
    );
    expect(isWithoutVerdict(judged(withoutLatency((night) => night === 38)))).toBe(false);
  });
});

describe('errors that are no doubt', () => {
  const widthOf = (errorAt: (night: number) => number): number => {
    const runs = nightsWith(() => false, 20).map((run, night) => {
      const reading = run.figures.get('turn.ok.p99');
      if (reading === undefined || !('figure' in reading)) throw new Error('no figure');
      const figure = { ...reading.figure, error: errorAt(night) };
      return { ...run, figures: new Map([...run.figures, ['turn.ok.p99', { figure }]]) };
    });
    const [change] = trendOf(runs).groups[0]?.events[0]?.metrics ?? [];
    return (change?.ci95.high ?? NaN) - (change?.ci95.low ?? NaN);
  };

  test('widen the interval of a change by their difference, not by equal errors', () => {
    const none = widthOf(() => 0);
    expect(widthOf(() => 0.03)).toBeCloseTo(none, 9);
    // 3 % of a ratio of 1.2, on either side.
    expect(widthOf((night) => (night < 20 ? 0 : 0.03)) - none).toBeCloseTo(0.07, 2);
  });
});
