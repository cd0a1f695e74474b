import { describe, expect, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import type { Segment } from '../../src/plan/plan.ts';
import { randomOf } from '../../src/base/random.ts';
import { arrivalOffsets } from '../../src/schedule/arrivals.ts';
import { gammaCdf } from '../support/gamma-distribution.ts';
import { exceeding, kolmogorovSmirnov } from '../support/kolmogorov-smirnov.ts';

/** The first instants of a schedule, in milliseconds. */
function offsetsOf(count: number, { k, seed = 1, ...of }: { k: number; seed?: number; segments: Segment[] }): number[] {
  const offsets: number[] = [];
  const load = { segments: of.segments, arrivals: { kind: 'gamma', burstiness: k } as const };
  for (const offset of arrivalOffsets(load, randomOf(seed))) {
    if (offsets.length === count) break;
    offsets.push(offset);
  }
  return offsets;
}

/** Gaps; the first is the one from the start. */
const gapsOf = (offsets: readonly number[]): number[] => offsets.map((offset, i) => offset - (offsets[i - 1] ?? 0));

const perSecond = 20;
const steady: Segment[] = [{ startMs: ms(0), endMs: null, from: perSecond, to: perSecond }];
const steadyGaps = (k: number, seed = 1): number[] => gapsOf(offsetsOf(5000, { k, seed, segments: steady }));
/** The distribution of gaps in milliseconds: shape k, mean 1/rate. */
const gapDistribution = (k: number) => (gap: number) => gammaCdf(gap, k, 1000 / perSecond / k);
const exponential = (gap: number): number => 1 - Math.exp(-(gap * perSecond) / 1000);

describe('the means of the test themselves', () => {
  test.each([
    [1, 0.5, 1 - Math.exp(-0.5)],
    [2, 3, 1 - 4 * Math.exp(-3)],
    [3, 40, 1],
    // P(1/2, x) is erf(sqrt(x)); erf(1) and erf(2) of Abramowitz and Stegun, table 7.1.
    [0.5, 1, 0.8427007929],
    [0.5, 4, 0.995322265],
  ])('know the gamma law of shape %d at %d', (k, x, known) => expect(gammaCdf(x, k, 1)).toBeCloseTo(known, 9));

  test("know Kolmogorov's statistic: 1.358 is exceeded in 5 % and 1.628 in 1 % of cases", () => {
    expect(exceeding(1.3581)).toBeCloseTo(0.05, 4);
    expect(exceeding(1.6276)).toBeCloseTo(0.01, 4);
  });
});

describe('gaps between due instants', () => {
  test('of Poisson arrivals are exponential', () => {
    expect(kolmogorovSmirnov(steadyGaps(1), exponential)).toBeGreaterThan(0.01);
  });

  test.each([0.25, 0.5, 2, 4, 10])(
    'of gamma arrivals of burstiness %d have the gamma distribution of that shape',
    (k) => {
      expect(kolmogorovSmirnov(steadyGaps(k), gapDistribution(k))).toBeGreaterThan(0.01);
    },
  );

  test.each([1, 0.25, 4])('of burstiness %d are rejected as often as a right distribution is, over many seeds', (k) => {
    const seeds = 200;
    const p = Array.from({ length: seeds }, (_, seed) =>
      kolmogorovSmirnov(steadyGaps(k, seed + 1), gapDistribution(k)),
    );
    for (const level of [0.05, 0.5]) {
      const refused = p.filter((each) => each < level).length;
      const standardError = Math.sqrt(seeds * level * (1 - level));
      expect(Math.abs(refused - seeds * level)).toBeLessThan(3 * standardError);
    }
  });

  test('of a wrong distribution are rejected: another shape, another rate, or gaps cut to whole milliseconds', () => {
    expect(kolmogorovSmirnov(steadyGaps(2), exponential)).toBeLessThan(1e-9);
    expect(kolmogorovSmirnov(steadyGaps(1), gapDistribution(1.15))).toBeLessThan(0.001);
    expect(kolmogorovSmirnov(steadyGaps(1), (gap) => exponential(gap * 1.06))).toBeLessThan(0.01);
    expect(
      kolmogorovSmirnov(
        steadyGaps(4).map((gap) => Math.floor(gap / 10) * 10),
        gapDistribution(4),
      ),
    ).toBeLessThan(1e-9);
  });

  test('of Poisson arrivals on ramps are exponential if measured by the area under the rate', () => {
    const ramps: Segment[] = [
      { startMs: ms(0), endMs: ms(100_000), from: 0, to: 80 },
      { startMs: ms(100_000), endMs: ms(200_000), from: 80, to: 10 },
      { startMs: ms(200_000), endMs: null, from: 10, to: 10 },
    ];
    const areaAt = (at: number): number => {
      const [up, down] = [Math.min(at, 100_000) / 1000, Math.max(0, Math.min(at, 200_000) / 1000 - 100)];
      return 0.4 * up ** 2 + (80 * down - 0.35 * down ** 2) + Math.max(0, at / 1000 - 200) * 10;
    };
    const offsets = offsetsOf(9000, { k: 1, segments: ramps });
    expect(offsets.at(-1)).toBeGreaterThan(200_000);
    const areas = gapsOf(offsets.map(areaAt));
    expect(kolmogorovSmirnov(areas, (area) => 1 - Math.exp(-area))).toBeGreaterThan(0.01);
    expect(kolmogorovSmirnov(gapsOf(offsets), (gap) => 1 - Math.exp(-gap / 25))).toBeLessThan(1e-9);
  });
});

// n arrivals of burstiness k have a relative standard error of 1/sqrt(k n): 0.5 % is four of it.
test.each([0.5, 1, 4])('random arrivals of burstiness %d keep the requested rate to half a percent', (k) => {
  const count = 640_000 / k;
  const last = offsetsOf(count, { k, segments: steady }).at(-1) ?? NaN;
  expect(Math.abs((count / last) * (1000 / perSecond) - 1)).toBeLessThan(0.005);
});
