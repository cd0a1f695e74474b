import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { childrenOf, isThere } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, startCommand, writeScenario } from '../support/command.ts';
import { openPlace, tookOf, wait, type Going } from '../support/fleet-place.ts';
import { requireRedis } from '../support/redis-server.ts';
import { spokenApis } from '../support/spoken-apis.ts';
import { listenInTest } from '../support/listen-in-test.ts';

const hasRedis = requireRedis();
const key = { CHAT_LOAD_API_KEY: 'a-key-of-the-ledger' };

/** The service's own counts: the session numbers of the messages received, and the number of creations. */
interface Ledger {
  baseUrl: string;
  sessions: number[];
  creations: number;
}

const creationPaths = ['/api/developer/chat/sessions', '/v1/conversations', '/open'];

async function openLedger(api: keyof typeof spokenApis): Promise<Ledger> {
  const { created, replied } = spokenApis[api] ?? { replied: () => ({}) };
  const ledger: Ledger = { baseUrl: '', sessions: [], creations: 0 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isCreation = creationPaths.includes(request.url ?? '');
      // A client that keeps the conversation repeats all of it: the last message is new.
      const said = [...body.matchAll(/session (\d+),/g)].at(-1)?.[1];
      if (isCreation) ledger.creations++;
      else ledger.sessions.push(Number(said));
      const { sessionId = '' } = JSON.parse(body) as { sessionId?: string };
      const content = isCreation ? created?.(ledger.creations) : replied(sessionId);
      const answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));
      setTimeout(answer, isCreation ? 1 : 20);
    });
  });
  ledger.baseUrl = await listenInTest(server);
  return ledger;
}

const own = "name: 'own', message: { path: '/talk', body: ({ message }) => ({ message }) }, reply: { text: 'answer' }";
const protocols: Record<string, string> = {
  'openai-chat': "protocol: 'openai-chat'",
  'anthropic-messages': "protocol: 'anthropic-messages'",
  'openai-responses': "protocol: 'openai-responses'",
  'openai-responses with conversations': "protocol: 'openai-responses', conversation: 'conversation'",
  'defineProtocol without createSession': `protocol: { ${own} }`,
  'defineProtocol with createSession': `protocol: { ${own}, createSession: { path: '/open', sessionId: 'id' } }`,
};

const scenarioOf = (
  api: string,
  duration: string,
): string => `{ name: 'lost', target: { agentId: 'a', ${String(protocols[api])} },
  messages: ['This is session {{session.number}}, turn {{turn.number}}'], turns: 4, duration: '${duration}',
  load: { concurrency: 12 }, thinkTime: '10ms', gracePeriod: '3s' }`;

const seenOf = ({ sessions }: Ledger, shard: number): number =>
  sessions.filter((number) => (number - 1) % 2 === shard).length;
/** Some seconds of load: intervals of both have been published. */
const hasBegun = (ledger: Ledger): boolean => [0, 1].every((shard) => seenOf(ledger, shard) > 700);

/** Starts a run on two cores, and resolves when both run, with the process of the second. */
async function startOnCores(api: string, duration: string) {
  const [ledger, folder] = await Promise.all([openLedger(api), makeFolder()]);
  await writeScenario(folder, scenarioOf(api, duration));
  const words = ['run', 'scenario.mjs', '--base-url', ledger.baseUrl, '--out', 'out', '--cores', '2', '--keep-journal'];
  const { child, ended } = startCommand(words, { cwd: folder, env: key });
  let said = '';
  child.stderr?.on('data', (more: string) => (said += more));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await wait(() => hasBegun(ledger));
  const [, victim = 0] = (await childrenOf(child.pid ?? 0)).toSorted((a, b) => a - b);
  return { ledger, folder, child, ended, victim, said: () => said };
}

const workersOf = ({ environment }: Result) => environment?.workers ?? [];

/**
 * Nothing fails here, so that every attempt is a turn. Messages received = attempts counted + attempts lost + messages of
 * the lost shard after its last interval.
 */
function expectBooksOf({ books, ...result }: Result, ledger: Ledger, lost: number): void {
  const workers = workersOf({ books, ...result });
  expect(workers.map((each) => each.lost !== null)).toEqual([0, 1].map((shard) => shard === lost));
  expect(books.broken).toEqual([]);
  expect(books.sessions.lost).toBeGreaterThan(0);
  expect(seenOf(ledger, 1 - lost)).toBe(workers[1 - lost]?.turnsFinished);
  const later = seenOf(ledger, lost) - (workers[lost]?.turnsFinished ?? NaN) - books.attempts.lost;
  expect(later).toBeGreaterThanOrEqual(0);
  expect(ledger.sessions.length).toBe(books.attempts.total + books.attempts.lost + later);
  const created = books.createAttempts.total + books.createAttempts.lost;
  if (result.scenario.plan.target.createsSessions) expect(ledger.creations).toBeGreaterThanOrEqual(created);
  else expect([ledger.creations, created]).toEqual([0, 0]);
}

/** Recovers the only journal of a folder. */
async function recoverIn(folder: string, from: string, to: string): Promise<{ code: number | null; result: Result }> {
  const [journal = ''] = (await readdir(join(folder, from))).filter((name) => name.endsWith('.ndjson'));
  const { code } = await performCommand(['recover', join(from, journal), '--out', to], {}, folder);
  return { code, result: await readResult(join(folder, to)) };
}

