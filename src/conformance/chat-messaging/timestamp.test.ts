import { expect, test } from 'vitest';
import { readTimestamp } from './reply-rules.ts';

test.each([
  ['2026-01-02T03:04:05.678Z', Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
  ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)],
  ['2026-01-02T03:04:05.123456+00:00', Date.UTC(2026, 0, 2, 3, 4, 5, 123)],
  ['2026-01-02T05:04+02', Date.UTC(2026, 0, 2, 3, 4)],
  ['2026-01-02T05:04:05,5+0200', Date.UTC(2026, 0, 2, 3, 4, 5, 500)],
  ['2026-01-02T03:04:05', undefined],
])('%s is ISO 8601', (text, ms) => {
  expect(readTimestamp(text)).toEqual({ ms });
});

test.each(['today', '', '2026-13-01T00:00:00Z', '2026-01-02', '02.01.2026', 1767322800000, null, undefined])(
  '%j is not a timestamp',
  (value) => {
    expect(readTimestamp(value)).toBeUndefined();
  },
);
