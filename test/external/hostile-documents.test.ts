import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { decodeLine } from '../../src/edge/disk/lines.ts';
import type { ResultsList } from '../../src/report/page/list/list.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { bucketCount, fullHdr, inflatingHdr, nested } from '../support/bombs.ts';
import {
  makeFolder,
  readResult,
  removeFolders,
  root,
  runCommand,
  startCommand,
  writeScenario,
  type Ended,
} from '../support/command.ts';
import { peakOf, reportPeak } from '../support/peak-memory.ts';
import { runVirtually } from '../support/virtual-run.ts';
import { writeSyntheticJournal } from '../support/synthetic-journal.ts';
import { listenInTest } from '../support/listen-in-test.ts';

/** Runs the built command; `peakMb` is its peak memory. */
async function run(words: readonly string[], cwd = root): Promise<Ended & { peakMb: number }> {
  const ended = await runCommand(words, { cwd, env: reportPeak });
  return { ...ended, peakMb: peakOf(ended.stderr) };
}

let folder: string;
let result: Result;
let journal: readonly object[];

beforeAll(async () => {
  folder = await makeFolder();
  // Long enough for a comparison, which reads the histograms of intervals.
  const load = { duration: '20s', load: { concurrency: 5 }, turns: 3, messages: ['Hi'] } as const;
  ({ result } = await runVirtually({ name: 'small', ...load }, () => ({ afterMs: 200 })));
  await fileWith('good.json', JSON.stringify({ ...result, run: { ...result.run, id: 'good' } }));
  const { lines } = await writeSyntheticJournal();
  journal = lines.map((line) => decodeLine(Buffer.from(line))?.entry as object);
});
afterAll(removeFolders);

