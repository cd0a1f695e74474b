import { readdir } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { childrenOf } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, startCommand, writeScenario } from '../support/command.ts';
import { intervalsIn, waitForIntervals } from '../support/journal-intervals.ts';
import { wait } from '../support/fleet-place.ts';
import { openSocketService, type Frame } from '../support/socket-service.ts';
import { isWhole } from '../support/trials.ts';
import { listenInTest } from '../support/listen-in-test.ts';

/** The service's own counts: the numbers of the sessions whose messages it received. */
interface Ledger {
  baseUrl: string;
  sessions: number[];
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };

function answerStreamed(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (data: object): void => void response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  say({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] });
  setTimeout(() => {
    say({ choices: [{ index: 0, delta: { content: ' there.' }, finish_reason: 'stop' }] });
    response.end('data: [DONE]\n\n');
  }, 10);
}

/** A chat completions service that counts its messages, also as a metric. */
async function openHttp(): Promise<Ledger> {
  const ledger: Ledger = { baseUrl: '', sessions: [] };
  const server = createServer((request, response) => {
    if (request.url === '/metrics')
      return void response
        .writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
        .end(`# TYPE http_requests_total counter\nhttp_requests_total ${String(ledger.sessions.length)}\n`);
    return void text(request).then((body) => {
      ledger.sessions.push(Number([...body.matchAll(/session (\d+),/g)].at(-1)?.[1]));
      if (/"stream": ?true/.test(body)) return answerStreamed(response);
      const message = { role: 'assistant', content: 'Hi.' };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const reply = JSON.stringify({ ...head, object: 'chat.completion', choices, usage });
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(reply), 20);
    });
  });
  ledger.baseUrl = await listenInTest(server);
  return ledger;
}

async function openSockets(): Promise<Ledger> {
  const ledger: Ledger = { baseUrl: '', sessions: [] };
  const { baseUrl } = await openSocketService({
    message: ({ reply }, { id, text: said = '' }: Frame) => {
      ledger.sessions.push(Number(/session (\d+),/.exec(said)?.[1]));
      setTimeout(() => reply(id), 20);
    },
  });
  return Object.assign(ledger, { baseUrl });
}

const socketProtocol = `protocol: { name: 'own-socket', transport: 'websocket',
  connect: { path: '/v1/socket', ready: ({ type }) => type === 'ready', sessionId: 'sessionId' },
  send: ({ id, message }) => ({ type: 'message', id, text: message }), match: 'id',
  read: { text: ({ type, text }) => (type === 'delta' ? text : undefined), end: ({ type }) => type === 'done' } }`;

interface Feature {
  open: () => Promise<Ledger>;
  /** Options of the target, and of the scenario. */
  target: (baseUrl: string) => string;
  scenario?: string;
  /** Expects the figures of the feature to belong to the counted turns. */
  expect?: (result: Result, ledger: Ledger) => void;
}

const openai = "protocol: 'openai-chat'";

/** Features with figures of every shard, or of another source. `inside-process.test.ts` covers the model service. */
const features: Readonly<Record<string, Feature>> = {
  plain: { open: openHttp, target: () => openai },
  stream: {
    open: openHttp,
    target: () => `${openai}, stream: true`,
    expect: ({ books, latency, stream }) => {
      expect(stream.replies).toBe(books.turns.ok);
      expect(latency.firstToken.count).toBe(books.turns.ok);
    },
  },
  cost: {
    open: openHttp,
    target: () => openai,
    scenario: 'prices: { m: { input: 10, output: 20 } },',
    expect: ({ books, cost }) => {
      // 100 tokens at 10 and 20 at 20 per million.
      expect(cost?.total).toBeCloseTo(books.turns.ok * 0.0014, 9);
      expect(cost?.perOkTurn).toBeCloseTo(0.0014, 9);
    },
  },
  websocket: { open: openSockets, target: () => socketProtocol },
  'metrics of the target': {
    open: openHttp,
    target: (baseUrl) =>
      `${openai}, metrics: [{ url: '${baseUrl}/metrics', every: '1s', series: ['http_requests_total'] }]`,
    expect: (result, ledger) => {
      expect(JSON.stringify(result.targetMetrics)).toContain('http_requests_total');
      expect(ledger.sessions.length).toBeGreaterThanOrEqual(result.books.attempts.total);
    },
  },
};

const scenarioOf = ({ target, scenario = '' }: Feature, baseUrl: string, length: string): string =>
  `{ name: 'lost', target: { agentId: 'm', ${target(baseUrl)} }, ${scenario}
  messages: ['This is session {{session.number}}, turn {{turn.number}}'], turns: 4, ${length},
  load: { concurrency: 12 }, thinkTime: '10ms', gracePeriod: '3s' }`;

const seenOf = ({ sessions }: Ledger, shard: number): number =>
  sessions.filter((number) => (number - 1) % 2 === shard).length;

/** Ways to lose the second of two shards. Each resolves when the shard is lost, or is about to be. */
const ways: Readonly<
  Record<string, { isEarly: boolean; lose: (victim: number, hasLost: () => boolean) => Promise<void> }>
> = {
  'is killed': { isEarly: false, lose: (victim) => Promise.resolve(void process.kill(victim, 'SIGKILL')) },
  'is suspended': { isEarly: false, lose: (victim) => Promise.resolve(void process.kill(victim, 'SIGSTOP')) },
  'is paused until it is lost, and goes on': {
    isEarly: false,
    lose: async (victim, hasLost) => {
      process.kill(victim, 'SIGSTOP');
      await wait(hasLost);
      process.kill(victim, 'SIGCONT');
    },
  },
  'is killed before it has published anything': {
    isEarly: true,
    lose: (victim) => Promise.resolve(void process.kill(victim, 'SIGKILL')),
  },
};

