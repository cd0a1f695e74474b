import { expect, test } from 'vitest';
import { isoTimes, logTimes, timesLike, unitTimes } from './read-time.ts';

test.each([
  ['1760000000', 'seconds (assumed)', 1_760_000_000_000],
  ['1760000000000', 'milliseconds (assumed)', 1_760_000_000_000],
  ['1760000000000000', 'microseconds (assumed)', 1_760_000_000_000],
  ['1760000000000000000', 'nanoseconds (assumed)', 1_760_000_000_000],
  [0, 'seconds (assumed)', 0],
  ['12.5', 'seconds (assumed)', 12_500],
  ['100000000000000000', 'nanoseconds (assumed)', 100_000_000_000],
  ['100000000000000', 'microseconds (assumed)', 100_000_000_000],
  ['100000000000', 'milliseconds (assumed)', 100_000_000_000],
  ['2025-10-10T13:55:36Z', 'ISO 8601', Date.UTC(2025, 9, 10, 13, 55, 36)],
  ['10/Oct/2025:13:55:36 -0700', 'the access-log format', Date.UTC(2025, 9, 10, 20, 55, 36)],
])('the unit of %j is detected: %s', (value, words, atMs) => {
  const times = timesLike(value, undefined);
  expect([times?.format, times?.read(value)]).toEqual([words, expect.closeTo(atMs, 3)]);
});

test.each([
  ['2025-10-10 13:55:36.25', Date.UTC(2025, 9, 10, 13, 55, 36, 250)],
  ['2025-10-10T13:55:36+05:30', Date.UTC(2025, 9, 10, 8, 25, 36)],
  ['2025-10-10T13:55:36-07', Date.UTC(2025, 9, 10, 20, 55, 36)],
  ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
  ['2025-10-10T13:55:61Z', undefined],
  ['2025-10-10T24:00:00Z', undefined],
  ['2025-13-10T13:55:36Z', undefined],
  ['2025-10-32T13:55:36Z', undefined],
  ['2025-02-29T00:00:00Z', undefined],
  ['2025-04-31T00:00:00Z', undefined],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
])('ISO 8601: %s', (text, atMs) => {
  expect(isoTimes.read(text)).toBe(atMs);
});

test('a log may be ahead of UTC; a time is never negative', () => {
  expect(logTimes.read('10/Oct/2025:13:55:36 +0200')).toBe(Date.UTC(2025, 9, 10, 11, 55, 36));
  expect([unitTimes('s').read(0), unitTimes('s').read(-1), timesLike('-1', undefined)]).toEqual([
    0,
    undefined,
    undefined,
  ]);
});
