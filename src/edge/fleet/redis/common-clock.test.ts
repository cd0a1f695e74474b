import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CommonClock, type ClockSample } from './common-clock.ts';

/** A sample of a clock that is `offset` ahead of the local one, with the durations of both directions. */
const sampleAt = (before: number, offset: number, [there, back]: readonly [number, number]): ClockSample => ({
  before,
  theirs: before + there + offset,
  after: before + there + back,
});

describe('the common clock', () => {
  test('is exact if both directions take equally long', () => {
    const clock = new CommonClock();
    clock.take([sampleAt(1000, 5e11, [4, 4])]);
    expect(clock.toTheirs(2000)).toBe(5e11 + 2000);
    expect(clock.toOurs(5e11 + 2000, 1008)).toBe(2000);
    expect(clock.uncertaintyMs(1008)).toBe(4);
  });

  test('follows the sample with the minimum round trip, not the mean', () => {
    const clock = new CommonClock();
    clock.take([sampleAt(0, 100, [40, 0]), sampleAt(50, 100, [0.5, 0.5]), sampleAt(60, 100, [0, 90])]);
    expect(clock.toTheirs(60)).toBe(160);
    expect(clock.uncertaintyMs(51)).toBe(0.5);
  });

  test('is never off by more than its uncertainty, whatever the latencies', () => {
    const ways = fc.tuple(fc.double({ min: 0, max: 500, noNaN: true }), fc.double({ min: 0, max: 500, noNaN: true }));
    fc.assert(
      fc.property(
        fc.integer({ min: -1e6, max: 1e6 }),
        fc.array(ways, { minLength: 1, maxLength: 15 }),
        (offset, all) => {
          const clock = new CommonClock();
          clock.take(all.map((way) => sampleAt(1000, offset, way)));
          const error = Math.abs(clock.toTheirs(3000) - (3000 + offset));
          expect(error).toBeLessThanOrEqual(clock.uncertaintyMs(3000) + 1e-6);
        },
      ),
    );
  });

  test('prefers a fresh sample to a slightly better old one, but not to a much better one', () => {
    const clock = new CommonClock();
    clock.take([sampleAt(0, 100, [1, 1])]);
    clock.take([sampleAt(10_000, 103, [1.5, 1.5])]);
    expect(clock.toTheirs(10_003)).toBe(10_106);
    clock.take([sampleAt(20_000, 120, [50, 50])]);
    expect(clock.toTheirs(20_100)).toBe(20_203);
  });

  test('reports the drift of the other clock since the beginning', () => {
    const clock = new CommonClock();
    clock.take([sampleAt(0, 100, [1, 1])]);
    expect(clock.driftMs(2)).toBe(0);
    for (let round = 1; round <= 20; round++) clock.take([sampleAt(round * 10_000, 100 + round, [1, 1])]);
    expect(clock.driftMs(200_002)).toBe(20);
  });

  test('remembers one minute of readings', () => {
    const clock = new CommonClock();
    clock.take([sampleAt(0, 100, [0, 0])]);
    for (let round = 1; round <= 6; round++) clock.take([sampleAt(round, 200, [80, 80])]);
    expect(clock.toTheirs(7)).toBe(207);
  });

  test('cannot be used before it was read', () => {
    expect(() => new CommonClock().toTheirs(0)).toThrow('before it was read');
    const clock = new CommonClock();
    clock.take([]);
    expect(() => clock.toTheirs(0)).toThrow('before it was read');
  });
});