async function fileWith(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Lines of a journal as a run frames them, for any text of an entry. */
const framed = (entry: string): string => `{"sum":"${crc32(entry).toString(16).padStart(8, '0')}","entry":${entry}}\n`;

/** Returns the list and the result pages from `ui`; `peakMb`: its peak memory. */
async function browse(): Promise<{ list: ResultsList; pages: string[]; peakMb: number }> {
  const { child, ended } = startCommand(['ui', folder], { env: reportPeak });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for await (const text of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(text);
    if (said.includes('/\n')) break;
  }
  const address = /results page (\S+)\n/.exec(said)?.[1] ?? '';
  const list = (await (await fetch(`${address}results`)).json()) as ResultsList;
  const pages: string[] = [];
  for (const { id } of list.rows) {
    const page = await fetch(`${address}report?result=${encodeURIComponent(id)}`);
    pages.push(`${String(page.status)} ${await page.text()}`);
  }
  child.kill('SIGINT');
  return { list, pages, peakMb: peakOf((await ended).stderr) };
}

describe('a document of 400 kB whose histogram inflates to 270 MB, in bytes of one value each', () => {
  const bomb = inflatingHdr(270_000_000);
  const unreadable = expect.stringContaining('bomb.json contains a histogram that cannot be read') as string;

  beforeAll(async () => {
    const forged = structuredClone(result);
    const ok = forged.intervals.at(-5)?.latency['turn.ok'];
    if (ok === undefined) throw new Error('the run is too short');
    ok.hdr = bomb;
    await fileWith('bomb.json', JSON.stringify(forged));
  });

  test.each([
    ['report', ['report', 'bomb.json', '--format', 'html']],
    ['compare', ['compare', 'good.json', 'bomb.json']],
  ])('is rejected by %s, and costs it no memory', async (_, words) => {
    const { code, stderr, peakMb } = await run(words, folder);
    expect([code, stderr]).toEqual([2, unreadable]);
    expect(peakMb).toBeLessThan(300);
  });

  test('is passed on by a report that needs none of its values', async () => {
    const { code, peakMb } = await run(['report', 'bomb.json', '--format', 'json'], folder);
    expect(code).toBe(0);
    expect(peakMb).toBeLessThan(300);
  });

  test('is rejected by ui, and costs it no memory', async () => {
    const { pages, peakMb } = await browse();
    expect(pages.filter((page) => page.includes('bomb.json contains a histogram that cannot be read'))).toEqual([
      expect.stringMatching(/^400 /),
    ]);
    expect(peakMb).toBeLessThan(300);
  });

  test('is a damaged line of a journal to recover', async () => {
    const text = journal
      .map((entry, at) => JSON.stringify(entry).replaceAll(/"hdr":"[^"]+"/g, at === 3 ? `"hdr":"${bomb}"` : '$&'))
      .map((entry) => entry.replace(bomb, '@').replaceAll(bomb, 'AAAA').replace('@', bomb));
    const file = await fileWith('bomb.ndjson', text.map(framed).join(''));
    const { code, stdout, stderr, peakMb } = await run(['recover', file, '--out', join(folder, 'r')]);
    expect([code, stdout + stderr]).toEqual([expect.toBeOneOf([1, 4]), expect.stringMatching(/line 4\b/)]);
    expect(peakMb).toBeLessThan(300);
  });
});

describe('a result with more entries than any run has', () => {
  const gate: Result['gates'][number] = {
    metric: 'turn.p95',
    condition: '< 1s',
    unit: 'ms',
    limit: 1000,
    actual: 1,
    infinite: false,
    confident: false,
    interval: null,
    errorMs: null,
    verdict: 'pass',
    reason: null,
  };
  test.each<[string, string, () => Partial<Result>]>([
    [
      'intervals with full histograms',
      'html',
      () => {
        const last = result.intervals.at(-5);
        if (last === undefined) throw new Error('the run is too short');
        const parts = Object.entries(last.latency).map(([name, part]) => [
          name,
          { ...part, count: bucketCount, hdr: fullHdr() },
        ]);
        const full = { ...last, latency: Object.fromEntries(parts) as typeof last.latency };
        return { intervals: Array.from({ length: 10_000 }, (_, at) => ({ ...full, startMs: at * 1000 })) };
      },
    ],
    ['gates', 'terminal', () => ({ gates: new Array<typeof gate>(30_000).fill(gate) })],
    [
      'positions',
      'terminal',
      () => ({ positions: new Array(30_000).fill(result.positions[0]) as Result['positions'] }),
    ],
  ])('is rejected by report: %s', async (name, format, forge) => {
    const file = `many-${name.slice(0, 5)}.json`;
    await fileWith(file, JSON.stringify({ ...result, ...forge() }));
    const { code, stderr } = await run(['report', file, '--format', format], folder);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\w+: it has more than \d+ entries, which no run has/)]);
  });

  test('is rejected by ui', async () => {
    await fileWith(
      'many-more.json',
      JSON.stringify({ ...result, gates: new Array(30_000).fill(gate) as Result['gates'] }),
    );
    const { list, pages } = await browse();
    expect(JSON.stringify(list) + pages.join('')).toContain('it has more than 2000 entries, which no run has');
  });
});

describe('JSON of 100,000 levels', () => {
  const deep = nested(100_000);
  const tooDeep = expect.stringContaining('nested more than 200 levels deep') as string;

  /** At a position where the schema allows anything. */
  const withDeep = (document: object): string =>
    JSON.stringify(document).replaceAll(/"messageBody":\{[^{}]*\}/g, `"messageBody":{"a":${deep}}`);

  beforeAll(async () => {
    await fileWith('deep.json', withDeep(result));
  });

  test.each(['terminal', 'html', 'json', 'markdown', 'junit', 'csv', 'hlog'])(
    'in the plan of a result are an unreadable file to report --format %s',
    async (format) => {
      const { code, stderr } = await run(['report', 'deep.json', '--format', format], folder);
      expect([code, stderr]).toEqual([2, tooDeep]);
    },
  );

  test('in the plan of a result are an unreadable file to compare, and to ui', async () => {
    const { code, stderr } = await run(['compare', 'good.json', 'deep.json'], folder);
    expect([code, stderr]).toEqual([2, tooDeep]);
    expect(JSON.stringify((await browse()).list)).toContain('nested more than 200 levels deep');
  });

  test('in the plan of a journal makes it unrecoverable', async () => {
    const text = journal.map((entry, at) => framed(at === 0 ? withDeep(entry) : JSON.stringify(entry))).join('');
    const { code, stderr } = await run(['recover', await fileWith('plan.ndjson', text), '--out', join(folder, 'd')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('plan.ndjson')]);
  });

  test.each([
    ['a result that is nothing else', ['report', 'FILE'], () => deep],
    ['a service', ['serve', '--port', '0', '--config', 'FILE'], () => `{"agents": ${deep}}`],
    ['a service in YAML', ['serve', '--port', '0', '--config', 'FILE.yaml'], () => `agents: ${deep}\n`],
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
  });

  test('in a list of a scenario are an unreadable file', async () => {
    await fileWith('rows.jsonl', `{"name": ${deep}}\n`);
    const body = `{ name: 'x', sessions: 1, messages: ['Hi {{people.name}}'], data: { people: { file: 'rows.jsonl' } } }`;
    const { code, stderr } = await run(['run', await writeScenario(folder, body, 'listed.mjs'), '--out', folder]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('rows.jsonl')]);
  });

  test('are a damaged line of a journal to recover', async () => {
    const [header = '', ...rest] = journal.map((entry) => framed(JSON.stringify(entry)));
    const text = [header, framed(`{"kind":"interval","more":${deep}}`), ...rest].join('');
    const forged = await fileWith('deep.ndjson', text);
    const { code, stdout, stderr } = await run(['recover', forged, '--out', join(folder, 'recovered')]);
    expect([code, stdout + stderr]).toEqual([expect.toBeOneOf([1, 4]), expect.stringMatching(/line 2\b/)]);
  });
});

