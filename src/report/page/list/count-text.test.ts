import { expect, test } from 'vitest';
import { countText } from './list-choice.ts';

const documents = [
  { name: 'result', singular: 'result', plural: 'results' },
  { name: 'search', singular: 'search', plural: 'searches' },
  { name: 'trend', singular: 'trend', plural: 'trends' },
];

const result = { verdict: 'PASSED', document: 'result' } as const;
const unreadable = { verdict: 'UNREADABLE', document: 'result' } as const;
const search = { verdict: 'FAILED', document: 'search' } as const;
const trend = { verdict: 'PASSED', document: 'trend' } as const;
const all = [result, result, unreadable];

test.each([
  [all, all, '2 results, 1 unreadable file'],
  [[result], [result], '1 result'],
  [[result], [result, result], '1 of 2 results'],
  [[result], all, '1 of 2 results, 0 of 1 unreadable file'],
  [[unreadable], all, '0 of 2 results, 1 of 1 unreadable file'],
  [[search, search], [search, search], '2 searches'],
  [[search], [result, search, trend], '0 of 1 result, 1 of 1 search, 0 of 1 trend'],
  [[], [], '0 results'],
])('documents are counted by kind: %#', (shown, listed, text) => {
  expect(countText(shown, listed, documents)).toBe(text);
});
