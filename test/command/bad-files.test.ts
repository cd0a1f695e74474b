import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';

const talk = '{"messages":[{"role":"user","content":"Hi"}]}\n';
const rows = (count: number, row: (at: number) => string): string =>
  ['time,user', ...Array.from({ length: count }, (_, at) => row(at))].join('\n');
const files: Readonly<Record<string, string | Buffer>> = {
  'empty.jsonl': '',
  'talks.jsonl.gz': gzipSync(talk),
  'wide.jsonl': Buffer.from(`\ufeff${talk}`, 'utf16le'),
  'plain-wide.jsonl': Buffer.from(talk, 'utf16le'),
  'junk.jsonl': 'oops\n'.repeat(5),
  'torn.jsonl': 'oops\n'.repeat(1001) + talk,
  'hollow.jsonl': '{"messages":[]}\n{"messages":[{"role":"user","content":" "}]}\n',
  'roles.jsonl': '{"messages":[{"role":"bot","content":"x"}]}\n{"messages":[{"role":"tool","content":"x"}]}\n',
  'good.jsonl': '{"messages": [{"role": "user", "content": "Hi"}]}\n',
  'quotes.csv': 'conversation_id,role,content\n1,user,"Hi\n',
  'wide.csv': Buffer.from(`\ufeff${rows(3, String)}`, 'utf16le'),
  'trace.csv.gz': gzipSync(rows(3, (at) => `${String(at)},a`)),
  'trace.csv': rows(3, (at) => `${String(at)},a`),
  'trace.mjs': '',
  'unsorted.csv': rows(3, (at) => `${String(-at + 2)},a`),
  'negative.csv': rows(3, (at) => `${String(at - 5)},a`),
  'lines.csv': 'time,text\n1,"a\nb"\n2,c\n',
};
let folder = '';
beforeAll(async () => {
  folder = await makeFolder();
  await mkdir(join(folder, 'folder'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
});

const convert = (name: string): string[] => ['dataset', 'convert', name, '--to', 'out.jsonl'];
const fit = (name: string, ...more: string[]): string[] => ['fit', name, ...more];
const columns = '--columns=at=time,session=user';

test('--columns applies to the trace, not to the conversations next to it', async () => {
  const words = fit('trace.csv', 'good.jsonl', columns, '--json');
  const { code, stdout } = await performCommand(words, { CHAT_LOAD_CACHE: folder }, folder);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ inputs: [{ holds: 'trace' }, { holds: 'conversations' }] });
});

test.each<[string[], string, string]>([
  [convert('empty.jsonl'), 'it is empty', 'Use a file of conversations'],
  [convert('folder'), 'it is a folder', 'Use a file of conversations'],
  [convert('missing.jsonl'), 'no such file', 'Use a file of conversations'],
  [convert('talks.jsonl.gz'), 'it is compressed with gzip', 'gunzip -c talks.jsonl.gz > talks.jsonl'],
  [convert('wide.jsonl'), 'it is UTF-16', 'iconv -f UTF-16 -t UTF-8 wide.jsonl > wide.utf8.jsonl'],
  [convert('plain-wide.jsonl'), 'it is UTF-16', 'iconv -f UTF-16LE'],
  [convert('junk.jsonl'), 'Cannot read any record of junk.jsonl: line 1', 'Use a file of conversations'],
  [convert('torn.jsonl'), 'Cannot read any record of torn.jsonl: line 1', 'Use a file of conversations'],
  [convert('hollow.jsonl'), '2 without a user message: line 1; line 2', 'Nothing was written'],
  [convert('quotes.csv'), 'it is not CSV after row 0', 'has to be closed'],
  [
    fit('trace.csv'),
    'trace.csv is neither a trace nor a file of conversations: it has the',
    'conversations are openai',
  ],
  [fit('empty.jsonl'), 'it is empty', 'Use a trace'],
  [
    ['dataset', 'convert', 'hollow.jsonl'],
    'missing option: --to',
    'Usage: chat-load dataset convert <files..> --to ...',
  ],
  [['dataset', 'convert', 'hollow.jsonl', '--to', '-'], 'No conversation is left to write', 'Relax the conditions'],
  [fit('folder'), 'it is a folder', 'Name a trace'],
  [fit('talks.jsonl.gz'), 'it is compressed with gzip', 'gunzip -c'],
  [fit('roles.jsonl'), "line 1: message 1 has the unknown role 'bot'", 'chat-load dataset convert roles.jsonl --to'],
  [fit('quotes.csv'), 'Quote Not Closed', 'Correct its quotes'],
  [fit('wide.csv', columns), 'it is UTF-16', 'iconv -f UTF-16'],
  [fit('trace.csv.gz', columns), 'it is compressed with gzip', 'gunzip -c trace.csv.gz > trace.csv'],
  [fit('trace.csv', '--columns=at=tmie'), "unknown column 'tmie': did you mean 'time'?\n", '--columns at=time'],
  [fit('good.jsonl', columns), '--columns names columns of a trace, but good.jsonl contains', 'Omit --columns'],
  [fit('unsorted.csv', columns), 'line 3 is 1.00 s before line 2', '--sort with fit'],
  [fit('negative.csv', columns), 'nor a number from 0 on', '--columns at=time'],
  [fit('trace.csv', columns, '--to', 'out.json'), '--to takes a scenario file, not out.json', '--to fitted.ts'],
  [fit('trace.csv', columns, '--to', 'trace.mjs'), 'trace.mjs already exists', 'Name another file'],
  [['plan', 'scenarios/knee.ts'], 'No scenario file at scenarios/knee.ts', 'init --example knee writes'],
  [['plan', 'scenarios/other.ts'], 'No scenario file at scenarios/other.ts', 'init writes one to start from'],
  [fit('lines.csv', '--columns=at=time'), 'its first time is not a time', 'no line breaks in quotes'],
])('%j is rejected with its remedy', async (words, problem, remedy) => {
  const { code, stderr, stdout } = await performCommand(words, { CHAT_LOAD_CACHE: folder }, folder);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(problem);
  expect(stderr).toContain(remedy);
  expect(stderr).not.toMatch(/\n\s+at .*:\d+/);
  expect((await readdir(folder)).filter((name) => /\.tmp|^out/.test(name))).toEqual([]);
});
