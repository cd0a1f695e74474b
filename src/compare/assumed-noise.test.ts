import { randomInt, randomNormal } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { compareRuns, historyWith } from '../../test/support/compare-runs.ts';
import { drawEvents } from '../../test/support/draw-events.ts';
import { logsOf, rateRule, runsOf, shareRule, latencyRule } from '../../test/support/observed-runs.ts';
import { releaseRun, type ReleaseRun } from '../../test/support/release-run.ts';
import { randomOf, type Random } from '../base/random.ts';
import type { Result } from '../result/result.ts';
import { type MetricRule, metricRules } from './metrics/metric-rules.ts';
import { judgeFamily } from './statistics/judge-family.ts';
import type { Observed } from './document/side.ts';

/** Five runs of a release back to back. */
const sitting = (name: string, options: Partial<ReleaseRun> = {}, runs = 5): Result[] =>
  Array.from({ length: runs }, (_, at) =>
    releaseRun({
      id: `${name}-${String(at)}`,
      draw: name.length * 100 + at,
      sitting: name,
      intervals: 12,
      turnsPerInterval: 80,
      ...options,
    }),
  );

const base = sitting('monday');

describe('one batch per side and no history', () => {
  test.each([
    ['62 %', 1.62],
    ['136 %', 2.36],
  ])('decide that %s more is a regression, by an assumed noise that the summary starts with', (_, slowness) => {
    const comparison = compareRuns(base, sitting('tuesday', { slowness }));
    expect([comparison.design.unit, comparison.design.assumedNoise]).toEqual(['sitting', 0.05]);
    expect(comparison.summary).toMatch(
      /^One batch of runs per side and no history: batches are assumed to differ by 5 % \(standard deviation, --assume-noise\); changes of turn\.ok\.p50 are seen from 15\.6 % on\. Regressed: turn\.ok\.p50 \+/,
    );
    const median = comparison.metrics.find(({ name }) => name === 'turn.ok.p50');
    expect(median).toMatchObject({
      verdict: 'regressed',
      isNoiseAssumed: true,
      degreesOfFreedom: null,
      priorDegreesOfFreedom: null,
      noise: null,
      runsNeeded: null,
    });
    expect(comparison.localization?.shape).toBe('middle');
    expect(comparison.localization?.quantiles.find(({ name }) => name === 'p50')?.ci95).not.toBeNull();
  });

  test('leave changes below the difference between batches undecided, with a remedy', () => {
    const comparison = compareRuns(base, sitting('tuesday', { slowness: 1.1 }));
    expect(comparison.verdict).toBe('inconclusive');
    // More runs do not reduce an assumed difference between batches.
    const open = comparison.metrics.filter(
      ({ verdict, isNoiseAssumed }) => verdict === 'inconclusive' && isNoiseAssumed,
    );
    expect(open.length).toBeGreaterThan(0);
    expect(open.flatMap(({ runsNeeded }) => runsNeeded ?? [])).toEqual([]);
    expect(comparison.summary).toMatch(
      /: a change of less than 14\.9 % \(turn\.ok\.p50\) cannot be seen with 5 runs per side; use chat-load ab\.$/,
    );
  });

  test('decide less the higher the assumed noise', () => {
    expect(compareRuns(base, sitting('tuesday', { slowness: 1.62 }), { assumedNoise: 0.3 }).verdict).toBe(
      'inconclusive',
    );
    expect(compareRuns(base, sitting('tuesday', { slowness: 1.1 }), { assumedNoise: 0.01 }).verdict).toBe('regressed');
  });

  test('are judged by at least the noise of their own runs', () => {
    const uneven = [0.7, 0.85, 1, 1.2, 1.4];
    const unevenly = (name: string, by: number) =>
      sitting(name).map((result, at) => ({
        ...releaseRun({
          id: result.run.id,
          draw: at + by,
          sitting: name,
          intervals: 12,
          turnsPerInterval: 80,
          slowness: (uneven[at] ?? 1) * by,
        }),
      }));
    expect(compareRuns(unevenly('monday', 1), unevenly('tuesday', 1.3)).verdict).not.toBe('regressed');
  });

  test('do not rely on a history where their own runs are noisier than assumed', () => {
    const uneven = (name: string): Result[] =>
      [0.6, 0.8, 1, 1.3, 1.7].flatMap((slowness, at) =>
        sitting(name, { slowness, draw: at }, 1).map((result) => ({
          ...result,
          run: { ...result.run, id: `${name} ${String(at)}` },
        })),
      );
    const { summary } = compareRuns(uneven('monday'), uneven('tuesday'));
    expect(summary).toMatch(/^One batch of runs per side and no history\b/);
  });

  test('also consist of one run per side', () => {
    const [one, other] = [base.slice(0, 1), sitting('tuesday', { slowness: 1.62 }, 1)];
    const comparison = compareRuns(one, other);
    expect(comparison.verdict).toBe('regressed');
    expect(comparison.summary).toMatch(/^One run per side and no history: batches are assumed to differ by 5 %/);
    const together = [...one, ...other].map((result) => ({ ...result, run: { ...result.run, sitting: 'tonight' } }));
    const inOne = compareRuns(together.slice(0, 1), together.slice(1));
    expect([inOne.design.unit, inOne.verdict]).toEqual(['run', 'regressed']);
    expect(inOne.summary).toMatch(/^One run per side and no history: runs are assumed to differ by 5 %/);
  });
});

