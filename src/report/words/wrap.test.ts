import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { wrap, wrapLines } from './width.ts';

test.each([
  ['CJK', '会話エージェント '.repeat(20).trim()],
  ['emoji', '🤖🤖🤖 ok '.repeat(30).trim()],
])('lines of %s stay within 80 columns', (_, text) => {
  const lines = wrap(text, 80);
  expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
  expect(lines.join(' ')).toBe(text);
});

describe('lines', () => {
  test('are wrapped one by one, with their further lines indented and their words whole', () => {
    const path = '/a/path/that/is/longer/than/the/line.json';
    const text = `error one two three four five\n  six seven eight nine ten\nshort\n${path}`;
    expect(wrapLines(text, 24)).toBe(
      `error one two three\n  four five\n  six seven eight nine\n    ten\nshort\n${path}`,
    );
  });

  test('are measured without their colours, and keep their gaps', () => {
    const line = '\u001b[31mstep\u001b[39m  1  probe  pass';
    expect(wrapLines(line, 20)).toBe(line);
  });
});
