import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { fittingTable } from './table.ts';

const colors = picocolors.createColors(false);
const columns = [
  { head: 'NAME' },
  { head: 'first', align: 'right' as const, goes: 1 },
  { head: 'a very wide one', goes: 2 },
  { head: 'third', goes: 3 },
];
const rows = [['a', '1', 'x', 'y']];

describe('a table that fits', () => {
  test('keeps all its columns if there is room', () => {
    expect(fittingTable(columns, rows, { colors, width: 40 })).toEqual({
      text: 'NAME  first  a very wide one  third\na         1  x                y',
      omitted: [],
    });
  });

  test('omits columns of higher rank first, but keeps those for which there is room', () => {
    expect(fittingTable(columns, rows, { colors, width: 20 })).toEqual({
      text: 'NAME  first  third\na         1  y',
      omitted: ['a very wide one'],
    });
    expect(fittingTable(columns, rows, { colors, width: 10 }).omitted).toEqual(['a very wide one', 'third']);
  });

  test('wraps its last column and breaks the words in it that are too long', () => {
    const long = `${'w'.repeat(30)} end`;
    const { text } = fittingTable([{ head: 'NAME' }, { head: 'why', min: 12 }], [['a', long]], { colors, width: 20 });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(20);
    expect(text.split('w').length - 1).toBe(31);
    expect(text).toContain('end');
  });
});
