import { describe, expect, test } from 'vitest';
import fixture from '../../../test/fixtures/weighed-changes.json' with { type: 'json' };
import { logsOf, runHistory, runsOf, shareRuns } from '../../../test/support/observed-runs.ts';
import { estimateChange as estimateKnowing, type ChangeEstimate, type Noise } from './estimate-change.ts';
import { logScale, rootScale } from '../../statistics/scales.ts';
import type { Observed } from '../document/side.ts';
import type { MetricHistory } from '../document/history.ts';

const estimateChange = (
  base: readonly Observed[],
  head: readonly Observed[],
  history?: MetricHistory,
): ChangeEstimate => estimateKnowing(base, head, { history });

const a = logsOf([101, 99.5, 100.2, 98.9, 100.9]);
const b = logsOf([106.2, 104.9, 107.1, 105.5, 106]);

/** The noise of an estimate that has one. */
function noiseOf({ noise }: ReturnType<typeof estimateChange>): Noise {
  if ('unknown' in noise) throw new Error(noise.unknown);
  return noise;
}

describe('five runs per side in one batch', () => {
  test('are weighed with the history', () => {
    const estimate = estimateChange(runsOf(a), runsOf(b), runHistory(0.02 ** 2, 12));
    const { standardError, degrees, priorDegreesOfFreedom, p } = noiseOf(estimate);
    expect(estimate.unit).toBe('run');
    expect(estimate.shift).toBeCloseTo(0.056712, 6);
    expect(standardError).toBeCloseTo(0.009205, 6);
    expect([degrees, priorDegreesOfFreedom]).toEqual([14, 6]);
    expect(p).toBeCloseTo(2.472e-5, 8);
  });

  test('without history are weighed by the noise within the runs if that is larger', () => {
    const { standardError, degrees, withinRuns, variance } = noiseOf(estimateChange(runsOf(a), runsOf(b)));
    expect(standardError).toBeCloseTo(0.006325, 6);
    expect(degrees).toBe(8);
    expect(withinRuns).toBeCloseTo(1e-4, 12);
    expect(variance).toBeCloseTo(1e-4, 12);
  });

  test('ignore a history that they contradict', () => {
    const quiet = { within: 1e-6 };
    const noise = noiseOf(estimateChange(runsOf(a, quiet), runsOf(b, quiet), runHistory(2e-6, 6)));
    expect(noise.noisierThan).toBe('history');
    expect(noise.standardError).toBeCloseTo(0.005318, 6);
    expect([noise.degrees, noise.priorDegreesOfFreedom]).toEqual([8, 0]);
  });

  test('ignore a history that is too short', () => {
    expect(noiseOf(estimateChange(runsOf(a), runsOf(b), runHistory(0.02 ** 2, 4))).priorDegreesOfFreedom).toBe(0);
  });
});

describe('one run per side', () => {
  test('is weighed by history alone', () => {
    const { standardError, degrees, p } = noiseOf(
      estimateChange(runsOf(a.slice(0, 1)), runsOf([Math.log(106.2)]), runHistory(4e-4, 6)),
    );
    expect(standardError).toBeCloseTo(0.028284, 6);
    expect(degrees).toBe(6);
    expect(p).toBeCloseTo(0.1263, 4);
  });

  test.each([
    ['in one batch', { sitting: 'tonight' }],
    ['without a batch', { sitting: null }],
    ['as a pair', { pairFrom: 1 }],
  ])('%s and no history show the change, but no noise', (_, options) => {
    const estimate = estimateChange(runsOf([1], options), runsOf([1.1], options));
    expect(estimate.noise).toEqual({ unknown: 'one run per side and no history' });
    expect(estimate.shift).toBeCloseTo(0.1, 12);
  });
});

describe('pairs', () => {
  const drift = [0, 0.3, -0.2, 0.15, 0.5];
  const paired = { pairFrom: 1, within: 1e-9 };
  const drifted = (levels: readonly number[]) => levels.map((level, index) => level + (drift[index] ?? 0));

  test('cancel the part that both share', () => {
    const noise = noiseOf(estimateChange(runsOf(drifted(a), paired), runsOf(drifted(b), paired)));
    const still = noiseOf(estimateChange(runsOf(a, paired), runsOf(b, paired)));
    expect(noise.standardError).toBeCloseTo(still.standardError, 12);
    expect(noise.degrees).toBe(4);
    // The paired t of scipy.stats.ttest_rel(b, a).
    expect(still.p).toBeCloseTo(0.00010432113619156607, 10);
  });

  test('contain the noise of two runs, in history and within', () => {
    const history = runHistory(4e-4, 30);
    const one = noiseOf(estimateChange(runsOf([1], paired), runsOf([1.1], paired), history));
    expect(one.variance).toBeCloseTo(8e-4, 12);
    const noisy = { pairFrom: 1, within: 0.01 };
    expect(noiseOf(estimateChange(runsOf(a, noisy), runsOf(b, noisy), history)).variance).toBeCloseTo(0.02, 12);
  });
});

