import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { wrap } from './width.ts';

test.each([
  ['CJK', '会話エージェント '.repeat(20).trim()],
  ['emoji', '🤖🤖🤖 ok '.repeat(30).trim()],
])('lines of %s stay within 80 columns', (_, text) => {
  const lines = wrap(text, 80);
  expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
  expect(lines.join(' ')).toBe(text);
});
