import { expect, test } from 'vitest';
import { inputOf, likelyInput, newTokens } from './input-of.ts';

const turnsOf = (...tokens: [input: number | null, output: number | null][]) =>
  tokens.map(([inputTokens, outputTokens]) => ({ afterMs: 0, inputTokens, outputTokens, replyMs: null, waitMs: null }));

test.each([
  ['a whole context becomes its growth', turnsOf([100, 20], [150, 30], [190, 5]), [100, 30, 10]],
  ['inputs that do not hold the reply before are messages', turnsOf([100, 20], [110, 30], [200, 5]), [100, 110, 200]],
  ['an unknown length makes the others messages', turnsOf([100, 20], [null, 30], [190, 5]), [100, null, 190]],
  ['a turn may add nothing', turnsOf([100, 20], [120, 0], [120, 5]), [100, 0, 0]],
  ['replies of unknown length count as none', turnsOf([100, null], [150, null]), [100, 50]],
  ['equal inputs before replies of unknown length are messages', turnsOf([100, null], [100, null]), [100, 100]],
])('%s', (_, turns, tokens) => {
  expect(newTokens(turns)).toEqual(tokens);
});

test('a stated content of input tokens is used for every session', () => {
  const turns = turnsOf([100, 20], [150, 30], [90, 5]);
  expect(newTokens(turns)).toEqual([100, 150, 90]);
  // A shorter input is no growth: its message is not known.
  expect(newTokens(turns, 'whole')).toEqual([100, 30, null]);
  expect(newTokens(turnsOf([100, 20], [150, 30]), 'fresh')).toEqual([100, 150]);
});

test.each([
  ['the whole conversation', turnsOf([100, 20], [150, 30]), 'whole'],
  ['messages alone', turnsOf([100, 20], [30, 30]), 'fresh'],
  ['one turn', turnsOf([100, 20]), undefined],
  ['a turn of unknown length', turnsOf([100, 20], [null, 30]), undefined],
])('the input of a session: %s', (_, turns, input) => {
  expect(inputOf(turns)).toBe(input);
});

test('sessions that grow by chance among messages alone are read like the others', () => {
  expect([likelyInput({ whole: 2, fresh: 8 }), likelyInput({ whole: 8, fresh: 2 })]).toEqual(['fresh', undefined]);
});
