import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { isReadColumn } from '../../../dataset/formats/recognize.ts';
import {
  dictionaryOf,
  equalPage,
  levelsOf,
  parquetFile,
  plainTexts,
  run,
  type Page,
} from '../../../../test/support/parquet-file.ts';
import { openRecords } from './open-records.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-load-records-'));
});

async function read(name: string, content: string | Buffer): Promise<unknown[]> {
  const path = join(folder, name);
  await writeFile(path, content);
  return readPath(path);
}

async function readPath(path: string): Promise<unknown[]> {
  const file = await openRecords(path, (column) => isReadColumn(column));
  const records: unknown[] = [file.container];
  for await (const piece of file.records())
    records.push(...piece.map((record) => ('value' in record ? record.value : record)));
  return records;
}

const fixture = (name: string): string =>
  join(fileURLToPath(new URL('../../../../test/fixtures/datasets', import.meta.url)), name);

describe('a file is read by its content', () => {
  test.each([
    ['lines.jsonl', '{"a":1}\n{"a":2}\n', ['jsonl', { a: 1 }, { a: 2 }]],
    ['lines.txt', '\ufeff{"a":1}\n{"a":2}', ['jsonl', { a: 1 }, { a: 2 }]],
    ['array.json', '\ufeff[{"a":1}]', ['json', { a: 1 }]],
    ['document.json', '{\n "a": 1\n}', ['json', { a: 1 }]],
    ['one.json', '{"a": 1}', ['jsonl', { a: 1 }]],
    ['lines.json', '{"a":1}\n{"a":2}', ['jsonl', { a: 1 }, { a: 2 }]],
    ['table.csv', '\ufeffid,messages\n7,"[{""role"":""user""}]"\n', ['csv', { id: '7', messages: [{ role: 'user' }] }]],
    ['table.txt', 'id;text\n7;"a;\nb"\n', ['csv', { id: '7', text: 'a;\nb' }]],
    ['table.tsv', 'id\ttext\n7\ta, b\n', ['csv', { id: '7', text: 'a, b' }]],
    [
      'own.csv',
      '__proto__,id\n1,2\n',
      [
        'csv',
        Object.fromEntries([
          ['__proto__', '1'],
          ['id', '2'],
        ]),
      ],
    ],
  ])('%s', async (name, content, expected) => {
    expect(await read(name, content)).toEqual(expected);
  });

  test('a record after megabytes of empty lines', async () => {
    const blank = '\n'.repeat(300_000);
    expect(await read('blank.jsonl', `${blank}{"a":1}\n`)).toEqual(['jsonl', { a: 1 }]);
    expect(await read('marked.jsonl', `\ufeff${blank}{"a":1}\n`)).toEqual(['jsonl', { a: 1 }]);
    await expect(read('nothing.jsonl', blank)).rejects.toThrow('it is empty');
  });

  test('a table that names a column that is read twice is rejected', async () => {
    await expect(read('twice.csv', 'conversation_id,content,content\n1,a,b')).rejects.toThrow(
      "it has two columns 'content'",
    );
    expect(await read('others.csv', 'content,mine,mine\na,1,2')).toHaveLength(2);
  });

  test('a row with another number of cells is malformed, and the next one read', async () => {
    expect(await read('torn.csv', 'a,b\n1\n2,3\n')).toEqual([
      'csv',
      { place: 1, problem: 'malformed', detail: 'it has 1 cells, and the first line names 2' },
      { a: '2', b: '3' },
    ]);
  });
});

