import { describe, expect, test } from 'vitest';
import fixture from '../../../test/fixtures/weighed-changes.json' with { type: 'json' };
import {
  latencyRule,
  logsOf,
  rateRule,
  runHistory,
  runsOf,
  shareRule,
  shareRuns,
} from '../../../test/support/observed-runs.ts';
import { estimateChange } from './estimate-change.ts';
import { judgeChange } from './judge-change.ts';
import type { MetricRule } from '../metrics/metric-rules.ts';
import type { Observed } from '../document/side.ts';

const a = logsOf([101, 99.5, 100.2, 98.9, 100.9]);
const b = logsOf([106.2, 104.9, 107.1, 105.5, 106]);

interface JudgedSides {
  rule?: MetricRule;
  base: readonly Observed[];
  head: readonly Observed[];
  history?: ReturnType<typeof runHistory>;
  q?: number;
}

/** Judges one metric as a separate family. */
function judge({ rule = latencyRule, base, head, history, q = 0.05 }: JudgedSides) {
  const estimate = estimateChange(base, head, { history });
  const pAdjusted = 'unknown' in estimate.noise ? null : estimate.noise.p;
  return judgeChange({ rule, estimate, pAdjusted, q, level: q, adjustedFor: 1, count: 60_000 });
}

describe('a latency that rose by 6 %', () => {
  test('has regressed, by the ratio and the interval of the design', () => {
    const judged = judge({ base: runsOf(a), head: runsOf(b), history: runHistory(4e-4, 6) });
    expect(judged).toMatchObject({
      verdict: 'regressed',
      degreesOfFreedom: 14,
      priorDegreesOfFreedom: 6,
      runsNeeded: null,
    });
    expect(judged.change).toBeCloseTo(0.0584, 4);
    expect(judged.ci95?.low).toBeCloseTo(0.0377, 4);
    expect(judged.ci95?.high).toBeCloseTo(0.0795, 4);
    // t(.975, 14) = 2.144787 and t(.8, 14) = 0.868055 by scipy.
    expect(judged.smallestDetectable).toBeCloseTo(Math.expm1((2.144787 + 0.868055) * 0.0092046), 4);
  });

  test('without history has the interval of the noise within runs, which longer runs would narrow', () => {
    const judged = judge({ base: runsOf(a), head: runsOf(b) });
    expect(judged.ci95?.low).toBeCloseTo(0.043, 4);
    expect(judged.ci95?.high).toBeCloseTo(0.0739, 4);
    expect(judged.noise).toBe('within_runs');
    const steady = { within: 1e-6 };
    expect(judge({ base: runsOf(a, steady), head: runsOf(b, steady) }).noise).toBe('between_runs');
  });

  test('is inconclusive from one run per side, with the needed number', () => {
    const judged = judge({ base: runsOf(a.slice(0, 1)), head: runsOf(b.slice(0, 1)), history: runHistory(4e-4, 6) });
    expect(judged.verdict).toBe('inconclusive');
    expect(judged.ci95?.low).toBeCloseTo(0.9812 - 1, 4);
    expect(judged.ci95?.high).toBeCloseTo(1.1268 - 1, 4);
    // 2 V ((t.975 + t.8) / ln 1.05)^2 with t of 6 + 2 (n - 1) degrees: 3 runs are too few, 4 are enough.
    expect(judged.runsNeeded).toBe(4);
  });

  test('reports that it is noisier than the history', () => {
    const quiet = { within: 1e-6 };
    const judged = judge({ base: runsOf(a, quiet), head: runsOf(b, quiet), history: runHistory(2e-6, 6) });
    expect(judged.reason).toBe('noisier than the history, which was not used');
  });

  test('has no noise figures from one run per side without history', () => {
    const judged = judge({ base: runsOf([1]), head: runsOf([1.1]) });
    expect(judged).toMatchObject({ verdict: 'inconclusive', reason: 'one run per side and no history', p: null });
    expect([judged.ci95, judged.ci90, judged.pBeyondMargin, judged.smallestDetectable]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(judged.change).toBeCloseTo(Math.expm1(0.1), 12);
  });
});

describe('the direction of a change', () => {
  const [slow, fast] = [runsOf(b), runsOf(a)];
  test.each([
    ['higher', fast, slow, latencyRule, 'regressed'],
    ['lower', slow, fast, latencyRule, 'improved'],
    ['higher', fast, slow, rateRule, 'improved'],
    ['lower', slow, fast, rateRule, 'regressed'],
  ] as const)('%s is judged by the metric', (_, base, head, rule, verdict) =>
    expect(judge({ base, head, rule }).verdict).toBe(verdict),
  );

  test('is the one of the margin exceeded', () => {
    const worse = judge({ base: slow, head: fast, rule: rateRule }).pBeyondMargin ?? NaN;
    const better = judge({ base: fast, head: slow, rule: rateRule }).pBeyondMargin ?? NaN;
    // (0.056712 - ln 1.03) / 0.006325 = 4.293 standard errors with 8 degrees of freedom: 1 - scipy.stats.t.sf.
    expect(worse).toBeCloseTo(0.9986801672450734, 7);
    expect(better).toBeLessThan(1e-5);
  });
});

describe('a small change', () => {
  const near = logsOf([101.2, 100.1, 101, 99.5, 101.3]);
  test('is none when its interval is inside the margin', () => {
    expect(judge({ base: runsOf(a), head: runsOf(near) })).toMatchObject({ verdict: 'unchanged', reason: null });
  });

  test('is none by the 90 % interval, not by the one of 95 %', () => {
    // A standard error of 0.0235 with 8 degrees: 1.86 of them are less than ln 1.05, 2.31 are more.
    const noisy = { within: 0.0235 ** 2 * 2.5 };
    const judged = judge({ base: runsOf(a, noisy), head: runsOf(a, noisy) });
    expect(judged.verdict).toBe('unchanged');
    expect(judged.ci90?.high).toBeLessThan(0.05);
    expect(judged.ci95?.high).toBeGreaterThan(0.05);
  });

  test('beyond noise is still unchanged, with a remark', () => {
    const still = { within: 1e-7 };
    const steady = [4.6, 4.6005, 4.5995];
    const judged = judge({
      base: runsOf(steady, still),
      head: runsOf(
        steady.map((level) => level + 0.01),
        still,
      ),
    });
    expect(judged).toMatchObject({ verdict: 'unchanged', reason: 'changed, but within the margin' });
    expect(judged.pAdjusted).toBeLessThan(0.05);
  });

  test('is inconclusive in much noise', () => {
    const noisy = { within: 0.01 };
    expect(judge({ base: runsOf(a, noisy), head: runsOf(near, noisy) }).verdict).toBe('inconclusive');
  });

  test('at the margin cannot be decided by more runs', () => {
    const still = { within: 1e-5 };
    const judged = judge({
      base: runsOf(a, still),
      head: runsOf(
        a.map((level) => level + 0.048),
        still,
      ),
    });
    expect(judged).toMatchObject({ verdict: 'inconclusive', runsNeeded: null });
    expect(judged.reason).toBe('changed, but possibly within the margin');
  });
});

describe('runs without any noise', () => {
  const silent = { within: 0 };
  const same = (level: number, runs: number) =>
    runsOf(
      Array.from({ length: runs }, () => level),
      silent,
    );

  test('that are equal are unchanged', () => {
    expect(judge({ base: same(1, 3), head: same(1, 3) })).toMatchObject({
      verdict: 'unchanged',
      p: 1,
      change: 0,
      pBeyondMargin: 0,
      smallestDetectable: 0,
      noise: null,
      ci95: { low: 0, high: 0 },
    });
  });

  test('that differ have no interval, and regress if permutation confirms it', () => {
    const few = judge({ base: same(1, 3), head: same(1.2, 3) });
    expect(few).toMatchObject({ verdict: 'inconclusive', ci95: null, ci90: null, pBeyondMargin: null });
    expect(few.reason).toBe('these runs show no noise: p is computed by permutation');
    expect(judge({ base: same(1, 5), head: same(1.2, 5) })).toMatchObject({ verdict: 'regressed', reason: few.reason });
  });
});

describe('a share', () => {
  test('that doubled from 0.1 % is judged in percentage points', () => {
    const judged = judge({
      rule: shareRule,
      base: shareRuns([58, 63, 60, 55, 64], 60_000),
      head: shareRuns([180, 190, 176, 181, 188], 60_000),
    });
    expect(judged.verdict).toBe('regressed');
    // 60 and 183 of 60,000.
    expect(judged.change).toBeCloseTo(123 / 60_000, 6);
    expect(judged.ci95?.low).toBeGreaterThan(0.0015);
    expect(judged.ci95?.high).toBeLessThan(0.0026);
  });

  test('without events on either side is unchanged if there are enough turns', () => {
    const none = (count: number) => shareRuns([0, 0, 0], count);
    const many = judge({ rule: shareRule, base: none(60_000), head: none(60_000) });
    expect(many).toMatchObject({ verdict: 'unchanged', p: 1, change: 0 });
    // The square of the upper end of the interval: t(.975, 4) standard errors of the root of (2/3)/60,000.
    const root = 2 * Math.sqrt(0.375 / 60_000);
    const end = root + 2.7764451 * Math.sqrt(2 / 3 / 60_000);
    expect(many.ci95?.high).toBeCloseTo((end ** 2 - root ** 2) / 4, 9);
    expect(many.ci95?.low).toBe(0);
    expect(judge({ rule: shareRule, base: none(500), head: none(500) }).verdict).toBe('inconclusive');
  });

  test('cannot improve by more than it was', () => {
    const judged = judge({
      rule: shareRule,
      base: shareRuns([30, 31, 29, 33, 30], 60_000),
      head: shareRuns([0, 0, 0, 0, 0], 60_000),
    });
    expect(judged).toMatchObject({ verdict: 'unchanged', reason: 'changed, but within the margin' });
  });
});

test.each(fixture.changes.map((each, index) => ({ ...each, index })))(
  'is judged as in the simulation: case $index',
  ({ a: base, b: head, paired, within, history, margin, alpha, shift, half, verdict }) => {
    const options = { within, ...(paired ? { pairFrom: 1 } : {}) };
    const [variance = 0, degrees = 0] = history ?? [];
    const judged = judge({
      base: runsOf(base, options),
      head: runsOf(head, options),
      history: runHistory(variance, degrees),
      rule: { ...latencyRule, margin },
      q: alpha,
    });
    expect(judged.verdict).toBe(verdict);
    expect(judged.ci95?.low).toBeCloseTo(Math.expm1(shift - half), 8);
    expect(judged.ci95?.high).toBeCloseTo(Math.expm1(shift + half), 8);
  },
);
