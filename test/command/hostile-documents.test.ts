import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/edge/disk/journal-line.ts';
import { inflatingHdr, nested } from '../support/bombs.ts';
import {
  makeFolder,
  readResult,
  removeFolders,
  root,
  runCommand,
  writeScenario,
  type Ended,
} from '../support/command.ts';
import { writeSyntheticJournal } from '../support/synthetic-journal.ts';

const preload = pathToFileURL(join(root, 'test/preload/tell-peak.mjs')).href;

/** Runs the built command; `peakMb` is the most memory that it ever held. */
async function run(words: readonly string[]): Promise<Ended & { peakMb: number }> {
  const ended = await runCommand(words, { env: { NODE_OPTIONS: `--import ${preload}` } });
  return { ...ended, peakMb: Number(/^peak (\d+) KiB$/m.exec(ended.stderr)?.[1]) / 1024 };
}

let folder: string;
let result: string;
let journal: readonly string[];

beforeAll(async () => {
  folder = await makeFolder();
  const body = `{ name: 'small', seed: 1, sessions: 40, turns: 2, load: { concurrency: 4 }, messages: ['Hi'], embedded: { latency: '5ms' } }`;
  await runCommand(['run', await writeScenario(folder, body), '--out', join(folder, 'out'), '--quiet']);
  result = JSON.stringify(await readResult(join(folder, 'out')), undefined, 1);
  journal = (await writeSyntheticJournal()).lines;
}, 60_000);
afterAll(removeFolders);

