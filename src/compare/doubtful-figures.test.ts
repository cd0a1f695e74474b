import { describe, expect, test } from 'vitest';
import { compareRuns as compare } from '../../test/support/doubtful-runs.ts';
import { releaseRun } from '../../test/support/release-run.ts';
import type { Result } from '../result/result.ts';
import { compareResults } from './compare-results.ts';
import { exitCodeOfComparison } from '../cli/perform/compare.ts';
import type { Comparison, MetricComparison, Refusal } from './document/comparison.ts';
import { refusalText } from '../report/comparison/comparison-text.ts';
import { withError } from './figures/trusted-figure.ts';

const metricIn = ({ metrics }: Comparison, name: string): MetricComparison => {
  const found = metrics.find((metric) => metric.name === name);
  if (found === undefined) throw new Error(`no metric ${name}`);
  return found;
};

const small = [0.2, 0.2, 0.2, 0.2, 0.2];

describe('a doubtful figure in a comparison', () => {
  test('is omitted with the figure of the other run of its pair, and a warning names it; other metrics keep all runs', () => {
    // Half of the margin of p50 (5 %) is 5 ms; of p99 (10 %), it is far more than 8 ms.
    const comparison = compare({ base: small, head: [0.2, 6, 8, 0.2, 0.2] });
    expect(metricIn(comparison, 'turn.ok.p50').runs).toEqual({ base: 3, head: 3 });
    expect(metricIn(comparison, 'turn.ok.p99').runs).toEqual({ base: 5, head: 5 });
    expect(metricIn(comparison, 'turns.failedShare').runs).toEqual({ base: 5, head: 5 });
    expect(comparison.warnings.join('\n')).toMatch(
      /turn\.ok\.p50 was omitted in 4 of 10 runs: .*may be up to 8\.00 ms too high/,
    );
    expect(metricIn(comparison, 'turn.ok.p50').reason).toMatch(/2 of 5 head runs omitted: .*up to 8\.00 ms too high/);
    expect(comparison.comparability.refusals).toEqual([]);
  });

  test('makes the comparison invalid, never passed, if no deciding latency is left', () => {
    const all = [900, 900, 900, 900, 900];
    const comparison = compare({ base: all, head: all });
    expect(comparison.verdict).toBe('not_comparable');
    expect(comparison.comparability.refusals).toMatchObject([{ key: 'generator.error', head: 'doubtful' }]);
    const said = refusalText(comparison.comparability.refusals[0] as Refusal);
    expect(said).toMatch(
      /^every deciding latency of turns is doubtful: turn\.ok\.p50 was omitted in 10 of 10 runs: .* too high, turn/,
    );
    expect(said).not.toContain('sessionCreate');
    expect(exitCodeOfComparison({ ...comparison, violatedRuns: 0 })).toBe(4);
  });

  test('is omitted from the change by quantile too, so that no page shows what its verdict omitted', () => {
    // Beyond half of the margin of p50, and within that of p99.
    const all = [8, 8, 8, 8, 8];
    const { localization } = compare({ base: all, head: all }, 1.3);
    const shown = localization?.quantiles.filter(({ change }) => change !== null).map(({ name }) => name);
    expect(shown).toContain('p99');
    expect(shown).not.toContain('p50');
    expect(shown).not.toContain('p10');
  });

  test('is one of half a millisecond whose error is a quarter of it or more, although it is below 1 ms', () => {
    const rule = { name: 'turn.ok.p50', unit: 'ms', margin: 0.05 } as const;
    const read = (valueMs: number, errorMs: number) =>
      withError({ figure: { value: valueMs } } as never, rule, {
        latency: { turn: { ok: { errorMs: { p50Ms: errorMs } } } },
      } as never);
    expect(read(0.5, 0.2)).toMatchObject({ missing: 'doubtful' });
    expect(read(0.5, 0.1)).toMatchObject({ figure: { error: 0.2 } });
    expect(read(30, 0.9)).toHaveProperty('figure');
  });

  test('does not hide a regression that the remaining runs show', () => {
    const comparison = compare({ base: small, head: [0.2, 30, 0.2, 0.2, 0.2] }, 1.3);
    expect(comparison.verdict).toBe('regressed');
  });
});

describe('a side without latencies of turns in its measured time', () => {
  const sideOf = (label: string, change: (run: Result) => Result) => ({
    label,
    runs: [1, 2, 3].map((draw) => ({
      file: `${label}${String(draw)}`,
      result: change(releaseRun({ id: `${label}${String(draw)}`, draw, sitting: label })),
    })),
  });
  const same = (run: Result): Result => run;
  /** All turns ended after the measured time. */
  const emptied = (run: Result): Result => ({
    ...run,
    intervals: run.intervals.map(({ latency, turns, attempts, ...rest }) => ({
      ...rest,
      turns: { ...turns, ok: 0 },
      attempts: { ...attempts, ok: 0 },
      latency: Object.fromEntries(Object.entries(latency).filter(([name]) => !/^(turn|attempt)/.test(name))),
    })),
  });

  test.each([
    ['head', same, emptied],
    ['base', emptied, same],
    ['both', emptied, emptied],
  ])('is not comparable, never unchanged: %s', (_, ofBase, ofHead) => {
    const comparison = compareResults({ toolVersion: '1', base: sideOf('b', ofBase), head: sideOf('h', ofHead) });
    expect(comparison.verdict).toBe('not_comparable');
    expect(comparison.comparability.refusals).toMatchObject([{ key: 'latency.turn.ok' }]);
    expect(exitCodeOfComparison({ ...comparison, violatedRuns: 0 })).toBe(4);
  });
});

describe('errors that are no doubt', () => {
  const widthOf = (comparison: Comparison): number => {
    const { ci95 } = metricIn(comparison, 'turn.ok.p50');
    return (ci95?.high ?? NaN) - (ci95?.low ?? NaN);
  };

  test('widen the interval by the difference of the sides, not by equal errors', () => {
    const none = widthOf(compare({ base: [0, 0, 0, 0, 0], head: [0, 0, 0, 0, 0] }));
    const equal = widthOf(compare({ base: [4, 4, 4, 4, 4], head: [4, 4, 4, 4, 4] }));
    const apart = widthOf(compare({ base: [0, 0, 0, 0, 0], head: [4, 4, 4, 4, 4] }));
    expect(equal).toBeCloseTo(none, 2);
    // 4 ms of 200 ms on either side of the interval.
    expect(apart - none).toBeGreaterThan(0.03);
    expect(apart - none).toBeLessThan(0.05);
  });
});
