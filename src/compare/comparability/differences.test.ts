import { expect, test } from 'vitest';
import { fieldDifferences } from './differences.ts';

const shown = (value: unknown): string => fieldDifferences('plan.options.name', 'Ada', value)[0]?.head ?? '';

test.each([
  ['a text', (text: string): unknown => text],
  ['a list', (text: string): unknown => [text]],
])('the value of %s is cut, without control characters or half a character', (_, valueOf) => {
  for (let before = 0; before < 2; before++) {
    const head = shown(valueOf(`\u001b[8m\u202e${'x'.repeat(before)}${'🤖'.repeat(99)}`));
    expect(head).toMatch(/🤖…$/);
    expect(head).not.toMatch(/[\p{Cs}\p{Cc}\u202e]/u);
    expect(head.length).toBeLessThanOrEqual(81);
  }
  expect(shown('5s')).toBe('5s');
});
