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
    ['https://evil.test/x ftp://a', 'https:\u200b//evil.test/x ftp:\u200b//a', 'a link'],
    ['see www.evil.test', 'see www\u200b.evil.test', 'a link'],
    ['a@b.test, mailto:x', 'a@\u200bb.test, mailto:\u200bx', 'a mail address'],
    [':tada: :+1: :man_dancing:', ':\u200btada: :\u200b+1: :\u200bman\\_dancing:', 'an emoji'],
    ['GH-12 o/r#3', 'GH-\u200b12 o/r#\u200b3', 'an issue'],
    ['at 0123abcdef', 'at 0123\u200babcdef', 'a commit'],
    ['[^1] [ ] $x$', '\\[\\^1\\] \\[ \\] \\$x\\$', 'a footnote, a task or a formula'],
    ['12:34:56 1234567 decade', '12:34:56 1234567 decade', 'nothing at all'],
    ['1.21 s, +52.9 %', '1.21 s, +52.9 %', 'nothing at all'],
  ])('%j is written as %j: no %s', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });

  test('does not end the code around a name, nor its cell', () => {
    expect(codeMarkdown('turn`|\n\\x')).toBe('`turn    x`');
  });
});

test('a table has one cell per column', () => {
  expect(markdownTable([{ head: 'a' }, { head: 'b', align: 'right' }], [['1', '2']])).toBe(
    '| a | b |\n| --- | ---: |\n| 1 | 2 |',
  );
});
