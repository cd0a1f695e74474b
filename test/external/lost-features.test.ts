import { readdir } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { childrenOf, isThere } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { intervalsIn, waitForIntervals } from '../support/journal-intervals.ts';
import { openPlace, tookOf, wait } from '../support/fleet-place.ts';
import { openSocketService, type Frame } from '../support/socket-service.ts';
import { isWhole } from '../support/trials.ts';
import { requireRedis } from '../support/redis-server.ts';
import { openTcpLine, type TcpLine } from '../support/tcp-line.ts';
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

/** A run of two shards, of which one is to be lost. */
interface Started {
  ledger: Ledger;
  folder: string;
  ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  /** Index of the shard, and its process or worker. */
  lost: number;
  victim: number;
  line?: TcpLine;
  hasLost: () => boolean;
}

interface Way {
  /** True if the shard is lost before it has published anything. */
  isEarly?: boolean;
  start?: (feature: Feature, isEarly: boolean) => Promise<Started>;
  /** Resolves when the shard is lost, or is about to be. */
  lose: (started: Started) => Promise<void> | void;
}

/** Ways to lose one of two shards. */
const ways: Readonly<Record<string, Way>> = {
  'is killed': { lose: ({ victim }) => void process.kill(victim, 'SIGKILL') },
  'is suspended': { lose: ({ victim }) => void process.kill(victim, 'SIGSTOP') },
  'is paused until it is lost, and goes on': {
    lose: async ({ victim, hasLost }) => {
      process.kill(victim, 'SIGSTOP');
      await wait(hasLost);
      // The coordinator also ends the shards that it gives up.
      if (isThere(victim)) process.kill(victim, 'SIGCONT');
    },
  },
  'is killed before it has published anything': {
    isEarly: true,
    lose: ({ victim }) => void process.kill(victim, 'SIGKILL'),
  },
  ...(requireRedis() && {
    'is cut off from Redis': { start: startInFleet, lose: ({ line }) => line?.freeze() },
    'is cut off from Redis until it is lost, and returns': {
      start: startInFleet,
      lose: async ({ line, hasLost }) => {
        line?.freeze();
        await wait(hasLost);
        line?.cut();
        line?.mend();
      },
    },
  }),
};

const length = "duration: '12s', sessions: 100000";
const wordsOf = ({ baseUrl }: Ledger): string[] => [
  'run',
  'scenario.mjs',
  '--base-url',
  baseUrl,
  '--out',
  'out',
  '--keep-journal',
];

/** Resolves when the service has received some messages of a shard, and later both shards have published an interval, unless `isEarly`. */
async function hasBegun(
  { ledger, folder, lost }: Pick<Started, 'ledger' | 'folder' | 'lost'>,
  isEarly: boolean,
): Promise<void> {
  await wait(() => seenOf(ledger, lost) > 0);
  // An interval is in the journal when both shards have published it.
  if (!isEarly) await waitForIntervals(join(folder, 'out'), 2);
}

/** Starts a run on two cores, of which the second is to be lost. */
async function startOnCores(feature: Feature, isEarly: boolean): Promise<Started> {
  const [ledger, folder] = await Promise.all([feature.open(), makeFolder()]);
  await writeScenario(folder, scenarioOf(feature, ledger.baseUrl, length));
  const env = { CHAT_LOAD_API_KEY: 'a-key-of-the-ledger' };
  const { child, ended } = startCommand([...wordsOf(ledger), '--cores', '2'], { cwd: folder, env });
  let said = '';
  child.stderr?.on('data', (more: string) => (said += more));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await hasBegun({ ledger, folder, lost: 1 }, isEarly);
  const [, victim = 0] = (await childrenOf(child.pid ?? 0)).toSorted((a, b) => a - b);
  const hasLost = (): boolean => said.includes('Shard 1 on');
  return { ledger, folder, ended, kill: (signal) => child.kill(signal), lost: 1, victim, hasLost };
}

