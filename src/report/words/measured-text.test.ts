import { expect, test } from 'vitest';
import { intervalTexts, latencyText, measuredText, percentileText } from './measured-text.ts';

test.each<[number | null, number | null, string]>([
  [412, 38, '~374-412 ms'],
  [1020, 60, '~960 ms-1.02 s'],
  [3, 9, '~0-3.00 ms'],
  // Within 5 %, or 1 ms.
  [412, 20, '412 ms'],
  [2, 0.9, '2.00 ms'],
  [412, null, '412 ms'],
  [null, 38, '-'],
])('%j ms with an error of %j ms is shown as %j', (value, error, text) => {
  expect(measuredText(value, error)).toBe(text);
});

test.each<[number | null, number, string]>([
  [1640, 500, '1.5 s'],
  [1760, 500, '2 s'],
  [740, 500, '500 ms'],
  [120, 500, '<500 ms'],
  [63.7, 20, '60 ms'],
  [10_049, 1000, '10 s'],
  [12_340, 20, '12.3 s'],
  [121_000, 2000, '2m 02s'],
  [null, 500, '-'],
  [Infinity, 500, 'infinite'],
])('%j ms, polled every %j ms, is shown as %j', (value, resolutionMs, text) => {
  expect(latencyText({ resolutionMs }, value)).toBe(text);
});

test('a percentile of polled replies and its interval are rounded to the resolution, but not others', () => {
  const summary = { p50Ms: 1640, intervals: { p50Ms: { lowMs: 1210, highMs: null } } as never };
  expect(percentileText({ ...summary, resolutionMs: 500 }, 'p50Ms')).toBe('1.5 s');
  expect(intervalTexts({ ...summary, resolutionMs: 500 }, 'p50Ms')).toEqual({ low: '1 s', high: 'infinite' });
  expect(percentileText(summary, 'p50Ms')).toBe('1.64 s');
});
