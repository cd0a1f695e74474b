import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { conversionLines } from '../../report/dataset/conversion-lines.ts';
import type { TableColumns } from '../../dataset/formats/table-columns.ts';
import { datasetReport } from '../../report/dataset/dataset-outline.ts';
import { written } from '../../../test/support/render-outline.ts';
import { convertDataset, type Conversion, inspectDataset } from './convert-dataset.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-load-convert-'));
});

const all: Omit<Conversion, 'files'> = { redact: false, dedupe: false, minTurns: 1, maxTurns: Infinity, seed: 1 };

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function convert(files: readonly string[], asked: Partial<Conversion> = {}) {
  let text = '';
  const sink = {
    write: (piece: string) => {
      text += piece;
      return Promise.resolve(true);
    },
  };
  const converted = await convertDataset({ ...all, ...asked, files }, sink);
  const lines = text.split('\n').filter((line) => line !== '');
  return {
    text,
    converted,
    conversations: lines.map((line) => JSON.parse(line) as { id?: string; messages: { content: string }[] }),
  };
}

test('ends when the reader exits, and reports it', async () => {
  const file = await write('left.jsonl', many(5));
  const asked = { ...all, files: [file] };
  expect((await convertDataset(asked, { write: () => Promise.resolve(false) })).isCut).toBe(true);
  expect((await convertDataset(asked, { write: () => Promise.resolve(true) })).isCut).toBe(false);
});

const line = (id: number | string, turns = 1, language = 'English', text = 'hi'): string =>
  `${JSON.stringify({
    id,
    language,
    messages: Array.from({ length: turns }, () => [
      { role: 'user', content: `${text} ${String(id)}` },
      { role: 'assistant', content: 'yes' },
    ]).flat(),
  })}\n`;

const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => line(index + 1, 1 + (index % 4))).join('');

