import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isReadColumn } from '../../../dataset/formats/recognize.ts';
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

describe('a file of another kind is rejected with its remedy', () => {
  test.each([
    ['empty', '', 'it is empty'],
    ['blank', '  \n ', 'it is empty'],
    ['zipped.gz', Buffer.from([0x1f, 0x8b, 8, 0]), 'it is compressed with gzip'],
    ['archive', Buffer.from('PK\u0003\u0004aaaa'), 'it is a ZIP archive'],
    ['wide', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'it is UTF-16'],
    ['prose', 'Hello there.', 'it is neither JSON, JSON Lines nor CSV'],
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
