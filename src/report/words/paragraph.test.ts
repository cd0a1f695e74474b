import { expect, test } from 'vitest';
import { breakWord, paragraph } from './paragraph.ts';

test('a paragraph is indented as far as the text before it', () => {
  expect(paragraph('one two three four', { width: 14, first: 'note  ' })).toBe(
    'note  one two\n      three\n      four',
  );
});

test('no line of a paragraph but its first begins at the margin', () => {
  expect(paragraph('one two three PASSED four', { width: 14 })).toBe('one two\n  three PASSED\n  four');
});

test('a paragraph contains no control character', () => {
  expect(paragraph('a\u001b[31m\r\nb\u0000\u202ec\td', { width: 40 })).toBe('a [31m b c d');
});

test('a word longer than a line is broken, and nothing of it is lost', () => {
  const lines = paragraph(`${'x'.repeat(25)} end`, { width: 12, first: '- ' }).split('\n');
  expect(lines).toEqual(['- xxxxxxxxxx', '  xxxxxxxxxx', '  xxxxx end']);
});

test('a number and its unit stay together', () => {
  expect(paragraph('it is +52.9 % more, 1.21 s', { width: 14 })).toBe('it is\n  +52.9 %\n  more, 1.21 s');
});

test('no character is broken in two', () => {
  expect(breakWord('👋👋👋', 5)).toBe('👋👋 👋');
});

test('an emoji of several parts is one character', () => {
  const technician = '👩🏽\u200d💻';
  expect(paragraph(`by ${technician}`, { width: 20 })).toBe(`by ${technician}`);
});
