import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokensOf } from '../model-api/make-reply.ts';
import { digestInput, PrefixCache } from './input-blocks.ts';
import { patternOf } from './make-answer.ts';
import type { InputItem } from './read-call.ts';
import { countWords } from './token-counter.ts';

const item = (role: InputItem['role'], text: string): InputItem => ({ role, text });
const digest = (...items: InputItem[]) => digestInput('m', items);
const long = (letter: string) => item('user', `${letter} `.repeat(1000));

describe('digests of an input', () => {
  test('are shared as far as growing conversations have the same beginning, per model', () => {
    const first = digest(item('system', 'Be kind'), long('a'));
    const grown = digest(item('system', 'Be kind'), long('a'), item('assistant', 'b'), long('c'));
    expect(first.blocks).toHaveLength(7);
    expect(grown.blocks.slice(0, 7)).toEqual(first.blocks);
    expect(new Set(grown.blocks).size).toBe(grown.blocks.length);
    expect(digestInput('other', [item('system', 'Be kind'), long('a')]).blocks).not.toContain(first.blocks[0]);
  });

  test('differ in every block after the first difference', () => {
    fc.assert(
      fc.property(fc.nat(2999), (at) => {
        const text = 'x'.repeat(3000);
        const changed = `${text.slice(0, at)}y${text.slice(at + 1)}`;
        const [one, other] = [digest(item('user', text)).blocks, digest(item('user', changed)).blocks];
        const from = Math.floor((at + 'user\n'.length) / 256);
        expect(one.map((block, index) => block === other[index])).toEqual(one.map((_, index) => index < from));
      }),
    );
  });
});

describe('the prefix cache', () => {
  const take = (cache: PrefixCache, ...items: InputItem[]) =>
    cache.take(
      digest(...items),
      items.map(({ text }) => countWords(text)),
    );

  test('reports the tokens of the shared beginning, from its minimum on', () => {
    const cache = new PrefixCache({ minTokens: 500, maxMegabytes: 1 });
    expect(take(cache, long('a'))).toBe(0);
    const again = take(cache, long('a'), long('b'));
    expect(again).toBeGreaterThan(850);
    expect(again).toBeLessThanOrEqual(1000);
    expect(take(cache, item('user', 'a '.repeat(300)))).toBe(0);
    expect(take(cache, long('b'))).toBe(0);
  });

  test('forgets the least recently used inputs above its size', () => {
    const cache = new PrefixCache({ minTokens: 1, maxMegabytes: (20 * 256) / 1024 ** 2 });
    for (const letter of ['a', 'b', 'a', 'c']) take(cache, long(letter));
    expect(take(cache, long('a'))).toBeGreaterThan(800);
    expect(take(cache, long('b'))).toBeLessThan(800);
  });
});

test('words are counted as the reference service splits them', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'é', '-', ' ', '\n', '\u00a0', '\u2003', '😀', 'bc')), (parts) => {
      const text = parts.join('');
      expect(countWords(text)).toBe(tokensOf(text).length);
    }),
  );
});

test.each([
  ['gpt-*', 'gpt-5', true],
  ['gpt-*', 'a-gpt-5', false],
  ['*', '', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'acb', false],
  ['m.', 'mx', false],
  ['ab', 'ab', true],
  ['**', 'a', true],
  ['a*ba*ab', 'a-ba-ab', true],
  ['a*ba*ab', 'a-bab', false],
])('the pattern %s matches %s: %s', (pattern, name, expected) => {
  expect(patternOf(pattern)(name)).toBe(expected);
});

test('a pattern with many stars takes linear time', () => {
  const matches = patternOf('*a'.repeat(200) + '*b');
  expect(matches('a'.repeat(20_000))).toBe(false);
  expect(matches('a'.repeat(20_000) + 'b')).toBe(true);
});