describe('Parquet, as datasets are published', () => {
  test('with Snappy and several groups of rows', async () => {
    const [container, ...rows] = await readPath(fixture('lmsys.snappy.parquet'));
    expect(container).toBe('parquet');
    expect(rows).toHaveLength(4);
    expect(rows[3]).toEqual({
      conversation_id: '00000000000000000000000000000004',
      conversation: [
        { content: 'Cancel order 4711', role: 'user' },
        { content: 'Done: order 4711 is cancelled.', role: 'assistant' },
      ],
      language: 'English',
    });
  });

  test('with Zstandard, without the columns that nobody reads', async () => {
    const [, first] = await readPath(fixture('wildchat.zstd.parquet'));
    expect(Object.keys(first as object)).toEqual(
      expect.arrayContaining(['conversation_hash', 'conversation', 'language']),
    );
    expect(first).not.toHaveProperty('country');
    expect(first).not.toHaveProperty('openai_moderation');
  });

  test('with more rows in a group than memory holds, in pages of any size', async () => {
    const rows = 5_200_000;
    const pages = Array.from({ length: 52 }, () => equalPage(100_000));
    const odd = [...Array.from({ length: 5 }, () => equalPage(1_000_000)), equalPage(200_000)];
    const columns = [
      { name: 'id', pages: [dictionaryOf('a'), ...pages] },
      { name: 'content', pages: [dictionaryOf('Hello'), ...odd] },
    ];
    await writeFile(join(folder, 'many.parquet'), parquetFile(columns, rows));
    const file = await openRecords(join(folder, 'many.parquet'), (column) => isReadColumn(column));
    let seen = 0;
    let last: unknown;
    for await (const records of file.records()) {
      seen += records.length;
      last = records.at(-1);
    }
    expect([seen, last]).toEqual([rows, { place: rows, value: { id: 'a', content: 'Hello' } }]);
  });

  test('with lists that continue from page to page', async () => {
    // Rows of 2, 3 and 1 elements, in pages of 3 values.
    const page = (repetition: readonly number[], texts: readonly string[]): Page => ({
      kind: 'data',
      values: 3,
      bytes: Buffer.concat([
        ...[repetition, [3, 3, 3]].map((each) => levelsOf(...each.map((level) => run(1, level)))),
        plainTexts(...texts),
      ]),
    });
    const pages = [page([0, 1, 0], ['a', 'b', 'c']), page([1, 1, 0], ['d', 'e', 'f'])];
    await writeFile(join(folder, 'lists.parquet'), parquetFile([{ name: 'messages', isList: true, pages }], 3));
    expect(await readPath(join(folder, 'lists.parquet'))).toEqual([
      'parquet',
      { messages: ['a', 'b'] },
      { messages: ['c', 'd', 'e'] },
      { messages: ['f'] },
    ]);
  });

  test('with fewer rows than it declares is rejected', async () => {
    const bytes = parquetFile([{ name: 'id', pages: [dictionaryOf('a'), equalPage(10)] }], 11);
    await expect(read('few.parquet', bytes)).rejects.toThrow('row group 1: 1 of its 11 rows are missing');
  });

  test.each([
    ['cut.parquet', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ['short.parquet', (whole: Buffer) => whole.subarray(0, 10)],
    [
      'wrong.parquet',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 200), Buffer.alloc(4000, 0xff), whole.subarray(4200)]),
    ],
  ])('that is damaged is rejected by name: %s', async (name, damage) => {
    const { readFile } = await import('node:fs/promises');
    const whole = await readFile(fixture('lmsys.snappy.parquet'));
    await expect(read(name, damage(whole))).rejects.toThrow(
      /\.parquet cannot be read: it is not a Parquet file that can be read/,
    );
  });
});

describe('a file of another kind is rejected with its remedy', () => {
  test.each([
    ['empty', '', 'it is empty'],
    ['blank', '  \n ', 'it is empty'],
    ['zipped.gz', Buffer.from([0x1f, 0x8b, 8, 0]), 'it is compressed with gzip'],
    ['archive', Buffer.from('PK\u0003\u0004aaaa'), 'it is a ZIP archive'],
    ['wide', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'it is UTF-16'],
    ['prose', 'Hello there.', 'it is neither JSON, JSON Lines, CSV nor Parquet'],
    ['quote.csv', 'a,b\n1,2\n3,"4\n', 'it is not CSV after row 1 (Quote Not Closed'],
    ['cut.json', '[{"a":1', 'it is cut off in element 1: its end is missing'],
  ])('%s', async (name, content, message) => {
    await expect(read(name, content)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message) as string,
    });
  });

  test('a folder, and a missing file', async () => {
    await expect(readPath(folder)).rejects.toThrow('it is a folder');
    await expect(readPath(join(folder, 'none'))).rejects.toThrow('no such file or folder');
  });
});
