import { randomExponential, randomLogNormal, randomNormal } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { fitWorkload } from '../../src/fit/fit-workload.ts';
import type { Fit } from '../../src/fit/document/fit.ts';
import { ms } from '../../src/base/time.ts';
import { drawTrace, type DrawnWorkload } from '../support/drawn-trace.ts';
import { minOf, trials } from '../support/trials.ts';

type Parts = ReturnType<typeof fitWorkload>;
const fitOf = (drawn: DrawnWorkload): Parts =>
  fitWorkload({ trace: drawTrace(drawn) }, { seed: drawn.seed, replyTimeMs: 0 });

const count = trials(100);
/** Returns the number of trials in which a claim holds. */
function heldIn(claim: (seed: number) => boolean): number {
  return Array.from({ length: count }, (_, index) => claim(index + 1)).filter(Boolean).length;
}
const atLeast = minOf(count, 0.95);
const near = (value: number, truth: number, share: number): boolean => Math.abs(value / truth - 1) <= share;

const hour = 3_600_000;
/** A day whose rate rises linearly from a twentieth of its peak to the peak and falls back. */
const day = (peak: number): NonNullable<DrawnWorkload['rate']> => [
  { startMs: ms(0), endMs: ms(12 * hour), from: peak / 20, to: peak },
  { startMs: ms(12 * hour), endMs: ms(24 * hour), from: peak, to: peak / 20 },
];

