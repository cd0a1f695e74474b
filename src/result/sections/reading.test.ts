import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { type CalibratedLoad, type Calibration, feltLoad, stateReading } from './calibration.ts';
import type { Interval } from './intervals.ts';

const errors = (ms: number) => ({ p50Ms: ms, p90Ms: 2 * ms, p95Ms: 3 * ms, p99Ms: 4 * ms });

const calibrated = (attemptsPerSecond: number, turnsInFlight: number, ms: number): CalibratedLoad => ({
  attemptsPerSecond,
  turnsInFlight,
  turns: 1000,
  attempt: errors(ms),
  effective: errors(10 * ms),
});

const calibration: Calibration = {
  kind: 'chat-load/calibration',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  host: 'lab',
  machine: 'a processor',
  calibratedAt: '2026-01-31T14:00:00.000Z',
  sends: { turnsPerSecond: 50_000, cpuUsPerTurn: 20 },
  loads: [calibrated(100, 100, 0.2), calibrated(1000, 10, 0.1), calibrated(1000, 200, 0.5), calibrated(2000, 20, 1)],
  notCarried: null,
};

const within = (attemptsPerSecond: number, turnsInFlight: number): number | undefined =>
  stateReading(calibration, { attemptsPerSecond, turnsInFlight })?.largestErrors?.attempt.p50Ms;

describe('the measurement accuracy of a run', () => {
  test('is unknown without a calibration', () => {
    expect(stateReading(null, { attemptsPerSecond: 1, turnsInFlight: 1 })).toBeNull();
  });

  test('is the error at the lightest calibrated load that is as heavy', () => {
    expect(within(50, 30)).toBe(0.2);
    expect(within(500, 10)).toBe(0.1);
    expect(within(500, 11)).toBe(0.5);
    expect(stateReading(calibration, { attemptsPerSecond: 50, turnsInFlight: 30 })?.largestErrors).toEqual({
      attempt: errors(0.2),
      effective: errors(2),
    });
  });

  test('is never better than at a lighter load', () => {
    const odd = { ...calibration, loads: [...calibration.loads, calibrated(500, 5, 9)] };
    expect(stateReading(odd, { attemptsPerSecond: 900, turnsInFlight: 150 })?.largestErrors?.attempt.p99Ms).toBe(36);
  });

  test('is unknown beyond every calibrated load, with the heaviest one', () => {
    const { largestErrors: none, calibratedTo } =
      stateReading(calibration, { attemptsPerSecond: 1500, turnsInFlight: 21 }) ?? {};
    expect(none).toBeNull();
    expect(calibratedTo).toEqual([
      { attemptsPerSecond: 1000, turnsInFlight: 200 },
      { attemptsPerSecond: 2000, turnsInFlight: 20 },
    ]);
  });

  test('applies at a calibrated rate, whose busiest second has a few attempts more', () => {
    expect(within(2040, 20)).toBe(1);
    expect(within(2200, 20)).toBeUndefined();
  });
});

describe('the load of a run', () => {
  const interval = (total: number, lengthMs: number, warmUp = false): Interval =>
    ({ attempts: { total }, lengthMs, warmUp }) as Interval;
  const flight = { turns: { mean: 3, max: 12 } };

  test('is the load of its busiest second, without the warm-up', () => {
    const intervals = [interval(900, 1000, true), interval(300, 1000), interval(700, 2000), interval(100, 1000)];
    expect(feltLoad(intervals, flight)).toEqual({ attemptsPerSecond: 350, turnsInFlight: 12 });
  });

  test('does not grow in intervals shorter than a second', () => {
    expect(feltLoad([interval(100, 1000), interval(20, 10)], flight).attemptsPerSecond).toBe(100);
  });
});

test('a result states its measurement accuracy, but only with a calibration', () => {
  const run = finishedRun();
  const result = resultOf(run, { calibration });
  expect(result.calibration).toEqual(stateReading(calibration, feltLoad(result.intervals, result.concurrency)));
  expect(result.calibration).not.toBeNull();
  expect(resultOf(run).calibration).toBeNull();
});