describe('the assumption is replaced', () => {
  const [first] = base;
  if (first === undefined) throw new Error('no run');
  const historyOf = (sittingDegrees: number) =>
    historyWith(first, { runDegrees: 24, sittingDegrees, runsPerSitting: 5 });
  const slower = sitting('tuesday', { slowness: 1.1 });

  test('as soon as history has five degrees of freedom', () => {
    const [short, long] = [4, 5].map((degrees) => compareRuns(base, slower, { history: historyOf(degrees) }));
    expect([short?.design.assumedNoise, short?.verdict]).toEqual([0.05, 'inconclusive']);
    expect([long?.design.assumedNoise, long?.verdict]).toEqual([null, 'regressed']);
    expect(long?.summary).toMatch(/^One batch of runs per side relies only on the history\. Regressed/);
  });

  test('as soon as the batches themselves have five', () => {
    const nights = (count: number, slowness: number) =>
      Array.from({ length: count }, (_, night) =>
        sitting(`night ${'x'.repeat(night)} ${String(slowness)}`, { slowness }, 1),
      ).flat();
    expect(compareRuns(nights(3, 1), nights(3, 1.1)).design.assumedNoise).toBe(0.05);
    expect(compareRuns(nights(3, 1), nights(4, 1.1)).design.assumedNoise).toBeNull();
  });

  test('if runs of one batch show their noise', () => {
    const runs = (name: string, slowness: number) =>
      sitting(name, { slowness }, 3).map((result) => ({ ...result, run: { ...result.run, sitting: 'tonight' } }));
    expect(compareRuns(runs('v1', 1), runs('v2', 1.1)).design.assumedNoise).toBeNull();
  });
});

const comparisons = 2000;
const ratioRule = metricRules.find(({ name }) => name === 'retries.amplification') ?? latencyRule;

/** Model that a batch of five runs is drawn from. */
interface NoiseModel {
  /** Standard deviation of batches, as a share of the measured value. */
  drift: number;
  factor: number;
}

const gaussian = (random: Random) => randomNormal.source(random)(0, 1);

const latencies = (random: Random, { drift, factor }: NoiseModel, name: string): Observed[] => {
  const normal = gaussian(random);
  const level = Math.log(200 * factor) + drift * normal();
  return runsOf(
    Array.from({ length: 5 }, () => level + 0.02 * normal()),
    { sitting: name },
  );
};

/** Failed turns, or retries: one in fifty of 4,000 turns per run. */
const counts = (random: Random, { drift, factor }: NoiseModel): number[] => {
  const share = 0.02 * factor * Math.exp(drift * gaussian(random)());
  return Array.from({ length: 5 }, () => drawEvents(random, { share, count: 4000 }));
};
const shares = (random: Random, distribution: NoiseModel, name: string): Observed[] =>
  counts(random, distribution).map((events) => ({
    figure: { level: 0, value: events / 4000, count: 4000, withinVariance: 1 / 4000 },
    sitting: name,
    pair: null,
  }));
const ratios = (random: Random, distribution: NoiseModel, name: string): Observed[] =>
  counts(random, distribution).flatMap((retries) =>
    runsOf(logsOf([1 + retries / 4000]), {
      sitting: name,
      count: 4000,
      within: (retries + 1) / (4000 + retries) ** 2,
    }),
  );

interface Assumed {
  noise?: number;
  degrees?: number;
}

/** Returns the share of comparisons of drawn batches that report a change. */
function alarms(
  rule: MetricRule,
  draw: typeof latencies,
  { drift, factor, noise = 0.05, degrees }: NoiseModel & Assumed,
): number {
  const random = randomOf(33, Math.round(drift * 1000), Math.round(factor * 100));
  let found = 0;
  for (let comparison = 0; comparison < comparisons; comparison++) {
    const sides = {
      base: draw(random, { drift, factor: 1 }, 'monday'),
      head: draw(random, { drift, factor }, 'tuesday'),
    };
    const [judged] = judgeFamily([{ rule, ...sides }], { q: 0.05, assumedNoise: noise, assumedDegrees: degrees });
    if (judged?.verdict === 'regressed' || judged?.verdict === 'improved') found++;
  }
  return found / comparisons;
}

/** Three standard errors of a share of the drawn comparisons, and half a point for the noise of the runs. */
const chance = (share: number): number => 3 * Math.sqrt((share * (1 - share)) / comparisons) + 0.005;

