import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openConversations } from './open-conversations.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-load-'));
  vi.stubEnv('CHAT_LOAD_CACHE', join(folder, 'cache'));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
});

const talk = (id: number, turns = 1): string =>
  JSON.stringify({
    id: String(id),
    messages: Array.from({ length: turns }, (_, turn) => [
      { role: 'user', content: `${String(id)}.${String(turn)} é😀` },
      { role: 'assistant', content: 'Well' },
    ]).flat(),
  });
const talks = Array.from({ length: 2000 }, (_, id) => talk(id, (id % 3) + 1));

function written(text: string | Buffer, name = 'talks.jsonl'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const indexOf = (path: string): string => `${path}.chat-load-index`;

describe('a file of conversations', () => {
  test('returns every conversation of the file, in any order, with its number of turns', async () => {
    const path = written(`${talks.join('\n')}\n`);
    const source = await openConversations(path);
    expect([source.count, source.skipped.lines, source.merged]).toEqual([2000, 0, 0]);
    expect(source.turnCounts).toEqual([
      [1, 667],
      [2, 667],
      [3, 666],
    ]);
    for (const index of [1999, 0, 512, 511, 1024, 3]) {
      expect(source.at(index)).toEqual(JSON.parse(talks[index] ?? ''));
      expect(source.turnsAt(index)).toBe((index % 3) + 1);
    }
    expect(source.digest).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
    expect(() => source.at(2000)).toThrow('no record 2000');
  });

  test('has no conversation in a line that is not UTF-8', async () => {
    const latin = Buffer.from('{"messages":[{"role":"user","content":"\u00e9"}]}', 'latin1');
    const { count, skipped } = await openConversations(written(Buffer.concat([latin, Buffer.from(`\n${talk(1)}`)])));
    expect([count, skipped.first]).toEqual([1, [{ line: 1, why: 'it is not UTF-8' }]]);
  });

  test('may have a line of many megabytes', async () => {
    const content = 'x'.repeat(20_000_000);
    const long = JSON.stringify({ messages: [{ role: 'user', content }] });
    const source = await openConversations(written([talk(1), long, talk(2)].join('\n')));
    expect(source.at(1).messages[0]?.content).toBe(content);
    expect(source.at(2).id).toBe('2');
  });

  test('has its malformed lines named and omitted, up to a limit', async () => {
    const bad = [...talks.slice(0, 98), '{"messages":[]}', '{"messages":[{"role":"us'];
    const path = written(bad.join('\n'));
    await expect(openConversations(path)).rejects.toThrow(
      '2 lines of 100 are not conversations; at most 1 may be malformed:\n  line 99: it has no messages\n  line 100: it is not JSON: the file ends in the middle of it',
    );
    const source = await openConversations(path, { maxMalformed: { lines: 2 } });
    expect(source.count).toBe(98);
    expect(source.skipped).toMatchObject({ lines: 2, first: [{ line: 99 }, { line: 100 }] });
    await expect(openConversations(path, { maxMalformed: { share: 0.019 } })).rejects.toThrow('at most 1 may');
    expect((await openConversations(path, { maxMalformed: { share: 0.02 } })).count).toBe(98);
  });

  test.each([
    ['', 'it is empty'],
    ['\n \n', 'it is empty'],
    ['nothing\n', '1 line of 1 is not a conversation:\n  line 1: it is not JSON'],
    [gzipSync(talk(1)), 'it is compressed with gzip'],
    [Buffer.from('28b52ffd00', 'hex'), 'it is compressed with Zstandard'],
    [Buffer.from(`\ufeff${talk(1)}`, 'utf16le'), 'it is UTF-16'],
    [Buffer.from(talk(1), 'utf16le'), 'it is UTF-16'],
    ['PAR1....', 'it is a Parquet file'],
    ['{"conversations":[{"from":"human","value":"Hi"}]}\n', 'it has the form sharegpt, in JSON Lines'],
    [`[${talk(1)}]`, 'it has the form openai, in one JSON document'],
    ['[{}]', 'line 1: it is not a JSON object'],
    ['{"a":1}', "line 1: it has no 'messages'"],
  ])('is rejected: %j', async (text, why) => {
    await expect(openConversations(written(text))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(why) as string,
    });
  });

  test('is rejected with the command that converts it', async () => {
    const command = (path: string): string =>
      `chat-load dataset convert ${path} --to ${join(folder, 'talks')}.converted.jsonl`;
    const foreign = written('{"conversation":[{"role":"user","content":"Hi"}],"conversation_id":"1"}\n');
    await expect(openConversations(foreign)).rejects.toMatchObject({ hint: `Convert it: ${command(foreign)}` });
    const table = written('id;role;text\n1;user;Hi\n', 'talks.txt');
    await expect(openConversations(table)).rejects.toMatchObject({ hint: `Convert it: ${command(table)}` });
    const odd = written([talk(1), '{"messages":[]}', '{}'].join('\n'));
    await expect(openConversations(odd)).rejects.toMatchObject({
      hint: expect.stringContaining(`omit them: ${command(odd)}`) as string,
    });
  });

  test('is rejected if it is missing, or a folder', async () => {
    await expect(openConversations(join(folder, 'none.jsonl'))).rejects.toThrow('no such file');
    await expect(openConversations(folder)).rejects.toThrow('it is a folder');
  });

  test('that changes during reading is detected', async () => {
    const path = written(talks.join('\n'));
    const source = await openConversations(path);
    await appendFile(path, `\n${talk(1)}`);
    expect(() => source.at(1)).toThrow(
      `talks.jsonl has changed since it was opened: it has ${String(Buffer.byteLength(`\n${talk(1)}`))} bytes more than before`,
    );
  });

  test('that is small and unchanged stays readable if only its time changes', async () => {
    const path = written(talks.join('\n'));
    const source = await openConversations(path);
    const before = source.at(1);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect(source.at(1)).toEqual(before);
    expect(source.changed()).toBeUndefined();
    const bytes = readFileSync(path);
    bytes.write('Ways', bytes.indexOf('Well', 4096));
    writeFileSync(path, bytes);
    expect(() => source.at(1)).toThrow('it was written to');
  });

  test('that is overwritten between the samples is detected, with its time reset or not', async () => {
    const path = written(talks.join('\n'));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const source = await openConversations(path);
    expect(source.changed()).toBeUndefined();
    // Samples of 4 KiB are spread evenly over the file: none begins directly after the first.
    const bytes = readFileSync(path);
    expect(bytes.length).toBeGreaterThan(16 * 4096 + 5000);
    const spot = bytes.indexOf('Well', 4096);
    bytes.write('Ways', spot);
    writeFileSync(path, bytes);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect(source.changed()).toMatchObject({ message: expect.stringContaining('it was written to') as string });
    bytes.write('Well', spot);
    writeFileSync(path, bytes);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect(source.changed()).toBeUndefined();
  });
});

