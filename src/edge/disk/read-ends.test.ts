import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../test/support/results-folder.ts';
import { readEnds } from './read-ends.ts';

const long = 'x'.repeat(700_000);

test.each<[string, string, string | undefined, string | undefined]>([
  ['nothing', '', undefined, undefined],
  ['a line without its end', 'one', undefined, undefined],
  ['one line', 'one\n', 'one', 'one'],
  ['a last line that is being written', 'one\ntwo\nthr', 'one', 'two'],
  ['long lines', `${long}1\nmiddle\n${long}2\n`, `${long}1`, `${long}2`],
  ['much in between', `one\n${'between\n'.repeat(50_000)}last\n`, 'one', 'last'],
])('of %s, whole lines are read', async (_, text, first, last) => {
  const ends = readEnds(join(await folderWith({ 'a.ndjson': text }), 'a.ndjson'), (line) => line);
  expect([ends.first?.toString(), ends.last?.toString()]).toEqual([first, last]);
});

test.each<[string, string, string | undefined]>([
  ['many lines', `one\ntwo\n${'no\n'.repeat(50_000)}`, 'two'],
  ['a long line', `one\ntwo\n${long}no\n`, 'two'],
  ['every line', 'no\n'.repeat(50_000), undefined],
])('%s at the end without a value are passed over', async (_, text, last) => {
  const ends = readEnds(join(await folderWith({ 'a.ndjson': text }), 'a.ndjson'), (line) =>
    line.toString().endsWith('no') ? undefined : line.toString(),
  );
  expect(ends.last).toBe(last);
});