describe('a conversion', () => {
  test('of its own output is idempotent', async () => {
    const first = await convert([await write('many.jsonl', many(50))], { redact: true });
    const second = await convert([await write('again.jsonl', first.text)], { redact: true });
    expect(second.text).toBe(first.text);
    expect(second.converted).toMatchObject({ read: 50, written: 50, skipped: [] });
  });

  test('of a file without a readable record names the first', async () => {
    await expect(convert([await write('junk.jsonl', '\n{bad\n{worse\n')])).rejects.toThrow(
      /^Cannot read any record of .*junk.jsonl: line 2: it is not JSON/,
    );
  });

  test('writes the requested conversations and counts the others by reason', async () => {
    const text = many(8) + line('de', 2, 'German') + line('none', 2, '') + line(2, 2) + '{bad\n' + '{"messages": []}\n';
    const { converted, conversations } = await convert([await write('some.jsonl', text)], {
      languages: ['en'],
      minTurns: 2,
      maxTurns: 3,
      dedupe: true,
    });
    expect(conversations.map(({ id }) => id)).toEqual(['2', '3', '6', '7']);
    expect(
      Object.fromEntries(converted.skipped.map(({ reason, count, first }) => [reason, [count, first[0]?.where]])),
    ).toEqual({
      tooFewTurns: [2, 'line 1'],
      tooManyTurns: [2, 'line 4'],
      otherLanguage: [2, 'line 9'],
      duplicate: [1, 'line 11'],
      malformed: [1, 'line 12'],
      noUserMessage: [1, 'line 13'],
    });
    expect(converted).toMatchObject({ read: 12, written: 4, turns: 10 });
  });

  test('draws a sample of the requested conversations by its seed, in the order of the file', async () => {
    const file = await write('drawn.jsonl', many(100));
    const ids = async (seed: number): Promise<number[]> =>
      (await convert([file], { sample: 10, seed, minTurns: 2 })).conversations.map(({ id }) => Number(id));
    const drawn = await ids(3);
    expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
    expect(new Set(drawn.filter((id) => id % 4 !== 1)).size).toBe(10);
    expect([await ids(3), await ids(4)]).toEqual([drawn, expect.not.arrayContaining(drawn)]);
    expect((await convert([file], { sample: 1000 })).conversations).toHaveLength(100);
  });

  test('reads several files, each in its form, and names them', async () => {
    const sharegpt = await write('a.json', '[{"id":"a","conversations":[{"from":"human","value":"a"}]}, 7]');
    const table = await write('b.csv', 'conversation_id,role,content\nb,user,b\nb,assistant,c\n');
    const { converted, conversations } = await convert([sharegpt, table]);
    expect(conversations.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(converted.files.map(({ format, container }) => [format, container])).toEqual([
      ['sharegpt', 'json'],
      ['rows', 'csv'],
    ]);
    expect(converted.skipped[0]?.first[0]?.where).toBe(`${sharegpt} element 2`);
  });

  test('stops at a file with too many malformed records', async () => {
    const file = await write('broken.jsonl', line(1) + '{bad\n'.repeat(1001));
    await expect(convert([file])).rejects.toThrow(
      /has more than 1000 malformed lines, read as openai in jsonl \(line 2: it is not JSON/,
    );
    expect((await inspectDataset([file], undefined)).skipped[0]).toMatchObject({ reason: 'malformed', count: 1001 });
  });

  test('stops when the reader has exited', async () => {
    const file = await write('long.jsonl', many(20_000));
    let pieces = 0;
    const converted = await convertDataset({ ...all, files: [file] }, { write: () => Promise.resolve(++pieces < 2) });
    expect(pieces).toBe(2);
    expect(converted.written).toBeLessThan(10_000);
  });

  test('keeps a message of 10 MB, and writes terminal controls only in escaped form', async () => {
    const hostile = `\u001b[2J\u202e\u2028\u0000${'x'.repeat(10 * 1024 ** 2)}`;
    const { text, conversations } = await convert([
      await write('hostile.jsonl', line('\u001b]0;t\u0007', 1, '', hostile)),
    ]);
    expect(conversations[0]?.messages[0]?.content.startsWith(hostile)).toBe(true);
    expect(text.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u)).toBeNull();
  });

  test('with an explicit format reads that format, whatever the file looks like', async () => {
    const file = await write('named.jsonl', line(1));
    await expect(convert([file], { from: 'sharegpt' })).resolves.toMatchObject({
      converted: { written: 0, skipped: [{ reason: 'otherForm', count: 1 }] },
    });
  });
});

test('rows of a conversation that are not next to each other are counted, by conversion and inspection', async () => {
  const rows = ['conversation_id,role,content', 'a,user,hi', 'b,user,ho', 'a,user,well', 'b,user,ok', 'b,user,so'];
  const path = await write('scattered.csv', rows.join('\n'));
  const { converted } = await convert([path]);
  const inspected = await inspectDataset([path], undefined);
  expect([converted.written, converted.scattered, inspected.conversations, inspected.scattered]).toEqual([4, 2, 4, 2]);
  const warning =
    'warning   2 conversations repeated an earlier id in a non-adjacent row: sort the file by conversation';
  expect(conversionLines({ ...converted, to: 'out.jsonl', redacted: undefined })).toContain(warning);
  expect(written(datasetReport, inspected, { width: 200 })).toContain(warning);
});

describe('a table with named columns', () => {
  const saidBy = async (name: string, text: string, columns: TableColumns) => {
    const { conversations } = await convert([await write(name, text)], { columns });
    return conversations.map(({ messages }) => messages.map(({ content }) => content).join('|'));
  };

  test.each<[string, string, TableColumns, string[]]>([
    ['a message and its reply', 'Case;Ask;Reply\n1;a;b\n1;c;d\n2;e;f', pairOf('Case'), ['a|b|c|d', 'e|f']],
    ['in another case', 'CASE,ASK,REPLY\n1,a,b', pairOf('case'), ['a|b']],
    ['without a conversation', 'Ask,Reply\na,b\nc,', { user: 'Ask', assistant: 'Reply' }, ['a|b', 'c']],
    ['messages of users alone', 'no,what\n1,a\n2,b', { content: 'what' }, ['a', 'b']],
    [
      'messages by roles',
      'thread,who,what\nx,customer,a\nx,agent,b\ny,user,c',
      { conversation: 'thread', role: 'who', content: 'what' },
      ['a|b', 'c'],
    ],
  ])('is read: %s', async (_, text, columns, expected) => {
    expect(await saidBy('named.csv', text, columns)).toEqual(expected);
  });

  test('in JSON Lines may be named by their paths', async () => {
    const text = JSON.stringify({ case: { id: 3 }, data: { in: 'a', out: 'b' } });
    const columns = { conversation: 'case.id', user: 'data.in', assistant: 'data.out' };
    expect(await saidBy('named.jsonl', text, columns)).toEqual(['a|b']);
  });

  test('is rejected by a wrong name, with its columns', async () => {
    await expect(
      saidBy('wrong.csv', 'Case,Ask,Reply\n1,a,b', { user: 'Aks', assistant: 'Reply' }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/wrong\.csv: unknown column 'Aks': did you mean 'Ask'\?/) as string,
      hint: expect.stringContaining('--columns user=') as string,
    });
    await expect(saidBy('wrong.csv', 'Case,Ask,Reply\n1,a,b', { user: 'nothing like it' })).rejects.toThrow(
      /Case, Ask,? (?:or |and )?Reply/,
    );
  });
});