/** Starts a run of two workers, one of which reaches Redis by a line that can be interrupted. */
async function startInFleet(feature: Feature, isEarly: boolean): Promise<Started> {
  const ledger = await feature.open();
  const { redis, folder, worker, start } = await openPlace(scenarioOf(feature, ledger.baseUrl, length));
  const line = await openTcpLine(redis.port);
  onTestFinished(() => line.close());
  const far = worker({ env: { CHAT_LOAD_REDIS_URL: `redis://127.0.0.1:${String(line.port)}` } });
  worker();
  const { ended, kill, said } = start([...wordsOf(ledger), '--fleet', '--shards', '2']);
  await wait(() => !Number.isNaN(tookOf(far)));
  const lost = tookOf(far);
  await hasBegun({ ledger, folder, lost }, isEarly);
  const hasLost = (): boolean => said().includes(`Shard ${String(lost)} on`);
  return { ledger, folder, ended, kill, lost, victim: far.pid, line, hasLost };
}

async function recoverIn(folder: string): Promise<{ code: number | null; stderr: string; result: Result }> {
  const [journal = ''] = (await readdir(join(folder, 'out'))).filter((name) => name.endsWith('.ndjson'));
  const { code, stderr } = await performCommand(['recover', join('out', journal), '--out', 'again'], {}, folder);
  return { code, stderr, result: await readResult(join(folder, 'again')) };
}

async function loseShard(feature: Feature, { isEarly = false, start = startOnCores, lose }: Way) {
  const started = await start(feature, isEarly);
  await lose(started);
  const { ledger, folder, lost } = started;
  const { code, stderr } = await started.ended;
  return {
    ledger,
    lost,
    code,
    stderr,
    result: await readResult(join(folder, 'out')),
    recovered: await recoverIn(folder),
  };
}

/** Parts of a result that a journal contains, too: the end of a run adds the rest. */
const partsOf = ({ books, outcomes, latency, cost, model }: Result): object => ({
  books,
  outcomes,
  latency,
  cost,
  model,
});

async function expectLoss(feature: Feature, way: Way): Promise<void> {
  const { ledger, lost, code, stderr, result, recovered } = await loseShard(feature, way);
  const { books, environment } = result;
  expect(code, stderr).toBe(4);
  expect(books.broken).toEqual([]);
  expect(environment?.workers?.map((each) => each.lost !== null)).toEqual([0, 1].map((shard) => shard === lost));
  expect(books.sessions.lost).toBeGreaterThan(0);
  // What the other shard did is counted whole; of the lost one never more than the service received.
  const counted = (shard: number): number => environment?.workers?.[shard]?.turnsFinished ?? NaN;
  expect(counted(1 - lost)).toBe(seenOf(ledger, 1 - lost));
  expect(counted(lost)).toBeLessThanOrEqual(seenOf(ledger, lost));
  if (way.isEarly === true) {
    expect(counted(lost)).toBe(0);
    expect(books.sessions.lost).toBe(50_000);
    expect(JSON.stringify(result.validity.reasons)).toContain(
      'nothing arrived: whatever it did is lost, all its sessions at most',
    );
  } else expect(counted(lost)).toBeGreaterThan(0);
  feature.expect?.(result, ledger);
  expect(recovered.code).toBe(4);
  expect(partsOf(recovered.result)).toEqual(partsOf(result));
}

/** One feature for each way; all for each in the long tests. */
const featuresOf = (at: number): [string, Feature][] =>
  Object.entries(features).filter((_, index, { length: all }) => isWhole || index === at % all);

describe.each(Object.entries(ways).map(([name, way], at) => [name, way, featuresOf(at)] as const))(
  'a shard that %s',
  (_name, way, those) => {
    test.each(those)('costs itself alone, in the result and in the journal: %s', async (_, feature) => {
      await expectLoss(feature, way);
    });
  },
);

describe('the journal of a coordinator that was killed after it had lost a shard', () => {
  const those = Object.entries(features).filter(([name]) => isWhole || name === 'stream');
  test.each(those)('contains no more than the service received, and states the loss: %s', async (name, feature) => {
    const { ledger, folder, kill, ended, victim, hasLost } = await startOnCores(feature, false);
    process.kill(victim, 'SIGKILL');
    await wait(hasLost);
    const before = await intervalsIn(join(folder, 'out'));
    await waitForIntervals(join(folder, 'out'), before + 2);
    kill('SIGKILL');
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