describe('sides in different batches', () => {
  const at = (sitting: string, levels: readonly number[]) => runsOf(levels, { sitting, within: 1e-8 });
  const history: MetricHistory = {
    runVariance: 1e-4,
    runDegrees: 40,
    sittingVariance: 9e-4,
    sittingDegrees: 19,
    runsPerSitting: 5,
  };

  test('are one observation per batch: drift between batches is not a change', () => {
    const [base, head] = [at('monday', a), at('tuesday', b)];
    expect(estimateChange(base, head).noise).toEqual({ unknown: 'one batch of runs per side and no history' });
    const noise = noiseOf(estimateChange(base, head, history));
    expect(noise.variance).toBeCloseTo(9e-4, 12);
    expect(noise.standardError).toBeCloseTo(Math.sqrt(2 * 9e-4), 12);
    expect(noise.degrees).toBe(10);
  });

  test('need a history of some length', () => {
    const short: MetricHistory = { ...history, sittingDegrees: 4 };
    expect(estimateChange(at('monday', a), at('tuesday', b), short).noise).toEqual({
      unknown: 'one batch of runs per side and no history',
    });
  });

  test('have less noise of their own the more runs they hold', () => {
    const noisy = (sitting: string, levels: readonly number[]) => runsOf(levels, { sitting, within: 0.05 });
    expect(noiseOf(estimateChange(noisy('1', a), noisy('2', b), history)).variance).toBeCloseTo(0.05 / 5, 12);
  });

  test('with fewer runs per batch than the history, contain more of the noise of runs', () => {
    const noise = noiseOf(estimateChange(at('monday', [1]), at('tuesday', [1.1]), history));
    // Drift 9e-4 - 1e-4 / 5, and one run's noise.
    expect(noise.variance).toBeCloseTo(8.8e-4 + 1e-4, 12);
  });

  test('are weighed by their own batches if there are several', () => {
    const base = [...at('1', [1, 1.02]), ...at('2', [1.1, 1.12])];
    const head = [...at('3', [1.3, 1.3]), ...at('4', [1.2, 1.2])];
    const noise = noiseOf(estimateChange(base, head));
    expect(noise.degrees).toBe(2);
    // Means of batches 1.01 and 1.11, 1.3 and 1.2.
    expect(noise.variance).toBeCloseTo((0.005 + 0.005) / 2, 12);
  });

  test('use the variance of batches as the variance of runs if the history has one run each', () => {
    const single: MetricHistory = { ...history, runVariance: null, runDegrees: 0, runsPerSitting: 1 };
    expect(noiseOf(estimateChange(runsOf([1]), runsOf([1.1]), single)).variance).toBeCloseTo(9e-4, 12);
  });
});

describe('the assumed noise of one batch per side', () => {
  const quiet = [-0.01, -0.005, 0, 0.005, 0.01];
  const sides = (scatter: number, at = ['monday', 'tuesday']): [Observed[], Observed[]] => {
    const [base = [], head = []] = at.map((sitting) =>
      runsOf(
        quiet.map((luck) => 5 + luck * scatter),
        { sitting, within: 1e-8 },
      ),
    );
    return [base, head];
  };
  const assuming = (relative: number, degrees?: number) => ({ assumed: { relative, scale: logScale, degrees } });

  test.each([
    [0.05, undefined, 1.959964 * Math.SQRT2 * 0.05],
    [0.03, undefined, 1.959964 * Math.SQRT2 * 0.03],
    // t(.975, 8) = 2.306004.
    [0.05, 8, 2.306004 * Math.SQRT2 * 0.05],
  ])('%d, worth %s degrees of freedom, has p = 5 %% at its quantile', (relative, degrees, shift) => {
    const [base, head] = sides(1);
    const moved = head.map((run) => ({ ...run, figure: { ...run.figure, level: run.figure.level + shift } }));
    const noise = noiseOf(estimateKnowing(base, moved, assuming(relative, degrees)));
    expect(noise.p).toBeCloseTo(0.05, 6);
    expect([noise.degrees, noise.isAssumed]).toEqual([degrees ?? Infinity, true]);
  });

  test('is replaced by the runs within the batches if they show more, with their own degrees of freedom', () => {
    // Runs with a variance of 6.25e-5 times the square of the scatter: a fifth of that per batch.
    const [less, more] = [14, 15].map((scatter) => noiseOf(estimateKnowing(...sides(scatter), assuming(0.05))));
    expect([less?.degrees, less?.isAssumed, less?.noisierThan]).toEqual([Infinity, true, null]);
    expect(less?.variance).toBeCloseTo(0.0025, 12);
    expect([more?.degrees, more?.priorDegreesOfFreedom, more?.isAssumed, more?.noisierThan]).toEqual([
      8,
      0,
      false,
      'assumed',
    ]);
    expect(more?.variance).toBeCloseTo((6.25e-5 * 15 ** 2) / 5, 12);
  });

  test('of counts is added to the noise of the counts', () => {
    const [base, head] = [shareRuns([80, 80], 4000, { sitting: '1' }), shareRuns([80, 80], 4000, { sitting: '2' })];
    const assumed = { relative: 0.05, scale: rootScale, isOfCounts: true };
    const level = 2 * Math.sqrt(80.375 / 4000);
    expect(noiseOf(estimateKnowing(base, head, { assumed })).variance).toBeCloseTo((0.025 * level) ** 2 + 1 / 8000, 12);
  });

  test('next to several batches per side is worth 8 degrees of freedom, and theirs are added', () => {
    const [one, two] = sides(1);
    const [three, four] = sides(1, ['wednesday', 'thursday']);
    const noise = noiseOf(estimateKnowing([...one, ...three], [...two, ...four], assuming(0.05)));
    expect([noise.degrees, noise.priorDegreesOfFreedom]).toEqual([10, 8]);
    expect(noise.variance).toBeCloseTo((8 * 0.0025) / 10, 12);
  });

  test('of one run per side is not known if the runs themselves show more', () => {
    const noisy = (sitting: string) => runsOf([5], { sitting, within: 0.01 });
    const noise = noiseOf(estimateKnowing(noisy('1'), noisy('2'), assuming(0.05)));
    expect([noise.variance, noise.degrees]).toEqual([0.01, 8]);
  });
});