/** Starts a run on two cores, and resolves with the process of the second when the service has received some of its messages. */
async function startOnCores(feature: Feature, isEarly: boolean) {
  const [ledger, folder] = await Promise.all([feature.open(), makeFolder()]);
  await writeScenario(folder, scenarioOf(feature, ledger.baseUrl, "duration: '12s', sessions: 100000"));
  const words = ['run', 'scenario.mjs', '--base-url', ledger.baseUrl, '--out', 'out', '--cores', '2', '--keep-journal'];
  const { child, ended } = startCommand(words, { cwd: folder, env: { CHAT_LOAD_API_KEY: 'a-key-of-the-ledger' } });
  let said = '';
  child.stderr?.on('data', (more: string) => (said += more));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await wait(() => seenOf(ledger, 1) > 0);
  // An interval is in the journal when both shards have published it.
  if (!isEarly) await waitForIntervals(join(folder, 'out'), 2);
  const [, victim = 0] = (await childrenOf(child.pid ?? 0)).toSorted((a, b) => a - b);
  return { ledger, folder, child, ended, victim, hasLost: () => said.includes('Shard 1 on') };
}

async function recoverIn(folder: string): Promise<{ code: number | null; stderr: string; result: Result }> {
  const [journal = ''] = (await readdir(join(folder, 'out'))).filter((name) => name.endsWith('.ndjson'));
  const { code, stderr } = await performCommand(['recover', join('out', journal), '--out', 'again'], {}, folder);
  return { code, stderr, result: await readResult(join(folder, 'again')) };
}

async function loseShard(feature: Feature, way: string) {
  const { isEarly, lose } = ways[way] ?? { isEarly: false, lose: () => Promise.resolve() };
  const { ledger, folder, ended, victim, hasLost } = await startOnCores(feature, isEarly);
  await lose(victim, hasLost);
  const { code, stderr } = await ended;
  const result = await readResult(join(folder, 'out'));
  return { ledger, code, stderr, result, recovered: await recoverIn(folder) };
}

/** Parts of a result that a journal contains, too: the end of a run adds the rest. */
const partsOf = ({ books, outcomes, latency, cost, model }: Result): object => ({
  books,
  outcomes,
  latency,
  cost,
  model,
});

async function expectLoss(name: string, way: string): Promise<void> {
  const feature = features[name];
  if (feature === undefined) throw new Error(`no feature ${name}`);
  const { ledger, code, stderr, result, recovered } = await loseShard(feature, way);
  const { books, environment } = result;
  expect(code, stderr).toBe(4);
  expect(books.broken).toEqual([]);
  const [, lost] = environment?.workers ?? [];
  expect(lost?.lost).not.toBeNull();
  expect(books.sessions.lost).toBeGreaterThan(0);
  // What the other shard did is counted whole; of the lost one never more than the service received.
  const counted = (shard: number): number => environment?.workers?.[shard]?.turnsFinished ?? NaN;
  expect(counted(0)).toBe(seenOf(ledger, 0));
  expect(counted(1)).toBeLessThanOrEqual(seenOf(ledger, 1));
  if (way.includes('before')) {
    expect(counted(1)).toBe(0);
    expect(books.sessions.lost).toBe(50_000);
    expect(JSON.stringify(result.validity.reasons)).toContain(
      'nothing arrived: whatever it did is lost, all its sessions at most',
    );
  } else expect(counted(1)).toBeGreaterThan(0);
  feature.expect?.(result, ledger);
  expect(recovered.code).toBe(4);
  expect(partsOf(recovered.result)).toEqual(partsOf(result));
}

describe.each(Object.keys(ways))('a shard that %s', (way) => {
  // Each way with another feature; all with each in the long tests.
  const at = Object.keys(ways).indexOf(way);
  const names = Object.keys(features).filter((_, index) => isWhole || index === at || (index === 4 && at === 0));
  test.each(names)('costs itself alone, in the result and in the journal: %s', async (name) => {
    await expectLoss(name, way);
  });
});

describe('the journal of a coordinator that was killed after it had lost a shard', () => {
  const names = Object.keys(features).filter((name) => isWhole || name === 'stream');
  test.each(names)('contains no more than the service received, and states the loss: %s', async (name) => {
    const feature = features[name];
    if (feature === undefined) throw new Error(`no feature ${name}`);
    const { ledger, folder, child, ended, victim, hasLost } = await startOnCores(feature, false);
    process.kill(victim, 'SIGKILL');
    await wait(hasLost);
    const before = await intervalsIn(join(folder, 'out'));
    await waitForIntervals(join(folder, 'out'), before + 2);
    child.kill('SIGKILL');
    await ended;
    const { code, stderr, result } = await recoverIn(folder);
    expect(code, stderr).toBe(4);
    const { books, environment } = result;
    expect(books.broken).toEqual([]);
    expect(environment?.workers?.map(({ lost }) => lost !== null)).toEqual([false, true]);
    expect(books.attempts.total).toBeGreaterThan(0);
    expect(books.attempts.total).toBeLessThanOrEqual(ledger.sessions.length);
    if (name !== 'metrics of the target') feature.expect?.(result, ledger);
  });
});
