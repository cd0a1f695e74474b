import { expect, test } from 'vitest';
import { shellWord } from './format.ts';

test.each([
  ['a/b-1.jsonl', 'a/b-1.jsonl'],
  ['my talks.jsonl', "'my talks.jsonl'"],
  ["it's", String.raw`'it'\''s'`],
  ['$HOME', "'$HOME'"],
  ['', "''"],
])('%j is %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