describe('a table of messages', () => {
  const rows = (...lines: string[]): string => written(lines.join('\r\n'), 'talks.csv');

  test('has rows of a conversation one after another, with quotes, line ends and blank lines in any place', async () => {
    const path = rows(
      '\uFEFFcontent,Role,conversation_id,score',
      '"é ""a""',
      'b",user,1,0',
      '',
      'x,Assistant,1,0',
      '😀,user,2,0',
      '"y, z",assistant,2,0',
      'last,user,2,0',
    );
    const source = await openConversations(path);
    expect(source.at(1).messages.map(({ content }) => content)).toEqual(['😀', 'y, z', 'last']);
    expect(source.at(0)).toEqual({
      id: '1',
      messages: [
        { role: 'user', content: 'é "a"\r\nb' },
        { role: 'assistant', content: 'x' },
      ],
    });
    expect([source.turnsAt(0), source.turnsAt(1)]).toEqual([1, 2]);
    expect((await openConversations(path)).at(0).id).toBe('1');
  });

  test('of thousands of rows returns each conversation', async () => {
    const lines = Array.from(
      { length: 30_000 },
      (_, row) =>
        `${String(Math.floor(row / 3))},${row % 3 === 1 ? 'assistant' : 'user'},"${'é'.repeat(row % 90)}${String(row)}"`,
    );
    const source = await openConversations(rows('id,role,text', ...lines));
    expect(source.count).toBe(10_000);
    for (const index of [0, 1, 4999, 9999])
      expect(source.at(index).messages[2]?.content).toBe(`${'é'.repeat((index * 3 + 2) % 90)}${String(index * 3 + 2)}`);
  });

  test('may have one user message per row', async () => {
    const source = await openConversations(rows('message', 'Hi', 'Ho'));
    expect([source.count, source.at(1).messages]).toEqual([2, [{ role: 'user', content: 'Ho' }]]);
  });

  test.each([';', '\t'])('may be separated by %j', async (separator) => {
    const cells = [
      ['conversation_id', 'role', 'content'],
      ['1', 'user', 'a, b'],
      ['1', 'user', 'c'],
    ];
    const source = await openConversations(rows(...cells.map((row) => row.join(separator))));
    expect([source.count, source.at(0).id, source.at(0).messages.map(({ content }) => content)]).toEqual([
      1,
      '1',
      ['a, b', 'c'],
    ]);
  });

  test('has no conversation of rows whose id is empty', async () => {
    const path = rows('id,role,text', ',user,a', ' ,user,b', '1,user,c');
    const { skipped, count } = await openConversations(path, { maxMalformed: { lines: 2 } });
    const why = 'a row without a conversation id';
    expect([count, skipped.lines, skipped.first]).toEqual([
      1,
      2,
      [
        { line: 2, why },
        { line: 3, why },
      ],
    ]);
  });

  test('names malformed conversations by their first line', async () => {
    const path = rows('id,role,text', '1,user,a', '2,human,b', '3,user', '1,user,c', '4,user,d');
    const { skipped, count } = await openConversations(path, { maxMalformed: { lines: 3 } });
    expect([count, skipped.first]).toEqual([
      2,
      [
        { line: 3, why: "message 1 has the unknown role 'human'" },
        { line: 4, why: 'a row has 2 columns, and the first line 3' },
        { line: 5, why: "rows of '1' occur again: the rows of a conversation must follow each other" },
      ],
    ]);
  });

  test.each([
    ['a,b', 'it has no column content, message, text: its columns are a, b', '--columns user=incoming'],
    ['Incoming,Outgoing\na,b', 'it has the form pairs, in a table', 'dataset convert'],
    [
      'role,text\nuser,a',
      'it has a column role, but no column that identifies the conversation of a row',
      'names its columns',
    ],
    ['id,role,text,Text\n1,user,a,b', "it has two columns 'text'", 'names its columns'],
    ['text\n"a', 'Quote Not Closed', 'Correct its quotes'],
  ])('is rejected: %j', async (text, why, remedy) => {
    await expect(openConversations(rows(text))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(why) as string,
      hint: expect.stringContaining(remedy) as string,
    });
  });
});

