import picocolors from 'picocolors';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { paragraph } from './paragraph.ts';
import { plain, renderTable } from './table.ts';
import { cut } from './width.ts';

const colors = picocolors.createColors(true);
const samples = {
  CJK: '会話エージェント',
  'emoji of several parts': '👨‍👩‍👧 👩🏽‍💻 🫠',
  'combining marks': 'e\u0301te\u0301 a\u0308',
  colours: colors.red('red') + colors.bold('bold'),
};

describe.each(Object.entries(samples))('a text with %s', (_, sample) => {
  test('takes up the columns of a table that it takes up on a terminal', () => {
    const columns = [{ head: 'name' }, { head: 'count', align: 'right' as const }, { head: 'seen' }];
    const rows = [
      [sample, '1', 'first'],
      ['plain', sample, 'second'],
    ];
    const lines = renderTable(columns, rows, { colors, width: 80 }).split('\n');
    const last = ['seen', 'first', 'second'];
    const starts = lines.map((line, index) => stringWidth(line.slice(0, line.lastIndexOf(last[index] ?? '?'))));
    expect(starts).toEqual([starts[0], starts[0], starts[0]]);
  });

  test('is wrapped within 80 columns, and nothing of it is lost', () => {
    const text = `${sample} `.repeat(30).trim();
    const table = renderTable([{ head: 'a' }, { head: 'b' }], [['x', text]], { colors, width: 80 });
    const inTable = table.split('\n').slice(1);
    expect(inTable.length).toBeGreaterThan(1);
    expect(inTable.filter((line) => stringWidth(line) > 80)).toEqual([]);
    const words = (lines: string): string[] => plain(lines).split(/\s+/).filter(Boolean);
    expect(words(inTable.join(' ')).slice(1)).toEqual(words(text.normalize()));
  });

  test('is cut where its columns end, never within a character', () => {
    const bare = plain(sample);
    expect(cut(bare, stringWidth(bare))).toBe(bare);
    const short = cut(bare.repeat(20), 21);
    expect([20, 21]).toContain(stringWidth(short));
    const characters = (text: string): string[] =>
      Array.from(new Intl.Segmenter().segment(text), (each) => each.segment);
    expect(characters(bare.repeat(20)).slice(0, characters(short).length - 1)).toEqual(characters(short).slice(0, -1));
  });
});

test('a word of wide characters that is longer than a line is broken where its columns end', () => {
  const lines = paragraph('会'.repeat(50), { width: 80, first: '会話  ' }).split('\n');
  expect(lines.map((line) => stringWidth(line))).toEqual([80, 6 + 2 * (50 - 37)]);
});

test('a coloured cell keeps its colour on every line that it is wrapped to', () => {
  const cell = colors.red('word '.repeat(30).trim());
  const lines = renderTable([{ head: 'a' }], [[cell]], { colors, width: 40 })
    .split('\n')
    .slice(1);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(line).toBe(colors.red(plain(line)));
});
