import { expect, test } from 'vitest';
import { interleave } from './compare-releases.ts';

const told = (pairs: number, first?: number): string =>
  interleave(pairs, first)
    .map(({ pair, side }) => `${String(pair)}${side[0] ?? ''}`)
    .join(' ');

test('each side is first in every other pair, so that drift affects both alike', () => {
  expect(told(5)).toBe('1b 1h 2h 2b 3b 3h 4h 4b 5b 5h');
});

test('a batch that continues another has its own pairs', () => {
  expect(told(3, 6)).toBe('6h 6b 7b 7h 8h 8b');
});
