import { expect, test } from 'vitest';
import { countText } from './count-text.ts';

const result = { verdict: 'PASSED' as const };
const unreadable = { verdict: 'UNREADABLE' as const };
const all = [result, result, unreadable];

test.each([
  [all, all, '2 results, 1 unreadable file'],
  [[result], [result], '1 result'],
  [[result], [result, result], '1 of 2 results'],
  [[result], all, '1 of 2 results, 0 of 1 unreadable file'],
  [[unreadable], all, '0 of 2 results, 1 of 1 unreadable file'],
])('of what is listed, results and unreadable files are counted apart: %#', (shown, listed, text) => {
  expect(countText(shown, listed)).toBe(text);
});
