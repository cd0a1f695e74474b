import { describe, expect, test } from 'vitest';
import { releaseRun } from '../../../test/support/release-run.ts';
import type { Result } from '../../result/result.ts';
import { driftOf } from './caveats.ts';

/** A run by duration with this number of finished turns in each second. */
function runOf(perSecond: readonly number[], sessions: number | null = null): Result {
  const run = releaseRun({ id: 'run', intervals: perSecond.length, turnsPerInterval: 5 });
  const { plan } = run.scenario;
  const intervals = run.intervals.map((interval, second) => ({
    ...interval,
    turns: { ...interval.turns, ok: (perSecond[second] ?? 0) - 1, failed: 1 },
  }));
  return { ...run, intervals, scenario: { ...run.scenario, plan: { ...plan, sessions } } };
}

/** Seconds at a level with deviations of `noise`, two up and two down. */
const level = (seconds: number, turns: number, noise = 0): number[] =>
  Array.from({ length: seconds }, (_, second) => turns + noise * (second % 4 < 2 ? 1 : -1));
const thirds = (seconds: number, [first, middle, last]: readonly [number, number, number], noise = 0): number[] =>
  [first, middle, last].flatMap((turns) => level(seconds, turns, noise));

describe('throughput drifts', () => {
  test('by the change from the first third to the last, as a share of the first', () => {
    expect(driftOf(runOf(thirds(10, [100, 500, 150])))).toBeCloseTo(0.5, 10);
    expect(driftOf(runOf(thirds(10, [200, 500, 150])))).toBeCloseTo(-0.25, 10);
  });

  test('counting failed turns, and not in a run by a number of sessions', () => {
    expect(driftOf(runOf(thirds(3, [2, 2, 1])))).toBeCloseTo(-0.5, 10);
    const sessions = 50;
    expect(driftOf(runOf(thirds(10, [100, 100, 150]), sessions))).toBeNull();
  });

  test('from 3 % on', () => {
    expect(driftOf(runOf(thirds(10, [1000, 1000, 1030])))).toBeCloseTo(0.03, 10);
    expect(driftOf(runOf(thirds(10, [1000, 1000, 1029])))).toBeNull();
    expect(driftOf(runOf(thirds(10, [1000, 1000, 971])))).toBeNull();
  });

  test('in no run of fewer than nine intervals', () => {
    expect(driftOf(runOf(thirds(3, [100, 100, 200])))).toBeCloseTo(1, 10);
    expect(driftOf(runOf(thirds(3, [100, 100, 200]).slice(0, 8)))).toBeNull();
  });

  test('if that exceeds its noise: three standard errors, or their equivalent by t', () => {
    // Three batches per third, of 100 +- noise: t of 4 degrees for 0.99865 is 6.62, and the error noise * sqrt(2 / 3).
    const third = (turns: number, noise: number): number[] => [turns + noise, turns - noise, turns];
    const noisy = (noise: number): number[] => [third(100, noise), third(100, 0), third(140, noise)].flat();
    expect(driftOf(runOf(noisy(7)))).toBeCloseTo(0.4, 10);
    expect(driftOf(runOf(noisy(8)))).toBeNull();
  });

  test('in batches of at least four intervals, so that alternating neighbours are not noise', () => {
    expect(driftOf(runOf(thirds(16, [100, 100, 104], 40)))).toBeCloseTo(0.04, 10);
  });
});
