import { describe, expect, test } from 'vitest';
import { codeMarkdown, escapeMarkdown, markdownTable } from './markdown-text.ts';

describe('a text from outside', () => {
  test.each([
    ['a|b', 'a\\|b', 'a cell'],
    ['`x` **y** _z_ [a](b)', '\\`x\\` \\*\\*y\\*\\* \\_z\\_ \\[a\\](b)', 'markup'],
    ['<img src=x> &lt;', '&lt;img src=x&gt; &amp;lt;', 'HTML'],
    ['a\\|b', 'a\\\\\\|b', 'a backslash before a mark'],
    ['a\r\n\n# b\u001b[31m\u0000', 'a # b \\[31m', 'lines and control characters'],
    ['# b', '\\# b', 'a heading'],
    ['- b', '\\- b', 'a list'],
    ['12. b', '12\\. b', 'a numbered list'],
    ['---', '\\---', 'a rule'],
    ['@team #12', '@\u200bteam #\u200b12', 'mentions'],
    ['1.21 s, +52.9 %', '1.21 s, +52.9 %', 'nothing at all'],
  ])('%j is written as %j: no %s', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });

  test('does not end the code around a name, nor its cell', () => {
    expect(codeMarkdown('turn`|\n\\x')).toBe('`turn    x`');
  });
});

test('a table has a cell a column', () => {
  expect(markdownTable([{ head: 'a' }, { head: 'b', align: 'right' }], [['1', '2']])).toBe(
    '| a | b |\n| --- | ---: |\n| 1 | 2 |',
  );
});