describe('a service that answers with JSON of 100,000 levels', () => {
  async function serve(answer: (url: string) => { type: string; body: string }): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const { type, body } = answer(request.url ?? '');
        response.writeHead(200, { 'Content-Type': type }).end(body);
      });
    });
    return listenInTest(server);
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
        const { outcomes, books } = await readResult(out);
        const creates = protocol === 'chat-messaging';
        // Their first event needs no message in it: the stream has no end.
        const isCut = isStreamed && ['openai-responses', 'anthropic-messages'].includes(protocol);
        const seen = isCut ? 'truncated' : 'contract_broken';
        expect([isStreamed, code, books.balanced]).toEqual([isStreamed, 3, true]);
        expect(creates ? outcomes.createAttempts : outcomes.attempts).toMatchObject({ ok: 0, [seen]: 2 });
        expect(outcomes.turns).toMatchObject({ ok: 0, [seen]: creates ? 0 : 2 });
      }
    },
  );

  test.each<[string, number, RegExp]>([
    ['check', 1, /^FAIL +creation /m],
    ['calibrate', 4, /contract_broken: no session id at/],
  ])('ends %s without a bug', async (command, exit, found) => {
    const baseUrl = await serve(() => json);
    const words = command === 'check' ? ['check'] : ['calibrate', '--duration', '1s'];
    const ended = await runCommand([...words, '--base-url', baseUrl, '--agent-id', 'a'], {
      env: { ...env, ...(await calibratedHere()) },
    });
    expect([ended.code, ended.stderr]).toEqual([exit, '']);
    expect(ended.stdout).toMatch(found);
  });

  test.each<[string, string, RegExp, string[]]>([
    [
      'next to a token do not matter',
      `"access_token":"x","more":${deep}`,
      /none of the first 2 sessions/,
      ['/token', 'session', 'session'],
    ],
    ['as a token are a token that cannot be had', `"access_token":${deep}`, /^error .*access_token/, ['/token']],
  ])('%s', async (_, fields, said, expected) => {
    const asked: string[] = [];
    const baseUrl = await serve((url) => {
      // Requests made afterwards, to detect the supported protocols, are ignored.
      if (url === '/token' || url.endsWith('/sessions')) asked.push(url === '/token' ? url : 'session');
      return { type: 'application/json', body: `{"token_type":"bearer",${fields}}` };
    });
    const body = `{ name: 'x', sessions: 2, messages: ['Hi'], retry: 'none',
      target: { baseUrl: '${baseUrl}', agentId: 'a', auth: { oauth: { tokenUrl: '${baseUrl}/token', clientId: 'c', clientSecret: 's-e-c-r-e-t-1' } } } }`;
    const out = await makeFolder();
    const { code, stderr } = await runCommand(['run', await writeScenario(out, body), '--out', out, '--quiet'], {
      env,
    });
    expect([code, asked]).toEqual([3, expected]);
    expect(stderr).toMatch(said);
  });
});
