import { expect, test } from 'vitest';
import { likelyTimes } from './likely-times.ts';

const every = (count: number, gap: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index * gap);

test.each<[string, readonly unknown[], string, string | undefined]>([
  ['whole numbers far apart', every(5, 250), 'milliseconds', undefined],
  ['many requests at few instants', [0, 0, 0, 3000, 3000, 6000], 'milliseconds', undefined],
  ['one time', [27_482], 'milliseconds', undefined],
  ['fractions', every(5, 0.25), 'seconds (assumed)', 'fractions'],
  ['a fraction after whole numbers', ['0', '31', '61.114'], 'seconds (assumed)', 'fractions'],
  ['fractions too far apart for seconds', [0.5, 3000.25, 6000.75], 'milliseconds (assumed)', '3000 apart'],
  ['whole seconds', every(400, 1), 'seconds (assumed)', 'they are 1 apart on average'],
  ['a few whole seconds', [0, 45, 70, 130], 'seconds (assumed)', 'too close'],
  ['two times close together', [0, 5], 'milliseconds (assumed)', 'may be seconds'],
  ['a busy service', every(1000, 40), 'milliseconds (assumed)', 'may be seconds'],
  ['a very long trace, close together', every(100_000, 7), 'seconds (assumed)', 'too close'],
  ['months of seconds', every(400_000, 8), 'milliseconds (assumed)', 'may be seconds'],
  ['seconds since 1970', every(3, 1, 1_790_000_000), 'seconds (assumed)', 'since 1970'],
  ['seconds since 1970 with fractions', [1_790_000_000.25], 'seconds (assumed)', 'since 1970'],
  ['milliseconds since 1970', [1_790_000_000_000], 'milliseconds (assumed)', 'since 1970'],
  ['microseconds since 1970', ['1790000000000000'], 'microseconds (assumed)', 'since 1970'],
  ['nanoseconds since 1970', ['1790000000000000000'], 'nanoseconds (assumed)', 'since 1970'],
  ['dates', ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'], 'ISO 8601', undefined],
  ['times after a value that is not one', ['soon', undefined, 0.5, 1.25], 'seconds (assumed)', 'fractions'],
])('%s', (_, values, format, doubt) => {
  const times = likelyTimes(values, undefined);
  expect(times?.format).toBe(format);
  if (doubt === undefined) expect(times?.doubt).toBeUndefined();
  else expect(times?.doubt).toContain(doubt);
});

test('a stated unit is never doubted', () => {
  const times = likelyTimes(every(5, 0.25), 'ms');
  expect([times?.format, times?.doubt, times?.read(0.25)]).toEqual(['milliseconds', undefined, 0.25]);
});

test('nothing is chosen without any time', () => {
  expect(likelyTimes(['soon', -1, undefined], undefined)).toBeUndefined();
});