const reasons = ({ validity }: Result) => validity.reasons.map(({ code, severity }) => `${code} ${severity}`);
const withoutStatus = ({ run, ...result }: Result): object => ({ ...result, run: { ...run, status: undefined } });

describe('on two cores', () => {
  test.each([
    ['openai-chat', 'SIGKILL'],
    ['defineProtocol without createSession', 'SIGSTOP'],
  ] as const)(
    'a shard that speaks %s and is lost by %s leaves consistent counts, and a journal that yields the same',
    async (api, signal) => {
      const { ledger, folder, ended, victim } = await startOnCores(api, '13s');
      process.kill(victim, signal);
      expect((await ended).code).toBe(4);
      const result = await readResult(join(folder, 'out'));
      expectBooksOf(result, ledger, 1);
      expect(reasons(result)).toContain('shards_lost invalid');
      const recovered = await recoverIn(folder, 'out', 'again');
      expect([recovered.code, recovered.result.run.status]).toEqual([4, 'recovered']);
      expect(withoutStatus(recovered.result)).toEqual(withoutStatus(result));
    },
  );

  test('a journal whose coordinator was killed after it had lost a shard reports the loss', async () => {
    const run = await startOnCores('openai-responses with conversations', '60s');
    process.kill(run.victim, 'SIGKILL');
    await wait(() => run.said().includes('Shard 1 on'));
    const sent = run.ledger.sessions.length;
    await wait(() => run.ledger.sessions.length > sent + 1000);
    run.child.kill('SIGKILL');
    await run.ended;
    const { code, result } = await recoverIn(run.folder, 'out', 'again');
    expect([code, result.validity.verdict]).toEqual([4, 'invalid']);
    expect(reasons(result)).toContain('shards_lost invalid');
    expect(workersOf(result).map(({ lost }) => lost?.reason ?? null)).toEqual([
      null,
      'its process was ended by SIGKILL',
    ]);
    expect(result.books.sessions.lost).toBeGreaterThan(0);
    expect(result.books.attempts.total).toBeLessThanOrEqual(run.ledger.sessions.length);
  });

  test('a search for a capacity that loses a shard writes its document', async () => {
    const [ledger, folder] = await Promise.all([openLedger('anthropic-messages'), makeFolder()]);
    await writeScenario(folder, scenarioOf('anthropic-messages', '60s'));
    const objective = ['--objective', 'turn.p95 < 2s', '--min', '8', '--max', '32'];
    const bounds = ['--max-step', '5s', '--max-duration', '12s', '--cores', '2', '--out', 'out'];
    const words = ['capacity', 'scenario.mjs', '--base-url', ledger.baseUrl, ...objective, ...bounds];
    const { child, ended } = startCommand(words, { cwd: folder, env: key });
    onTestFinished(() => void child.kill('SIGKILL'));
    await wait(() => ledger.sessions.length > 300);
    const [victim = 0] = await childrenOf(child.pid ?? 0);
    process.kill(victim, 'SIGKILL');
    const { code, stderr } = await ended;
    expect(stderr).not.toContain('do not balance');
    expect(code).not.toBe(70);
    expect(await readdir(join(folder, 'out'))).toHaveLength(1);
  });
});

describe.runIf(hasRedis)('in a fleet of two', () => {
  async function startFleet(api: string, duration: string) {
    const [ledger, place] = await Promise.all([openLedger(api), openPlace(scenarioOf(api, duration))]);
    const [victim, other] = [place.worker(), place.worker()];
    const words = ['run', 'scenario.mjs', '--base-url', ledger.baseUrl, '--fleet', '--shards', '2', '--keep-journal'];
    const running: Going = place.start([...words, '--out', 'out']);
    await wait(() => hasBegun(ledger));
    return { ledger, ...place, victim, other, running, lost: tookOf(victim) };
  }

  test('a worker that is killed leaves consistent counts of a protocol that creates sessions', async () => {
    const { ledger, folder, victim, running, lost } = await startFleet('defineProtocol with createSession', '13s');
    for (const child of await childrenOf(victim.pid)) process.kill(child, 'SIGKILL');
    victim.kill('SIGKILL');
    expect((await running.ended).code).toBe(4);
    const result = await readResult(join(folder, 'out'));
    expectBooksOf(result, ledger, lost);
    expect(reasons(result)).toContain('shards_lost invalid');
    const recovered = await recoverIn(folder, 'out', 'again');
    expect(withoutStatus(recovered.result)).toEqual(withoutStatus(result));
  });

  test('a suspended worker is lost in the journal of a coordinator that is killed afterwards', async () => {
    const { folder, victim, running, lost } = await startFleet('openai-responses', '60s');
    for (const child of await childrenOf(victim.pid)) {
      process.kill(child, 'SIGSTOP');
      onTestFinished(() => {
        if (isThere(child)) process.kill(child, 'SIGKILL');
      });
    }
    victim.kill('SIGSTOP');
    await wait(() => running.said().includes(`Shard ${String(lost)} on`));
    running.kill('SIGKILL');
    await running.ended;
    const { code, result } = await recoverIn(folder, 'out', 'again');
    expect([code, result.validity.verdict]).toEqual([4, 'invalid']);
    expect(reasons(result)).toContain('shards_lost invalid');
    expect(workersOf(result).map((each) => each.lost !== null)).toEqual([0, 1].map((shard) => shard === lost));
  });
});
