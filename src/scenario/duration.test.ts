import { describe, expect, test } from 'vitest';
import { duration, readDuration } from './duration.ts';

describe('a duration', () => {
  test.each([
    ['250ms', 250],
    ['1.5m', 90_000],
    [7, 7],
  ])('%s is %d ms', (text, length) => expect(readDuration(text)).toBe(length));

  test.each([`${'9'.repeat(400)}s`, `${'9'.repeat(99)}s`.repeat(2), '-1s', -1, Infinity, NaN, null, {}, '5 parsecs'])(
    'is not %s',
    (value) => expect(readDuration(value)).toBeUndefined(),
  );

  test.each([10n, () => 1, Symbol('s')])('is not a value without a JSON form, and the problem states it', (value) => {
    const read = duration.safeParse(typeof value === 'bigint' ? () => value : value);
    expect(read.error?.issues[0]?.message).toMatch(/expected a duration such as .+, got a (function|symbol)$/);
  });
});
