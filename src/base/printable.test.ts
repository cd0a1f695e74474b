import { describe, expect, test } from 'vitest';
import { printable } from './printable.ts';

const joiner = '\u200d';
const family = `👩${joiner}👩${joiner}👧`;
const technician = `👩🏽${joiner}💻`;
const rainbow = `🏳\ufe0f${joiner}🌈`;

describe('a printable text', () => {
  test('keeps an emoji of several parts in one', () => {
    for (const emoji of [family, technician, rainbow]) expect(printable(`a ${emoji} b`)).toBe(`a ${emoji} b`);
  });

  test.each([
    ['not next to an emoji', `a${joiner}b`, 'a b'],
    ['at the end', `👩${joiner}`, '👩 '],
    ['twice', `👩${joiner}${joiner}👧`, '👩 👧'],
    ['before an override of the direction', `👩${joiner}\u202e👧`, '👩 👧'],
  ])('contains no joiner %s', (_, text, shown) => expect(printable(text)).toBe(shown));
});
