import { describe, expect, test } from 'vitest';
import { percentilesBy } from './latency-summary.ts';
import { readingErrors, trueTimes } from './calibration.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Percentiles of a generator that reads every value too late by this much. */
const publishedWith = (values: readonly number[], lateBy: (rank: number) => number) =>
  percentilesBy(values.length, (rank) => (values[rank - 1] ?? 0) + lateBy(rank));

describe('the true times of a session', () => {
  test("are the responder's, and the first turn was due with its session", () => {
    const sessions = [
      { createMs: 2, turnMs: [10, 11] },
      { createMs: 3, turnMs: [12] },
    ];
    expect(trueTimes(sessions)).toEqual({ attempt: [10, 11, 12], effective: [12, 11, 15] });
  });
});

describe('the measurement error', () => {
  test('is zero if the published percentiles are the true ones, in any order', () => {
    const values = upTo(1000);
    const errors = readingErrors(
      publishedWith(values, () => 0),
      values.toReversed(),
    );
    expect(errors).toEqual({ p50Ms: 0, p90Ms: 0, p95Ms: 0, p99Ms: 0 });
  });

  test('is the distance at each percentile, also for a reading that is too early', () => {
    const values = upTo(1000);
    const published = publishedWith(values, (rank) => (rank > 980 ? 7 : rank > 920 ? -3 : 0.5));
    const { p50Ms, p90Ms, p95Ms, p99Ms } = readingErrors(published, values);
    expect([p50Ms, p90Ms, p95Ms, p99Ms]).toEqual([0.5, 0.5, 3, 7]);
  });

  test('is rejected for so few turns that a percentile is not published', () => {
    const values = upTo(100);
    expect(() =>
      readingErrors(
        publishedWith(values, () => 0),
        values,
      ),
    ).toThrow('p95Ms');
  });
});
