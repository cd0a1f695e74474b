import { describe, expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { fitLengths } from './fit-lengths.ts';
import { fitRate } from './fit-arrivals.ts';
import { judgeFit } from './judge-fit.ts';
import { fitCensoredNormal, modelOf } from './models/model.ts';
import type { ArrivalCounts } from './observe/arrival-counts.ts';
import { binLength, Sample, TurnTally } from './observe/sample.ts';
import { weighTurns } from './fit-turns.ts';

const sampleOf = (values: readonly number[]): Sample => {
  const sample = new Sample(randomOf(1), [1]);
  for (const value of values) sample.add(value);
  return sample;
};

describe('lengths', () => {
  test.each([
    ['within a hundredth of their mean', [1000, 1010, 1020], 'constant'],
    ['further apart', [1000, 1060, 1030], 'uniform'],
    ['apart by the resolution of their unit', [5, 6, 7], 'constant'],
    ['apart by more than that', [4, 6, 8], 'uniform'],
  ])('%s are %s', (_, values, kind) => {
    const many = Array.from({ length: 60 }, (_, at) => values[at % 3] ?? 0);
    expect(fitLengths(sampleOf(many), 'tokens').distribution.kind === 'constant').toBe(kind === 'constant');
  });

  test('that differ only in the tail are a poor fit', () => {
    const distribution = { kind: 'lognormal', median: 1, sigma: 2 } as const;
    const model = modelOf(distribution);
    const sorted = Array.from({ length: 4000 }, (_, at) => {
      const p = (at + 0.5) / 4000;
      return model.quantile(p) * (p > 0.9 ? 1.3 : 1);
    });
    const seen = { unit: 'tokens', count: 4000, zeros: 0, sorted, resolution: 0, mean: 1 } as const;
    expect(judgeFit({ distribution, model, parameters: 2, logLikelihood: 0 }, seen).poor).toEqual(['p95']);
  });

  test('some of which are only known to be small have the mean and deviation of all', () => {
    // A standard normal distribution whose values below -1 are not known: 15.9 % of them.
    const { mean, sd } = fitCensoredNormal({ known: 84_134, mean: 0.2876, variance: 0.6297, below: 15_866, bound: -1 });
    expect([mean, sd]).toEqual([expect.closeTo(0, 3), expect.closeTo(1, 3)]);
  });
});

describe('a rate over time', () => {
  const rateOf = (seen: readonly number[], lastSpan = 1) => {
    const sessions = seen.reduce((sum, count) => sum + count, 0);
    const bins = seen.map((count) => ({ sessions: count, gaps: count, sum: 0, sumLog: 0, sumSquared: 0 }));
    const counts = { bins, binMs: 1000, sessions, dispersion: { value: 1, error: 0.1 } };
    return fitRate(counts as unknown as ArrivalCounts, 1000 * (seen.length - 1 + lastSpan));
  };
  const alternating = (mean: number, share: number): number[] =>
    Array.from({ length: 10 }, (_, at) => mean * (1 + (at % 2 === 0 ? share : -share)));

  test.each([
    ['changes by much, and is known well', alternating(10_000, 0.15), 1, true],
    ['changes by little', alternating(10_000, 0.05), 1, false],
    ['changes by the distance that chance exceeds in one of a hundred', alternating(100, 0.15), 1, false],
    ['changes in a moment at its end', [1000, 1000, 20], 0.002, false],
  ])('that %s', (_, seen, lastSpan, varies) => {
    expect(rateOf(seen, lastSpan).varies).toBe(varies);
  });

  test.each([
    [1500, 300_000, 10_000],
    [1499, 300_000, 30_000],
    [1550, 310_000, 30_000],
    [50, 3_600_000, undefined],
    [100, 3_600_000, 1_800_000],
  ])('of %d sessions in %d ms has bins of %d ms', (sessions, lengthMs, binMs) => {
    expect(binLength({ sessions, lengthMs })).toBe(binMs);
  });
});

describe('turns', () => {
  test('next to each other have separate weights', () => {
    expect(
      weighTurns([
        { turns: 17, sessions: 1000 },
        { turns: 18, sessions: 10 },
      ]),
    ).toEqual([
      { min: 17, max: 17, weight: 1000 },
      { min: 18, max: 18, weight: 10 },
    ]);
  });

  test('above the limit of a scenario are counted as the limit', () => {
    const tally = new TurnTally();
    for (const turns of [1, 100_000, 100_001]) tally.add(turns);
    expect([tally.clipped, tally.counts()]).toEqual([
      1,
      [
        { turns: 1, sessions: 1 },
        { turns: 100_000, sessions: 2 },
      ],
    ]);
  });
});
