import { describe, expect, test } from 'vitest';
import { splitWords } from './run-token-command.ts';

describe('the arguments of a command line', () => {
  test.each<[string, string[]]>([
    ['gcloud auth print-access-token', ['gcloud', 'auth', 'print-access-token']],
    ['  a   \'b c\'\t"d e" ', ['a', 'b c', 'd e']],
    [`a'b'"c"d`, ['abcd']],
    [`a '' ""`, ['a', '', '']],
    ['a\\ b \\"c', ['a b', '"c']],
    [String.raw`a "\"\\\n"`, ['a', String.raw`"\\n`]],
    [`a 'b\\n' $HOME * \`id\` | c`, ['a', 'b\\n', '$HOME', '*', '`id`', '|', 'c']],
  ])('%s', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  test.each(['', ' ', "''", 'a "b', "a 'b"])('%j is none', (line) => {
    expect(() => splitWords(line)).toThrow('The token command');
  });
});
