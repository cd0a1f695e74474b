import { expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { makeMessage, newTokens } from './make-message.ts';

const turnsOf = (...tokens: [input: number | null, output: number | null][]) =>
  tokens.map(([inputTokens, outputTokens]) => ({ afterMs: 0, inputTokens, outputTokens, replyMs: null, waitMs: null }));

test.each([
  ['a whole context becomes its growth', turnsOf([100, 20], [150, 30], [190, 5]), [100, 30, 10]],
  ['inputs that do not hold the reply before are messages', turnsOf([100, 20], [110, 30], [200, 5]), [100, 110, 200]],
  ['an unknown length makes the others messages', turnsOf([100, 20], [null, 30], [190, 5]), [100, null, 190]],
  ['a turn may add nothing', turnsOf([100, 20], [120, 0], [120, 5]), [100, 0, 0]],
  ['replies of unknown length count as none', turnsOf([100, null], [150, null]), [100, 50]],
])('%s', (_, turns, tokens) => {
  expect(newTokens(turns)).toEqual(tokens);
});

test('a generated message has 0.75 words per token, at least one, and depends only on its stream', () => {
  const wordsOf = (text: string): number => text.split(' ').length;
  expect([1, 4, 100, 100_000].map((tokens) => wordsOf(makeMessage(tokens, randomOf(tokens))))).toEqual([
    1, 3, 75, 75_000,
  ]);
  expect(wordsOf(makeMessage(0, randomOf(1)))).toBe(1);
  expect(wordsOf(makeMessage(undefined, randomOf(1)))).toBe(18);
  expect(makeMessage(50, randomOf(1, 2))).toBe(makeMessage(50, randomOf(1, 2)));
  expect(makeMessage(50, randomOf(1, 2))).not.toBe(makeMessage(50, randomOf(1, 3)));
  expect(makeMessage(90_000, randomOf(3))).toMatch(/^[a-z]+( [a-z]+)+$/);
});
