import { expect, test } from 'vitest';
import { nearestName, unknownName } from './unknown-name.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `name${String(index)}`);

test('an unknown name that resembles no known name is reported with all known names, or the first three of many', () => {
  expect(unknownName('metric', 'quite another', ['turn.p95', 'turn.p99'])).toBe(
    "unknown metric 'quite another': known are turn.p95, turn.p99",
  );
  expect(unknownName('metric', 'quite another', numbered(300))).toMatch(/known are name0, name1, name2 and 297 more$/);
});

test.each([
  ['concurency', 'concurrency'],
  ['jsno', 'json'],
  ['rnu', 'run'],
  ['thinktim', 'thinkTime'],
  ['foo', undefined],
  ['bar', undefined],
])('the name nearest to %s is %s', (given, nearest) => {
  expect(nearestName(given, ['json', 'fdr', 'base', 'out', 'run', 'concurrency', 'thinkTime'])).toBe(nearest);
});
