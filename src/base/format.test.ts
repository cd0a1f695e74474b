import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatMs, formatNumber, formatRate, formatShare, shellWord } from './format.ts';

test.each([
  [null, '-'],
  [0, '0 ms'],
  [0.0009, '0.90 µs'],
  [0.85, '850 µs'],
  [0.9996, '1.00 ms'],
  [12.34, '12.3 ms'],
  [99.96, '100 ms'],
  [999.4, '999 ms'],
  [999.6, '1.00 s'],
  [59_949, '59.9 s'],
  [59_960, '1m 00s'],
  [125_000, '2m 05s'],
  [3_599_600, '1h 00m'],
  [8 * 3_600_000, '8h 00m'],
  [Infinity, 'infinite'],
])('%s milliseconds read as %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.00001, '< 0.01 %'],
  [0.0123, '1.23 %'],
  [0.456, '45.6 %'],
  [0.9996, '> 99.9 %'],
  [0.999, '99.9 %'],
  [null, '-'],
])('a share of %s reads as %s', (share, text) => {
  expect(formatShare(share)).toBe(text);
});

test('counts, numbers and sizes have three digits and thousands separators', () => {
  expect([
    formatCount(1234567),
    formatNumber(3.14159),
    formatNumber(42),
    formatNumber(0.00042),
    formatNumber(1234.5),
    formatBytes(1536),
    formatBytes(2.5e6),
    formatBytes(12),
  ]).toEqual(['1,234,567', '3.14', '42', '0.00042', '1,235', '1.54 kB', '2.50 MB', '12 B']);
});

test.each([
  [0, '0 turns/s'],
  [1, '1 turn/s'],
  [0.5, '0.50 turns/s'],
  [1.5, '1.50 turns/s'],
  [12_345, '12,345 turns/s'],
])('a rate of %j is "%s"', (rate, text) => expect(formatRate(rate, 'turn')).toBe(text));

test.each([
  ['a/b-1.jsonl', 'a/b-1.jsonl'],
  ['my talks.jsonl', "'my talks.jsonl'"],
  ["it's", String.raw`'it'\''s'`],
  ['$HOME', "'$HOME'"],
  ['', "''"],
])('%j is %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
