import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { makeFolder, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { messagesOfService, openEncodings, type EncodingService } from '../support/encoding-service.ts';
import { encodings, keyOf } from '../support/encodings.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { unusedPort } from '../support/http-peer.ts';
import { artefactsOf } from '../support/leaks.ts';
import { liveAddress } from '../support/live-address.ts';
import { SecretWindows } from '../support/secret-windows.ts';
import { openSocketService, refuseUpgrade } from '../support/socket-service.ts';

/** The shortest and the longest in every run of the tests; `npm run test:long` tries all. */
const lengths = process.env['MONTE_CARLO'] === 'whole' ? [40, 3_000, 12_000, 60_000] : [40, 60_000];
const maxFrame = 500_000;
const places = ['beginning', 'middle', 'end'] as const;

/** Three sessions have all encodings; with longer secrets, more take too long. */
const sessionsFor = (length: number): number => (length > 20_000 ? 3 : messagesOfService / 10);

const scenario = (target: string, sessions = 3): string => `{
  name: 'repeated', sessions: ${String(sessions)}, turns: 10, onFailedTurn: 'continue', retry: 'none',
  target: { agentId: 'a', ${target} }, messages: ['Hi'], load: { concurrency: 2 },
  stopWhen: { noSuccess: false, unusable: false },
  checks: { repeats: (reply) => { throw new Error(reply); } },
}`;

/** The secrets of a command, and how it learns them. */
interface Given {
  secrets: string[];
  folder: string;
  env: Record<string, string>;
  flags: string[];
  settled?: string[];
  setCookie?: string;
  /** The names of the headers that carry them. */
  headers: string[];
}

let count = 0;
const newKey = (length: number, isCookie = false): string =>
  keyOf(length, places[count % 3] ?? 'middle', { seed: 7919 * ++count + length, isCookie });

/** An API key, a credential in a header, and a cookie that the service sets. */
async function withKey(length: number, sessions = sessionsFor(length)): Promise<Given> {
  const [key, header, cookie] = [newKey(length), newKey(length), newKey(length, true)] as const;
  const folder = await makeFolder();
  await writeScenario(folder, scenario(`headers: { 'X-Auth-Token': ${JSON.stringify(header)} }`, sessions));
  return {
    secrets: [key, header, cookie],
    folder,
    env: { CHAT_LOAD_API_KEY: key },
    flags: ['--cookies'],
    settled: [key, header],
    setCookie: `sid=${cookie}`,
    headers: ['authorization', 'x-auth-token', 'cookie'],
  };
}

/** A bearer token, a cookie, and a credential in a header of the environment. */
async function withToken(length: number, sessions = sessionsFor(length)): Promise<Given> {
  const [token, header, cookie] = [newKey(length), newKey(length), newKey(length, true)] as const;
  const folder = await makeFolder();
  await writeScenario(folder, scenario(`auth: { bearer: ${JSON.stringify(token)} }`, sessions));
  return {
    secrets: [token, header, cookie],
    folder,
    env: { CHAT_LOAD_API_KEY: '', CHAT_LOAD_HEADER: `X-Client-Secret: ${header}\nCookie: theme=dark; sid=${cookie}` },
    flags: [],
    headers: ['authorization', 'x-client-secret', 'cookie'],
  };
}

const calibrated = await calibratedHere();

const perform = ({ folder, env, flags }: Given, service: EncodingService, command: string, ...words: string[]) =>
  runCommand([command, 'scenario.mjs', '--base-url', service.baseUrl, ...flags, ...words], {
    cwd: folder,
    env: { ...env, ...calibrated },
  });

/** Requests over a connection of its own, which no other response has closed. */
const responseAt = async (url: string): Promise<IncomingMessage> => {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return response;
};
const textAt = async (url: string): Promise<string> => text(await responseAt(url));

/** Lists the secrets that the service did not receive. */
const missing = ({ secrets, headers }: Given, { heads }: EncodingService): string[] =>
  headers.filter((name, at) => !heads.some((head) => String(head[name]).includes(secrets[at] ?? '-')));

/** Lists parts of secrets in all files and outputs, and in further texts. */
const leaksIn = async ({ folder, secrets }: Given, ended: readonly Ended[], more: Record<string, string> = {}) =>
  new SecretWindows(secrets).findIn({ ...(await artefactsOf(folder, ended)), 'scenario.mjs': '', ...more });

const reports = ['html', 'md', 'xml', 'csv', 'txt'].flatMap((form) => ['--report', `report.${form}`]);

describe.each(lengths.map((length, at) => [length, at] as const))(
  'secrets of %i characters are in no output',
  (length, at) => {
    const [ways, others] = at % 2 === 0 ? [withKey, withToken] : [withToken, withKey];

    test('of a run, its reports, journal, live page and metrics, nor of reports of it and its recovered result', async () => {
      const given = await ways(length);
      let go = (): void => undefined;
      const until = new Promise<void>((resolve) => (go = resolve));
      const service = await openEncodings({ ...given, first: 7 * at, until });
      const port = String(await unusedPort());
      const words = ['--out', '.', '--keep-journal', '--keep-texts', '--trace', ...reports, '--live', '0'];
      const aim = ['run', 'scenario.mjs', '--base-url', service.baseUrl, ...given.flags];
      const metrics = ['--metrics-port', port, '--metrics-linger', '10s'];
      const command = startCommand([...aim, ...words, ...metrics], { cwd: given.folder, env: given.env });
      const address = await liveAddress(command);
      const page = await textAt(address);
      const events = await responseAt(`${address}events`);
      let scraped = '';
      const scrape = async (): Promise<void> => {
        const found = await textAt(`http://127.0.0.1:${port}/metrics`);
        // A slow machine answers some scrapes at once, and refuses more.
        if (found.includes('chat_load_')) scraped = found;
      };
      const timer = setInterval(() => void scrape().catch(() => undefined), 100);
      go();
      const stream = await text(events);
      const ended = [await command.ended];
      clearInterval(timer);
      expect(stream).toContain('event: ended');
      expect(scraped).toContain('chat_load_');
      expect(missing(given, service)).toEqual([]);
      expect(ended[0]?.stdout).toContain('bad_request');

      const names = readdirSync(given.folder);
      const [result = '', journal = ''] = ['.json', '.ndjson'].map((form) => names.find((name) => name.endsWith(form)));
      const whole = await readFile(join(given.folder, journal), 'utf8');
      // All outcomes have examples, whose texts were redacted.
      expect(new Set(whole.match(/"outcome":"\w+"/g)).size).toBeGreaterThan(7);
      expect(whole).toMatch(/\[API key\]|\[secret\]/);
      await writeFile(join(given.folder, 'killed.ndjson'), whole.trimEnd().split('\n').slice(0, -1).join('\n'));
      await rm(join(given.folder, journal));
      const run = (...words: string[]) => runCommand(words, { cwd: given.folder, env: given.env });
      ended.push(
        ...(await Promise.all([
          run('recover', 'killed.ndjson', '--out', 'recovered', '--report', 'recovered.html'),
          run('report', result, '--format', at % 2 === 0 ? 'markdown' : 'html'),
        ])),
      );
      // The run failed, and so does its recovered result.
      expect(ended.map(({ code }) => code)).toEqual([ended[0]?.code, ended[0]?.code, 0]);
      expect(await leaksIn(given, ended, { page, stream, scraped, journal: whole })).toEqual([]);
    });

    test('of try, check, calibrate, ab and compare', async () => {
      const given = await others(length);
      const [first, second] = [
        await openEncodings({ ...given, cuts: true, first: 7 * at + 3 }),
        await openEncodings({ ...given, cuts: true, first: 7 * at + 5 }),
      ];
      const closed = await openEncodings({ ...given, cuts: true, isClosed: true, first: 7 * at });
      const { folder, env, flags } = given;
      const tried = await Promise.all([
        perform(given, first, 'try', '--turns', '10'),
        perform(given, second, 'check', '--pause', '0s', '--report', 'check.xml'),
        perform(given, first, 'calibrate', '--max-connections', '1', '--step-duration', '100ms', '--json'),
      ]);
      tried.push(await perform(given, closed, 'calibrate'));
      const sides = ['--base', first.baseUrl, '--head', second.baseUrl, '--pairs', '1', '--sessions', '2'];
      const compared = [
        await runCommand(['ab', 'scenario.mjs', ...flags, ...sides, '--out', 'pairs', '--report', 'ab.html'], {
          cwd: folder,
          env,
        }),
      ];
      const results = readdirSync(join(folder, 'pairs')).filter((name) => name.endsWith('.json'));
      const [base = '', head = ''] = results.map((name) => join('pairs', name));
      const files = ['md', 'xml', 'html'].flatMap((form) => ['--report', `compared.${form}`]);
      compared.push(await runCommand(['compare', base, head, '--force', ...files], { cwd: folder, env }));
      expect([...tried, ...compared].map(({ code }) => code)).not.toContain(70);
      expect(missing(given, first)).toEqual([]);
      expect(await leaksIn(given, [...tried, ...compared])).toEqual([]);
    });
  },
);

test.each([12_000])('secrets of %i characters are in no output of a run over HTTP/2', async (length) => {
  const given = await withToken(length);
  const service = await openEncodings({ ...given, cuts: true, isHttp2: true, first: 11 });
  const ended = await perform(given, service, 'run', '--http2', '--out', '.', ...reports);
  expect(missing(given, service)).toEqual([]);
  expect(ended.stdout).toContain('HTTP/2');
  expect(await leaksIn(given, [ended])).toEqual([]);
});

test.each([60_000])('secrets of %i characters are in no output of a run over WebSocket', async (length) => {
  const given = await withToken(length);
  const names = Object.keys(encodings);
  const saidIn = (nth: number): string =>
    encodings[names[nth % names.length] ?? '']?.(given.secrets[nth % 3] ?? '').slice(0, maxFrame) ?? '';
  const service = await openSocketService({
    maxHeaderSize: 2 ** 20,
    upgrade: (_, raw, nth) => nth % 3 === 0 && refuseUpgrade(raw, 400, { error: saidIn(nth) }, { Location: '/' }),
    message: ({ say, reply, ws }, { id }, nth) => {
      if (nth % 4 === 0) ws.close(4000, (given.secrets[nth % 3] ?? '').slice(0, 100));
      else if (nth % 4 === 1) reply(id, saidIn(nth));
      else say({ type: 'error', id, code: saidIn(nth), message: saidIn(nth) });
    },
  });
  const words = ['run', 'scenario.mjs', '--base-url', service.baseUrl, '--out', '.', '--keep-texts', ...reports];
  const protocol = `protocol: {
    name: 'repeating', transport: 'websocket',
    connect: { path: '/', ready: ({ type }) => type === 'ready', sessionId: 'sessionId' },
    send: ({ id, message }) => ({ type: 'message', id, text: message }), match: 'id',
    read: {
      text: ({ type, text }) => (type === 'delta' ? text : undefined), end: ({ type }) => type === 'done',
      error: ({ type, code }) => (type === 'error' ? code : undefined),
    },
  }`;
  await writeScenario(given.folder, scenario(`auth: { bearer: ${JSON.stringify(given.secrets[0])} }, ${protocol}`));
  const ended = await runCommand(words, { cwd: given.folder, env: given.env });
  expect(service.upgrades.length).toBeGreaterThan(3);
  // Sessions whose upgrade is refused send nothing: how many depends on their order.
  expect(service.received.length).toBeGreaterThan(8);
  expect(await leaksIn(given, [ended])).toEqual([]);
});

test('a run with a key of 60,000 characters takes about as long as one of 40', async () => {
  const timeOf = async (length: number): Promise<number> => {
    const given = await withKey(length, 3);
    // Texts of one length: only that of the secrets differs.
    const service = await openEncodings({ ...given, bodyLength: 480_000 });
    const startedAt = performance.now();
    const { code } = await perform(given, service, 'run', '--out', 'out', '--keep-texts');
    expect(code).not.toBe(70);
    expect(missing(given, service)).toEqual([]);
    return performance.now() - startedAt;
  };
  // The faster of two each: other tests use the processors, too.
  const times = [await timeOf(40), await timeOf(60_000), await timeOf(40), await timeOf(60_000)] as const;
  expect(Math.min(times[1], times[3]) / Math.min(times[0], times[2])).toBeLessThan(3);
});
