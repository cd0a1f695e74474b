import { describe, expect, test } from 'vitest';
import {
  comparisonAddress,
  readChoice,
  reportAddress,
  toggleTick,
  trendAddress,
  writeChoice,
  type ListChoice,
} from './list-choice.ts';

const none = { base: [], head: [] };

describe('a choice', () => {
  test('is the same when it is read from the address again', () => {
    const choice: ListChoice = {
      filter: { scenario: 'a & b', label: '50 %', verdict: 'FAILED', commit: '' },
      ticks: { base: ['one', 'two'], head: ['three'] },
      trend: { folder: 1, scenario: 'a & b', metric: 'turn.p99' },
    };
    expect(readChoice(writeChoice(choice))).toEqual(choice);
  });

  test('is the default without a query, and the default has no query', () => {
    expect(writeChoice(readChoice(''))).toBe('');
  });
});

test('a result is on one side at most, and a second click removes it', () => {
  const once = toggleTick(none, 'base', 'one');
  expect(once).toEqual({ base: ['one'], head: [] });
  expect(toggleTick(once, 'head', 'one')).toEqual({ base: [], head: ['one'] });
  expect(toggleTick(once, 'base', 'one')).toEqual(none);
  expect(toggleTick(once, 'base', 'two').base).toEqual(['one', 'two']);
});

test('a comparison needs both sides', () => {
  expect(comparisonAddress({ base: ['one'], head: [] })).toBeUndefined();
  expect(comparisonAddress({ base: ['one', 'two'], head: ['three'] })).toBe('compare?base=one&base=two&head=three');
});

test('names in addresses are unambiguous', () => {
  expect(reportAddress(['../x&y'])).toBe('report?result=..%2Fx%26y');
  expect(trendAddress({ folder: 1, scenario: 'a&b', metric: '' })).toBe('trend?folder=1&scenario=a%26b');
  expect(trendAddress({ folder: 0, scenario: 'a', metric: 'turn.p99' })).toContain('&metric=turn.p99');
});
