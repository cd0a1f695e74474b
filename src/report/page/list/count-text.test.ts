import { expect, test } from 'vitest';
import { countText } from './list-choice.ts';

const result = { verdict: 'PASSED', document: 'result' } as const;
const unreadable = { verdict: 'UNREADABLE', document: 'result' } as const;
const capacity = { verdict: 'FAILED', document: 'capacity' } as const;
const comparison = { verdict: 'PASSED', document: 'comparison' } as const;
const all = [result, result, unreadable];

test.each([
  [all, all, '2 results, 1 unreadable file'],
  [[result], [result], '1 result'],
  [[result], [result, result], '1 of 2 results'],
  [[result], all, '1 of 2 results, 0 of 1 unreadable file'],
  [[unreadable], all, '0 of 2 results, 1 of 1 unreadable file'],
  [[capacity, capacity], [capacity, capacity], '2 capacity searches'],
  [[capacity], [result, capacity, comparison], '0 of 1 result, 1 of 1 capacity search, 0 of 1 capacity comparison'],
  [[], [], '0 results'],
])('documents are counted by kind: %#', (shown, listed, text) => {
  expect(countText(shown, listed)).toBe(text);
});
