import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvOf, type Sheet } from './save.ts';

/** Parses CSV as a spreadsheet or a program does. */
const readBack = (sheet: Sheet): string[][] => parse(csvOf(sheet), { record_delimiter: '\r\n' });

test('a sheet is read back cell by cell, whatever its texts are', () => {
  const unit = fc.constantFrom('"', ',', ';', "'", '\n', '\r', '\t', '=', ' ', 'a', 'é', '😀');
  // Formula prefixes are tested below.
  const text = fc.string({ unit, maxLength: 8 }).filter((each) => !/^[=\t\r]/.test(each));
  const cell = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null));
  const sheets = fc.integer({ min: 2, max: 5 }).chain((width) =>
    fc.record({
      columns: fc.array(text, { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
    }),
  );
  fc.assert(
    fc.property(sheets, ({ columns, rows }) => {
      const [heads, ...read] = readBack({ columns: ['first', ...columns], rows: rows.map((row) => [0, ...row]) });
      expect(heads).toEqual(['first', ...columns]);
      expect(read).toEqual(rows.map((row) => ['0', ...row.map((each) => (each === null ? '' : String(each)))]));
    }),
  );
});

test('numbers keep every digit', () => {
  const values = [0.1 + 0.2, 1e-7, -1234567.891, 1e21];
  const [, read] = readBack({ columns: values.map(String), rows: [values] });
  expect(read?.map(Number)).toEqual(values);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://evil.test","x")'])(
  'a text that a spreadsheet would run as a formula is kept a text: %j',
  (text) => {
    expect(readBack({ columns: ['a'], rows: [[text]] })).toEqual([['a'], [`'${text}`]]);
  },
);

test('a negative number is not a formula', () => {
  expect(csvOf({ columns: ['a'], rows: [[-1]] })).toBe('a\r\n-1');
});