describe('the index of a file', () => {
  test('is reused, not rebuilt', async () => {
    const path = written(talks.join('\n'));
    const { digest } = await openConversations(path);
    const before = statSync(indexOf(path), { bigint: true });
    const again = await openConversations(path);
    const after = statSync(indexOf(path), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect([again.digest, again.count, again.at(1500).id]).toEqual([digest, 2000, '1500']);
  });

  test.each([
    ['is longer', `${talks.join('\n')}\n${talk(9)}`, 2001],
    ['has another text of the same length and time', talks.join('\n').replace('0.0', '9.9'), 2000],
  ])('is rebuilt when the file %s', async (_, text, count) => {
    const path = written(talks.join('\n'));
    const { digest } = await openConversations(path);
    const { atime, mtime } = statSync(path);
    utimesSync(path, atime, mtime);
    const first = await openConversations(path);
    written(text);
    utimesSync(path, atime, mtime);
    const source = await openConversations(path);
    expect(source.count).toBe(count);
    expect([first.digest === digest, source.digest === digest]).toEqual([true, false]);
  });

  test('is rebuilt when any byte of it is damaged, or its end is missing', async () => {
    const path = written(talks.slice(0, 30).join('\n'));
    const truth = await openConversations(path);
    const index = readFileSync(indexOf(path));
    for (let at = 0; at < index.length; at += 37) {
      const damaged = Buffer.from(index);
      damaged[at] = (damaged[at] ?? 0) ^ 0x11;
      writeFileSync(indexOf(path), damaged);
      const source = await openConversations(path);
      expect(source.at(29)).toEqual(truth.at(29));
      expect(readFileSync(indexOf(path)).equals(index)).toBe(true);
    }
    for (const length of [0, 5, 600, index.length - 1]) {
      writeFileSync(indexOf(path), index.subarray(0, length));
      expect((await openConversations(path)).count).toBe(30);
    }
  });

  test('can be built by many processes at once', async () => {
    const path = written(talks.join('\n'));
    const opened = await Promise.all(Array.from({ length: 8 }, () => openConversations(path)));
    for (const source of opened) expect(source.at(777).id).toBe('777');
    expect(readdirSync(folder).sort()).toEqual(['talks.jsonl', 'talks.jsonl.chat-load-index']);
  });

  test('is in the cache if it cannot be next to the file; otherwise it disappears with the process', async () => {
    // A name to which nothing can be appended; the superuser may write in every folder.
    const path = written(talks.join('\n'), `${'x'.repeat(250)}.json`);
    expect((await openConversations(path)).at(5).id).toBe('5');
    const [name = ''] = readdirSync(join(folder, 'cache'));
    const kept = join(folder, 'cache', name);
    const { ino } = statSync(kept);
    expect((await openConversations(path)).at(6).id).toBe('6');
    expect(statSync(kept).ino).toBe(ino);
    await rm(join(folder, 'cache'), { recursive: true });
    writeFileSync(join(folder, 'cache'), 'no folder');
    expect((await openConversations(path)).at(7).id).toBe('7');
    expect(readdirSync(folder)).toHaveLength(2);
  });
});
