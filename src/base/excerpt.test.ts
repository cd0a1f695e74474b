import { expect, test } from 'vitest';
import { excerpt, nameOrLength } from './excerpt.ts';
import { redactorOf } from './redact.ts';

const key = 'sk-live-0123456789abcdef';

test('an excerpt is redacted before it is cut: no part of a key is left at its end', () => {
  for (let before = 0; before <= 60; before++)
    expect(excerpt(`${'x'.repeat(before)}${key} after`, redactorOf(key), 50)).not.toContain(key.slice(0, 3));
  expect(excerpt('x'.repeat(51), redactorOf(key), 50)).toBe(`${'x'.repeat(50)}…`);
  expect(excerpt('x'.repeat(50), redactorOf(key), 50)).toBe('x'.repeat(50));
});

test('an excerpt ends before a character that is two units of UTF-16, not within it', () => {
  for (let before = 0; before <= 3; before++) {
    const cut = excerpt(`${'x'.repeat(before)}${'🤖'.repeat(9)}`, (text) => text, 5);
    expect([/\p{Cs}/u.test(cut), cut.endsWith('…'), cut.length]).toEqual([false, true, before % 2 === 0 ? 5 : 6]);
  }
});

test('a name is shown whole, or as its length', () => {
  expect([nameOrLength('name', 4), nameOrLength(key, 4)]).toEqual(['name', '(24 characters)']);
});
