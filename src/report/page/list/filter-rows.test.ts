import { expect, test } from 'vitest';
import { listable } from '../../../../test/support/results-folder.ts';
import { filterRows, noFilter, type ListFilter } from './list-choice.ts';
import { viewRow } from './view-row.ts';

const like = viewRow({ id: '', folder: 0, file: '' }, listable({}));
const rows = [
  { ...like, id: 'one', scenario: 'peak', label: 'Release-1', commit: 'abc123', verdict: 'PASSED' as const },
  { ...like, id: 'two', scenario: 'peak', label: 'release-2', commit: '', verdict: 'FAILED' as const },
  { ...like, id: 'three', scenario: 'peaks', label: '', commit: 'ABC999', verdict: 'PASSED' as const },
];

test.each<[Partial<ListFilter>, string[]]>([
  [{}, ['one', 'two', 'three']],
  [{ scenario: 'peak' }, ['one', 'two']],
  [{ label: ' RELEASE ' }, ['one', 'two']],
  [{ verdict: 'PASSED' }, ['one', 'three']],
  [{ commit: 'abc' }, ['one', 'three']],
  [{ commit: 'abc', scenario: 'peak' }, ['one']],
  [{ label: 'nothing like it' }, []],
])('the filter %o leaves %o', (filter, left) => {
  expect(filterRows(rows, { ...noFilter, ...filter }).map(({ id }) => id)).toEqual(left);
});