describe('runs without noise', () => {
  test('that are equal differ with a probability of 1, not of 0', () => {
    const noise = noiseOf(estimateChange(runsOf([1, 1, 1], { within: 0 }), runsOf([1, 1, 1], { within: 0 })));
    expect([noise.p, noise.standardError]).toEqual([1, 0]);
  });

  test('are not affected by rounding noise', () => {
    const [third, other] = [Math.log(1.1), Math.log(1.1) + 4e-16];
    const noise = noiseOf(
      estimateChange(runsOf([third, other, third], { within: 0 }), runsOf([other, third, other], { within: 0 })),
    );
    expect(noise.p).toBe(1);
  });

  test('that differ are distinguished by permutation alone', () => {
    const silent = { within: 0 };
    const pOf = (runs: number, options: object) => {
      const sides = [1, 1.2].map((level) =>
        runsOf(
          Array.from({ length: runs }, () => level),
          { ...silent, ...options },
        ),
      );
      return noiseOf(estimateChange(sides[0] ?? [], sides[1] ?? [])).p;
    };
    expect(pOf(3, {})).toBeCloseTo(2 / 20, 12);
    expect(pOf(5, {})).toBeCloseTo(2 / 252, 12);
    expect(pOf(5, { pairFrom: 1 })).toBeCloseTo(1 / 16, 12);
  });

  test('but with noise within them are weighed by that', () => {
    const same = runsOf([1, 1, 1], { within: 1e-4 });
    const noise = noiseOf(estimateChange(same, runsOf([1.01, 1.01, 1.01])));
    expect(noise.standardError).toBeCloseTo(Math.sqrt((1e-4 * 2) / 3), 12);
  });

  test('without failed turns are distinguished within the limits of chance', () => {
    const noise = noiseOf(estimateChange(shareRuns([0, 0, 0], 3000), shareRuns([0, 0, 0], 3000)));
    expect(noise.p).toBe(1);
    expect(noise.standardError).toBeCloseTo(Math.sqrt(2 / 3 / 3000), 12);
  });
});

describe('runs too short to judge the noise within them', () => {
  const short = { within: null };
  test('must be at least three per side', () => {
    expect(estimateChange(runsOf(a.slice(0, 2), short), runsOf(b, short)).noise).toEqual({
      unknown: 'too few intervals to estimate the noise within a run: 3 runs per side are needed',
    });
    const noise = noiseOf(estimateChange(runsOf(a.slice(0, 3), short), runsOf(b.slice(0, 3), short)));
    expect(noise.withinRuns).toBeNull();
    expect(noise.standardError).toBeGreaterThan(0);
  });
});

test('sides may have unlike numbers of runs', () => {
  const noise = noiseOf(estimateChange(runsOf(a.slice(0, 2), { within: 0 }), runsOf(b, { within: 0 })));
  // scipy.stats.ttest_ind(a[:2], b).
  expect(noise.p).toBeCloseTo(0.0005321740563376047, 10);
  expect(noise.degrees).toBe(5);
});

test.each(fixture.changes.map((each, index) => ({ ...each, index })))(
  'is weighted as in the simulation: case $index',
  ({ a: base, b: head, paired, within, history, ...truth }) => {
    const options = { within, ...(paired ? { pairFrom: 1 } : {}) };
    const [variance = 0, degrees = 0] = history ?? [];
    const estimate = estimateChange(runsOf(base, options), runsOf(head, options), runHistory(variance, degrees));
    const noise = noiseOf(estimate);
    expect(estimate.shift).toBeCloseTo(truth.shift, 11);
    expect(noise.standardError / truth.se).toBeCloseTo(1, 9);
    expect(noise.degrees).toBe(truth.df);
    expect(noise.p / truth.p).toBeCloseTo(1, 7);
  },
);