describe('batches that differ as assumed', () => {
  test.each([
    ['latency', latencyRule, latencies, 1.62],
    ['throughput', rateRule, latencies, 1.62],
    ['failed turns', shareRule, shares, 1.62],
    ['amplification', { ...ratioRule, margin: 0.001 }, ratios, 1.62],
  ] as const)('raise an alarm in 5 %% of equal releases and detect large changes: %s', (_, rule, draw, factor) => {
    expect(alarms(rule, draw, { drift: 0.05, factor: 1 })).toBeLessThanOrEqual(0.05 + chance(0.05));
    expect(alarms(rule, draw, { drift: 0.05, factor })).toBeGreaterThan(0.95);
  });
});

describe('one batch per side, in the figures of the design', () => {
  // The share of a normal distribution beyond 1.96 assumed standard deviations of the difference.
  test.each([
    ['as assumed', 0.05, 0.05],
    ['by 4 %', 0.04, 0.0143],
    ['by 10 %', 0.1, 0.327],
  ])('batches that differ %s raise an alarm in a known share of equal releases', (_, drift, share) => {
    const found = alarms(latencyRule, latencies, { drift, factor: 1 });
    expect(found).toBeGreaterThan(share - chance(share));
    expect(found).toBeLessThan(share + chance(share));
  });

  test('20 % more is found in 73 of 100 comparisons of batches that differ as assumed, and nearly always if they differ little', () => {
    expect(Math.abs(alarms(latencyRule, latencies, { drift: 0.05, factor: 1.2 }) - 0.732)).toBeLessThan(chance(0.732));
    expect(alarms(latencyRule, latencies, { drift: 0.01, factor: 1.2 })).toBeGreaterThan(0.99);
    expect(alarms(latencyRule, latencies, { drift: 0.02, factor: 1.2 })).toBeGreaterThan(0.9);
  });

  test('alarms begin near 15 %, near 18 % of several days, and near 9 % if 3 % is assumed', () => {
    const from = (by: number, assumed: Assumed = {}): number =>
      alarms(latencyRule, (_, { factor }, name) => steady(factor, name), { drift: 0, factor: by, ...assumed });
    expect([from(1.145), from(1.152)]).toEqual([0, 1]);
    expect([from(1.174, { degrees: 8 }), from(1.18, { degrees: 8 })]).toEqual([0, 1]);
    expect([from(1.084, { noise: 0.03 }), from(1.089, { noise: 0.03 })]).toEqual([0, 1]);
  });
});

/** Five runs within 1 % of one another. */
const steady = (factor: number, name: string): Observed[] =>
  runsOf(
    [-0.01, -0.005, 0, 0.005, 0.01].map((luck) => Math.log(100 * factor) + luck),
    { sitting: name },
  );

describe('counts per turn are not assumed to differ with the speed of machines', () => {
  const callsRule = {
    ...latencyRule,
    unit: 'count',
    source: { kind: 'quotient', of: 'a', per: 'b', scale: 1 },
  } as const;
  const judged = (base: Observed[], head: Observed[]) =>
    judgeFamily([{ rule: callsRule, base, head }], { q: 0.05, assumedNoise: 0.05 })[0];

  const turns = 300;
  /** Five runs whose turns call a model `from` to `from + 2` times. */
  const calls = (random: Random, from: number, sitting: string): Observed[] => {
    const draw = randomInt.source(random)(from, from + 3);
    return Array.from({ length: 5 }, () => {
      const mean = Array.from({ length: turns }, () => draw()).reduce((sum, each) => sum + each, 0) / turns;
      const within = 2 / 3 / turns / mean ** 2;
      return runsOf(logsOf([mean]), { sitting, count: turns, within });
    }).flat();
  };
  const alarmsAt = (from: number, to: number): number => {
    const random = randomOf(34, from, to);
    const verdicts = Array.from(
      { length: comparisons / 4 },
      () => judged(calls(random, from, 'monday'), calls(random, to, 'tuesday'))?.verdict,
    );
    return verdicts.filter((verdict) => verdict === 'regressed' || verdict === 'improved').length / verdicts.length;
  };

  test('a certain change is decided, and equal counts are unchanged', () => {
    const side = (count: number, sitting: string, within: number | null): Observed[] =>
      runsOf(
        Array.from({ length: 5 }, () => Math.log(count)),
        { sitting, count: 200, within },
      );
    for (const within of [0, null]) {
      const change = judged(side(2, 'monday', within), side(3, 'tuesday', within));
      expect(change).toMatchObject({ verdict: 'regressed', isNoiseAssumed: true, degreesOfFreedom: null });
      expect(change?.p).toBeLessThan(0.001);
      expect(judged(side(2, 'monday', within), side(2, 'tuesday', within))?.verdict).toBe('unchanged');
    }
  });

  test('chance raises an alarm in at most 5 % of equal releases, and a call more is found', () => {
    expect(alarmsAt(1, 1)).toBeLessThanOrEqual(0.05);
    expect(alarmsAt(2, 3)).toBeGreaterThan(0.99);
  });
});
