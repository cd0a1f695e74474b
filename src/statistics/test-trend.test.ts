import { randomNormal } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { fadingCorrelations, neighbourCorrelation, varianceFactor } from './averages.ts';
import { tTail } from './student-t.ts';
import { aroundParabola, mannKendall, medianSlope, pairSlopes, slopeInterval, testTrend } from './test-trend.ts';

/**
 * s, variance, slope: pymannkendall 1.4.3, original_test. low, high: scipy 1.17, stats.theilslopes at 95 %. corrected:
 * the variance by pymannkendall's yue_wang_modification_test with lag 1; neighbours: the correlation that it is from.
 */
const vectors = [
  {
    values: [0.2, 0, 0.09, 0.08, 0.09, 0.12, -0.04, -0.01, -0.04, 0.34, 0.41, 0.42],
    s: 14,
    variance: 210.66666666666666,
    slope: 0.0205,
    low: -0.021666666666666667,
    high: 0.04555555555555555,
    corrected: 362.8179360985503,
    neighbours: 0.3939474755140832,
  },
  {
    values: [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9],
    s: 55,
    variance: 399,
    slope: 0.4444444444444444,
    low: 0.2,
    high: 0.7272727272727273,
    corrected: 222.55408056632393,
    neighbours: -0.23690375863812574,
  },
  {
    values: [
      -0.28, -0.64, -1.16, -0.73, 0.49, 0.57, 1.9, 1.62, 1.76, 3.44, 3.53, 2.61, 2.46, 3.18, 5.08, 4.1, 3.62, 4.65,
      3.46, 3.43,
    ],
    s: 130,
    variance: 950,
    slope: 0.286875,
    low: 0.20428571428571432,
    high: 0.36750000000000005,
    corrected: 1613.734504830108,
    neighbours: 0.36771994727429813,
  },
];
const pointsOf = (values: readonly number[]) => values.map((value, at) => ({ at, value }));

describe.each(vectors)('the trend of $values.length values', (vector) => {
  const { values, variance } = vector;
  const slopes = pairSlopes(pointsOf(values));

  test('has the S of Kendall and its variance, including ties', () => {
    expect(mannKendall(values)).toEqual({ s: vector.s, variance: expect.closeTo(variance, 9) as number });
  });

  test('has the slope of Theil and Sen with its interval', () => {
    expect(medianSlope(slopes)).toBeCloseTo(vector.slope, 12);
    const { low, high } = slopeInterval(slopes, 1.959963984540054 * Math.sqrt(variance));
    expect(low).toBeCloseTo(vector.low, 12);
    expect(high).toBeCloseTo(vector.high, 12);
  });

  test('is corrected for autocorrelation as by Yue and Wang', () => {
    expect(variance * varianceFactor(values.length, [vector.neighbours])).toBeCloseTo(vector.corrected, 8);
  });

  test('has the estimated correlation of neighbours, corrected for bias', () => {
    const n = values.length;
    const residuals = values.map((value, at) => value - vector.slope * at);
    const truth = Math.max(0, (n * vector.neighbours + 2) / (n - 4));
    expect(neighbourCorrelation(residuals, 2)).toBeCloseTo(truth, 12);
  });
});

describe('the test of a trend', () => {
  test('is wider and less significant if neighbours are alike', () => {
    const waves = (pace: number) =>
      pointsOf(Array.from({ length: 48 }, (_, at) => 0.01 * at + 0.3 * Math.sin(at * pace) + 0.01 * ((at * 7) % 5)));
    const [slow, fast] = [testTrend(waves(0.4)), testTrend(waves(2.1))];
    expect(fast.p).toBeLessThan(0.001);
    expect(slow.p).toBeGreaterThan(0.1);
    expect(slow.high - slow.low).toBeGreaterThan(1.5 * (fast.high - fast.low));
  });

  test.each([0, 0.3, 0.6])(
    'of intervals with autocorrelation %d is wrong at its nominal rate, and its interval has its nominal coverage',
    (memory) => {
      let [alarms, covered] = [0, 0];
      for (let seed = 0; seed < 1000; seed++) {
        const { p, low, high } = testTrend(pointsOf(wanderingFrom(seed, memory)));
        if (p <= 0.05) alarms++;
        if (low <= 0 && high >= 0) covered++;
      }
      expect(alarms).toBeLessThanOrEqual(55);
      expect(covered).toBeGreaterThanOrEqual(940);
      expect(covered).toBeLessThanOrEqual(985);
    },
  );

  test('finds nothing in a constant series', () => {
    expect(testTrend(pointsOf(Array<number>(48).fill(0.02)))).toEqual({ slope: 0, low: 0, high: 0, p: 1 });
  });
});

function wanderingFrom(seed: number, memory: number): number[] {
  const normal = randomNormal.source(randomOf(9, seed))(0, 1);
  let level = normal();
  return Array.from({ length: 48 }, () => (level = memory * level + Math.sqrt(1 - memory ** 2) * normal()));
}

test('a trend has the degrees of freedom of as many independent values as its own are worth', () => {
  const { values, s, variance } = vectors[2] ?? { values: [], s: 0, variance: 0 };
  const n = values.length;
  const factor = varianceFactor(n, fadingCorrelations(n, neighbourCorrelation(aroundParabola(pointsOf(values)), 3)));
  expect(Math.abs(factor - 1)).toBeGreaterThan(0.1);
  const z = (s - 1) / Math.sqrt(variance * factor);
  expect(testTrend(pointsOf(values)).p / (2 * tTail(z, n / factor - 2))).toBeCloseTo(1, 9);
});

const times = [0, 1, 2, 4, 7, 8, 11, 12];

test('a parabola has no residuals', () => {
  for (const left of aroundParabola(times.map((at) => ({ at, value: 3 - 0.4 * at + 0.05 * at * at }))))
    expect(left).toBeCloseTo(0, 12);
});

test('the residuals of a series equal those of numpy.polyfit of degree 2', () => {
  const values = [3, 1, 4, 1, 5, 9, 2, 6];
  const truth = [
    1.3737753032068727, -1.3533744802681724, 1.0027047635489978, -3.035449666940017, 0.03153639201807401,
    3.8869897995885347, -3.0472758139467935, 1.1410937027925279,
  ];
  aroundParabola(times.map((at, index) => ({ at, value: values[index] ?? 0 }))).forEach((left, index) =>
    expect(left).toBeCloseTo(truth[index] ?? NaN, 9),
  );
});