describe('arrivals', () => {
  test.each([0.3, 0.6, 1, 2, 5])(
    'the k of gamma gaps is found within a tenth from 2,000 sessions: %d',
    (burstiness) => {
      const held = heldIn((seed) => {
        const { arrivals } = fitOf({ seed, sessions: 2000, arrivals: { kind: 'gamma', burstiness } });
        const isNamed = arrivals?.process === (burstiness === 1 ? 'poisson' : 'gamma');
        return isNamed && near(arrivals.burstiness ?? 0, burstiness, 0.1) && arrivals.rate?.varies === false;
      });
      expect(held).toBeGreaterThanOrEqual(atLeast);
    },
  );

  test('its 95 % interval contains the true value', () => {
    const held = heldIn((seed) => {
      const { interval } = fitOf({ seed, sessions: 1000, arrivals: { kind: 'gamma', burstiness: 0.5 } }).arrivals ?? {};
      return interval != null && interval.low <= 0.5 && interval.high >= 0.5;
    });
    expect(held).toBeGreaterThanOrEqual(minOf(count, 0.93));
  });

  test.each([0.5, 1, 3])(
    'a rate that varies over the day is found, and is not taken for burstiness: %d',
    (burstiness) => {
      const held = heldIn((seed) => {
        const { arrivals } = fitOf({ seed, sessions: 1e9, rate: day(0.1), arrivals: { kind: 'gamma', burstiness } });
        const noon = arrivals?.rate?.perSecond[11] ?? 0;
        return (
          arrivals?.rate?.varies === true &&
          arrivals.rate.binMs === hour &&
          near(noon, 0.096, 0.3) &&
          near(arrivals.burstiness ?? 0, burstiness, 0.15)
        );
      });
      expect(held).toBeGreaterThanOrEqual(atLeast);
    },
  );

  test.each([
    ['moments', 1, 0.6, 100],
    ['moments', 1, 1, 100],
    ['counts', 50, 1, 1000],
    ['counts', 50, 0.5, 1000],
  ] as const)('a clock that rounds is allowed for, by %s: %d/s, k %d, %d ms', (by, rate, burstiness, clockMs) => {
    const held = heldIn((seed) => {
      const arrivals = { kind: 'gamma', burstiness } as const;
      const fit = fitOf({ seed, sessions: 5000, rate, arrivals, clockMs });
      return fit.arrivals?.by === by && near(fit.arrivals.burstiness ?? 0, burstiness, by === 'counts' ? 0.35 : 0.12);
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });

  test('a timer is constant', () => {
    const { arrivals } = fitOf({ seed: 1, sessions: 1000, arrivals: { kind: 'constant' } });
    expect(arrivals).toMatchObject({ process: 'constant', rate: { varies: false }, gaps: { poor: [] } });
  });
});

type Quantity = NonNullable<Fit['thinkTime']>;
const turnsOf = (gapMs: NonNullable<DrawnWorkload['gapMs']>, seed: number, clockMs = 0): Quantity => {
  const { thinkTime } = fitOf({ seed, sessions: 500, turns: () => () => 5, gapMs, clockMs });
  if (thinkTime === null) throw new Error('no think time was fitted');
  return thinkTime;
};

describe('think time', () => {
  test.each([0, 1000])('lognormal, by a clock that rounds to %d ms', (clockMs) => {
    const held = heldIn((seed) => {
      const fit = turnsOf((random) => randomLogNormal.source(random)(Math.log(4000), 0.8), seed, clockMs);
      const { distribution } = fit;
      return (
        distribution.kind === 'lognormal' &&
        near(distribution.median, 4000, 0.1) &&
        near(distribution.sigma, 0.8, 0.1) &&
        fit.poor.length === 0
      );
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });

  test.each([0, 1000])('exponential, by a clock that rounds to %d ms', (clockMs) => {
    const held = heldIn((seed) => {
      const fit = turnsOf((random) => randomExponential.source(random)(1 / 8000), seed, clockMs);
      const { distribution } = fit;
      return distribution.kind === 'exponential' && near(distribution.mean, 8000, 0.07) && fit.poor.length === 0;
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });

  test('uniform', () => {
    const held = heldIn((seed) => {
      const fit = turnsOf((random) => () => 2000 + 3000 * random(), seed);
      const { distribution } = fit;
      return (
        distribution.kind === 'uniform' &&
        near(distribution.min, 2000, 0.01) &&
        near(distribution.max, 5000, 0.01) &&
        fit.poor.length === 0
      );
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });

  test('of two kinds of users fits poorly', () => {
    const held = heldIn((seed) => {
      const fit = turnsOf(
        (random) => () => (random() < 0.5 ? 1000 : 30_000) * Math.exp(randomNormal.source(random)(0, 0.1)()),
        seed,
      );
      return fit.poor.includes('distance');
    });
    expect(held).toBe(count);
  });
});

describe('turns a session', () => {
  const fitTurns = (turns: NonNullable<DrawnWorkload['turns']>, seed: number): Quantity => {
    const fit = fitOf({ seed, sessions: 1500, turns }).turns;
    if (fit === null) throw new Error('no turns were fitted');
    return fit;
  };

  test('uniform', () => {
    const held = heldIn((seed) => {
      const { distribution, poor } = fitTurns((random) => () => 3 + Math.floor(6 * random()), seed);
      return distribution.kind === 'uniform' && distribution.min === 3 && distribution.max === 8 && poor.length === 0;
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });

  test.each([
    [7, 2],
    [2, 1.5],
  ])('normal, rounded and at least 1: mean %d, standard deviation %d', (mean, sd) => {
    const held = heldIn((seed) => {
      const { distribution, poor } = fitTurns((random) => {
        const draw = randomNormal.source(random)(mean, sd);
        return () => Math.max(1, Math.round(draw()));
      }, seed);
      return (
        distribution.kind === 'normal' &&
        near(distribution.mean, mean, 0.08) &&
        near(distribution.sd, sd, 0.1) &&
        poor.length === 0
      );
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });

  test('weights of ranges, as the preset of public chats has them', () => {
    const ranges = [
      { min: 1, max: 1, weight: 0.35 },
      { min: 2, max: 2, weight: 0.25 },
      { min: 3, max: 4, weight: 0.25 },
      { min: 5, max: 8, weight: 0.12 },
      { min: 9, max: 16, weight: 0.03 },
    ];
    const held = heldIn((seed) => {
      const fit = fitTurns(
        (random) => () => {
          let left = random();
          const { min, max } = ranges.find(({ weight }) => (left -= weight) < 0) ?? { min: 1, max: 1 };
          return min + Math.floor((max - min + 1) * random());
        },
        seed,
      );
      return (
        fit.distribution.kind === 'weights' &&
        fit.distance < 0.03 &&
        near(fit.mean.fit, 2.905, 0.06) &&
        fit.poor.length === 0
      );
    });
    expect(held).toBeGreaterThanOrEqual(atLeast);
  });
});