describe('pages of rows, as the API of a dataset host returns them', () => {
  const talk = (text: string) => ({ messages: [{ role: 'user', content: text }] });
  const page = (rows: readonly object[], from = 0, cut: readonly string[] = []) => ({
    features: [{ feature_idx: 0, name: 'messages', type: {} }],
    rows: rows.map((row, index) => ({ row_idx: from + index, row, truncated_cells: cut })),
    num_rows_total: 900,
  });

  test.each([
    ['in one line', 'page.json', JSON.stringify(page([talk('a'), talk('b')]))],
    ['over several lines', 'page.json', JSON.stringify(page([talk('a'), talk('b')]), null, 2)],
    [
      'one per line',
      'pages.jsonl',
      [page([talk('a')]), page([talk('b')], 1)].map((each) => JSON.stringify(each)).join('\n'),
    ],
    ['in a list', 'pages.json', JSON.stringify([page([talk('a')]), page([talk('b')], 1)])],
    ['without features', 'page.json', JSON.stringify({ rows: page([talk('a'), talk('b')]).rows })],
    [
      'with pairs',
      'page.json',
      JSON.stringify(
        page([
          { question: 'a', answer: '' },
          { question: 'b', answer: '' },
        ]),
      ),
    ],
  ])('are read as their rows: %s', async (_, name, text) => {
    const { conversations } = await convert([await write(name, text)]);
    expect(conversations.map(({ messages }) => messages[0]?.content)).toEqual(['a', 'b']);
  });

  test('name the rows that are cut', async () => {
    const pages = [page([talk('a')]), page([talk('b')], 100, ['messages']), page([talk('c')], 101, ['other'])];
    const path = await write('cut.jsonl', pages.map((each) => JSON.stringify(each)).join('\n'));
    const { converted, conversations } = await convert([path]);
    expect(conversations).toHaveLength(2);
    expect(converted.skipped).toEqual([
      { reason: 'malformed', count: 1, first: [{ where: 'row 101', detail: 'its cells messages are truncated' }] },
    ]);
  });
});

function pairOf(conversation: string): TableColumns {
  return { conversation, user: 'ask', assistant: 'reply' };
}

test('a trace is rejected with its format and the unit of its times', async () => {
  const lines = [0, 0.25, 0.75].map((timestamp) => JSON.stringify({ timestamp, input_length: 5, output_length: 6 }));
  const path = await write('requests.jsonl', lines.join('\n'));
  await expect(inspectDataset([path])).rejects.toThrow(
    'requests.jsonl is a trace (mooncake, times: seconds (assumed)) of 3 requests, not a file of conversations.',
  );
});
