import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Capacity } from '../../document/capacity.ts';
import { messagesPath } from '../../../../protocol/chat-messaging/api.ts';
import { makeFolder, runCommand, writeScenario } from '../../../../../test/support/command.ts';
import { isWhole } from '../../../../../test/support/trials.ts';

interface Searched {
  document: Capacity;
  code: number | null;
}

/** Searches for some fifteen seconds at most, in `npm run test:long` as long as it takes. */
async function search(scenario: string, ...words: string[]): Promise<Searched> {
  const folder = await makeFolder();
  await writeScenario(folder, scenario, 'knee.mjs');
  const time = isWhole ? ['--max-step', '1m', '--max-duration', '8m'] : ['--max-step', '4s', '--max-duration', '15s'];
  const bounds = [...time, '--tolerance', '25%', '--pause', '100ms', '--out', 'out'];
  const env = { CHAT_LOAD_API_KEY: 'k' };
  const { code } = await runCommand(['capacity', 'knee.mjs', ...bounds, ...words], { cwd: folder, env });
  const [name = ''] = await readdir(join(folder, 'out'));
  return { code, document: JSON.parse(await readFile(join(folder, 'out', name), 'utf8')) as Capacity };
}

/**
 * Expects a valid answer for a service that holds at `last` and breaks above: an interval that contains it, or one end of
 * it. A busy machine may leave it unknown; a wrong answer always fails.
 */
function expectTruth({ document, code }: Searched, last: number): void {
  const { outcome, holds, broken } = document;
  expect(isWhole ? ['found'] : ['found', 'generator_limited', 'undecided', 'bounded']).toContain(outcome);
  expect(code).toBe(outcome === 'found' ? 0 : 4);
  // A difference of one concurrent session is within the noise of a few seconds.
  if (holds !== null) expect(holds.load).toBeLessThanOrEqual(last + 1);
  if (broken !== null) expect(broken.load).toBeGreaterThanOrEqual(last);
  if (outcome === 'found')
    expect(broken?.load).toBeLessThanOrEqual(Math.max((holds?.load ?? 0) + 1, (holds?.load ?? 0) * 1.25));
}

/** Answers at once, and refuses requests beyond this number of concurrent ones. */
async function serveUpTo(places: number): Promise<string> {
  let inFlight = 0;
  let [sessions, replies] = [0, 0];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const say = (status: number, value: unknown): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url !== messagesPath) return say(201, { data: { sessionId: `s${String(++sessions)}` } });
      if (inFlight >= places) return say(429, { success: false, error: 'Too many requests' });
      inFlight += 1;
      const { sessionId } = JSON.parse(body) as { sessionId: string };
      const at = new Date().toISOString();
      // A reply that was there before would be a stale one.
      const said = { response: `Hi, ${String(++replies)}.`, chatId: `c${String(replies)}` };
      const data = { ...said, sessionId, isSession: true, createdAt: at, updatedAt: at };
      setTimeout(() => {
        inFlight -= 1;
        say(200, { success: true, data });
      }, 20);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `target: { baseUrl: 'http://127.0.0.1:${String((server.address() as AddressInfo).port)}', agentId: 'a' }`;
}

const sessions = `name: 'knee', sessions: 1, turns: 3, retry: 'none', onFailedTurn: 'continue'`;

describe('a service with a known knee', () => {
  test('of occupied slots: turns wait for half a turn from half as many more', async () => {
    const scenario = `{ ${sessions}, messages: ['Hi.'], embedded: { latency: '20ms', capacity: 6 } }`;
    const objective = ['--objective', 'turn.mean < 30ms'];
    expectTruth(await search(scenario, ...objective, '--min', '4', '--max', '16'), 9);
  });

  test('of rejected turns', async () => {
    const scenario = `{ ${sessions}, messages: ['Hi.'], ${await serveUpTo(6)} }`;
    const objective = ['--objective', 'turns.failedShare < 5%'];
    expectTruth(await search(scenario, ...objective, '--min', '4', '--max', '16'), 6);
  });

  test('of sessions a second: with three turns of 20 ms each and 3 slots, 50 at most', async () => {
    const scenario = `{ ${sessions}, messages: ['Hi.'], embedded: { latency: '20ms', capacity: 3 } }`;
    const { document } = await search(
      scenario,
      '--by',
      'rate',
      '--objective',
      'turn.p95 < 80ms',
      '--min',
      '15',
      '--max',
      '120',
    );
    expect(['found', 'generator_limited', 'undecided', 'bounded']).toContain(document.outcome);
    if (document.holds !== null) expect(document.holds.load).toBeLessThanOrEqual(51);
  });
});

test('a generator without processor time is never the service’s fault', async () => {
  const burning = `messages: [() => { const until = performance.now() + 25; while (performance.now() < until); return 'Hi.'; }]`;
  const scenario = `{ ${sessions}, ${burning}, embedded: { latency: '10ms' } }`;
  const { document, code } = await search(scenario, '--objective', 'turn.p95 < 40ms', '--min', '4', '--max', '64');
  expect([document.outcome, code]).toEqual(['generator_limited', 4]);
  expect([document.holds, document.broken]).toEqual([null, null]);
  expect(document.steps[0]).toMatchObject({ verdict: 'no_evidence' });
  // If other processes use the processor, that is the reason instead.
  expect(document.steps[0]?.reason).toMatch(/--cores|another process used the processor/);
});
