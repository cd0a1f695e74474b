import { expect, test } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

const dateAt = (seconds: number): string => new Date(seconds * 1000).toUTCString();

test('a date is a wait from the date of its response on; one that is not after it is invalid', () => {
  const read = (at: number): unknown => readRetryAfter(dateAt(at), 0, dateAt(1_000_000));
  expect(read(1_000_007)).toEqual({ kind: 'wait', delayMs: 7000 });
  expect([read(1_000_000), read(999_999)]).toEqual([{ kind: 'invalid' }, { kind: 'invalid' }]);
});

test('a date without one of its response is a wait from the clock here on', () => {
  expect(readRetryAfter(dateAt(1_000_000), 999_998_500)).toEqual({ kind: 'wait', delayMs: 1500 });
});
