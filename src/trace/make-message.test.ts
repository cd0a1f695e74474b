import { expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { makeMessage } from './make-message.ts';

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