async function fileWith(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Journal entries as changed by their text, each again with the sum of its text. */
const changedJournal = (change: (entry: string) => string): string =>
  journal
    .map((line) => JSON.stringify(decodeLine(Buffer.from(line))?.entry))
    .map((entry) => encodeLine(JSON.parse(change(entry)) as object).toString())
    .join('');

describe('a histogram that inflates to 150 MB', () => {
  const bomb = inflatingHdr(150_000_000);

  test.each([['html'], ['json'], ['table']])('costs a report (%s) no memory', async (format) => {
    const file = await fileWith('bomb.json', result.replaceAll(/"hdr": "[^"]+"/g, `"hdr": "${bomb.slice(0, 9)}"`));
    await writeFile(file, (await readFile(file, 'utf8')).replace(bomb.slice(0, 9), bomb));
    const { code, stderr, peakMb } = await run(['report', file, '--format', format]);
    expect([code, stderr]).not.toEqual([70, expect.anything()]);
    expect(peakMb).toBeLessThan(300);
  });

  test('is named by compare, and costs it no memory', async () => {
    const file = await fileWith('bomb.json', result.replaceAll(/"hdr": "[^"]+"/g, `"hdr": "${bomb}"`));
    const good = await fileWith('good.json', result);
    const { code, stdout, stderr, peakMb } = await run(['compare', good, file]);
    expect([code, stdout + stderr]).toEqual([4, expect.stringContaining('bomb.json')]);
    expect(peakMb).toBeLessThan(300);
  });

  test('is a damaged line of a journal to recover', async () => {
    const text = changedJournal((entry) => entry.replaceAll(/"hdr":"[^"]+"/g, `"hdr":"${bomb}"`));
    const { code, peakMb } = await run(['recover', await fileWith('bomb.ndjson', text), '--out', join(folder, 'r')]);
    expect(code).not.toBe(70);
    expect(peakMb).toBeLessThan(300);
  });
});

describe('JSON of 200,000 levels', () => {
  const deep = nested(200_000);

  test.each([
    ['a result, in a report', ['report', 'FILE'], () => result.replace('{', `{ "warnings": ${deep},`)],
    [
      'a result, in a report as JSON',
      ['report', 'FILE', '--format', 'json'],
      () => result.replace('{', `{ "more": ${deep},`),
    ],
    ['a result, in compare', ['compare', 'FILE', 'FILE'], () => result.replace('{', `{ "more": ${deep},`)],
    ['a result that is nothing else', ['report', 'FILE'], () => deep],
    ['a service', ['serve', '--port', '0', '--config', 'FILE'], () => `{"agents": ${deep}}`],
    ['conversations', ['dataset', 'inspect', 'FILE.jsonl'], () => `{"messages": ${deep}}\n`],
    ['conversations of an array', ['dataset', 'inspect', 'FILE.json'], () => `[{"messages": ${deep}}]\n`],
    ['a table', ['dataset', 'inspect', 'FILE.csv'], () => `role,content\nuser,"${deep}"\n`],
    ['a trace', ['fit', 'FILE.jsonl'], () => `{"timestamp": 1, "more": ${deep}}\n`],
  ])('are an unreadable file: %s', async (name, words, text) => {
    const file = `deep-${String(name.length)}`;
    const named = words.map((word) => (word.startsWith('FILE') ? join(folder, file + word.slice(4)) : word));
    await fileWith(file + (words.find((word) => word.startsWith('FILE'))?.slice(4) ?? ''), text());
    const { code, stderr } = await run(named);
    expect([code, stderr]).toEqual([2, expect.stringContaining(file)]);
    if (name.startsWith('a result')) expect(stderr).toContain('nested more than 200 levels deep');
  });

  test('in a list of a scenario are an unreadable file', async () => {
    await fileWith('rows.jsonl', `{"name": ${deep}}\n`);
    const body = `{ name: 'x', sessions: 1, messages: ['Hi {{people.name}}'], data: { people: { file: 'rows.jsonl' } } }`;
    const { code, stderr } = await run(['run', await writeScenario(folder, body, 'listed.mjs'), '--out', folder]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('rows.jsonl')]);
  });

  test('are a damaged line of a journal to recover', async () => {
    const text = changedJournal((entry) => entry);
    const lines = text.split('\n');
    const entry = `{"kind":"interval","more":${deep}}`;
    const line = `{"sum":"${crc32(entry).toString(16).padStart(8, '0')}","entry":${entry}}`;
    const forged = await fileWith('deep.ndjson', [...lines.slice(0, 1), line, ...lines.slice(1)].join('\n'));
    const { code } = await run(['recover', forged, '--out', join(folder, 'recovered')]);
    expect(code).not.toBe(70);
  });
});

describe('a service that answers with JSON of 100,000 levels', () => {
  async function serve(answer: (url: string) => { type: string; body: string }): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const { type, body } = answer(request.url ?? '');
        response.writeHead(200, { 'Content-Type': type }).end(body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }
  const deep = nested(100_000);
  const json = {
    type: 'application/json',
    body: `{"success":true,"data":${deep},"choices":${deep},"content":${deep}}`,
  };
  const env = { CHAT_LOAD_API_KEY: 'a-key-of-some-length' };
  const events = {
    type: 'text/event-stream',
    body: `event: message_start\ndata: {"type":"message_start","message":${deep},"choices":${deep}}\n\n`,
  };

  test.each(['chat-messaging', 'openai-chat', 'openai-responses', 'anthropic-messages'])(
    'has failed turns, whole and streamed: %s',
    async (protocol) => {
      for (const isStreamed of [false, true]) {
        if (isStreamed && protocol === 'chat-messaging') continue;
        const baseUrl = await serve(() => (isStreamed ? events : json));
        const out = await makeFolder();
        const body = `{ name: 'x', sessions: 2, turns: 1, messages: ['Hi'], retry: 'none', keepTexts: true,
          target: { protocol: '${protocol}', baseUrl: '${baseUrl}', agentId: 'a'${isStreamed ? ', stream: true' : ''} } }`;
        const { code } = await runCommand(['run', await writeScenario(out, body), '--out', out, '--quiet'], { env });
        expect([isStreamed, code]).not.toEqual([isStreamed, 70]);
        const { outcomes } = await readResult(out);
        expect(outcomes.turns.ok).toBe(0);
        if (!isStreamed) expect(JSON.stringify(outcomes)).toMatch(/"(malformed|contract_broken)":[1-9]/);
      }
    },
  );

  test.each([['check'], ['probe']])('ends %s without a bug', async (command) => {
    const baseUrl = await serve(() => json);
    const words = command === 'check' ? ['check'] : ['probe', '--duration', '1s'];
    const { code, stderr } = await runCommand([...words, '--base-url', baseUrl, '--agent-id', 'a'], { env });
    expect([code, stderr]).not.toEqual([70, expect.anything()]);
    expect(stderr).not.toContain('Maximum call stack');
  });

  test('as a token is a token that cannot be had', async () => {
    const baseUrl = await serve(() => ({
      type: 'application/json',
      body: `{"access_token":"x","token_type":"bearer","more":${deep}}`,
    }));
    const body = `{ name: 'x', sessions: 2, messages: ['Hi'], embedded: {},
      target: { baseUrl: '${baseUrl}', auth: { oauth: { tokenUrl: '${baseUrl}/token', clientId: 'c', clientSecret: 's-e-c-r-e-t-1' } } } }`;
    const out = await makeFolder();
    const { code, stderr } = await runCommand(['run', await writeScenario(out, body), '--out', out], { env });
    expect(code).not.toBe(70);
    expect(stderr).not.toContain('Maximum call stack');
  });
});
