import { expect, test } from 'vitest';
import type { ReadingAccuracy } from '../../result/sections/calibration.ts';
import { readingText } from './load-section.ts';

const errors = (p50Ms: number, p99Ms: number) => ({ p50Ms, p90Ms: p50Ms, p95Ms: p99Ms, p99Ms });

const reading: ReadingAccuracy = {
  calibratedAt: '2026-01-31T14:00:00.000Z',
  load: { attemptsPerSecond: 480, turnsInFlight: 30 },
  calibratedTo: [{ attemptsPerSecond: 2000, turnsInFlight: 400 }],
  largestErrors: { attempt: errors(0.2, 1.1), effective: errors(0.3, 2.5) },
};

test('a result states the error bounds of its percentiles', () => {
  expect(readingText({ calibration: reading, environment: null })).toBe(
    'error bounds at this load: p50 ±200 µs, p99 ±1.10 ms (effective: p50 ±300 µs, p99 ±2.50 ms)',
  );
});

test('a result beyond the calibrated loads states that, and names the highest', () => {
  expect(readingText({ calibration: { ...reading, largestErrors: null }, environment: null })).toBe(
    'the load exceeds the calibrated ones (2,000 attempts/s with 400 turns in flight)',
  );
});

test('a result without a calibration does not mention any', () => {
  expect(readingText({ calibration: null, environment: null })).toBe('');
  expect(readingText({ calibration: reading, environment: { workers: [] } })).toBe('');
});
