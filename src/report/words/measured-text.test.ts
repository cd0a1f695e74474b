import { expect, test } from 'vitest';
import { measuredText } from './measured-text.ts';

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
