import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readResult } from '../support/command.ts';
import { endless, hasBegun, openPlace, wait } from '../support/fleet-place.ts';
import { openPeer, response } from '../support/http-peer.ts';
import { judged } from '../support/judge-service.ts';
import { requireRedis, type RedisServer } from '../support/redis-server.ts';

const hasRedis = requireRedis();

describe.runIf(hasRedis)('a run of a fleet', () => {
  test('sends each session once, its counts equal those of the service, and its workers end on request', async () => {
    const scenario = judged("sessions: 40, turns: { min: 1, max: 4 }, load: { concurrency: 8 }, thinkTime: '5ms'");
    const { judge, folder, start, worker, run } = await openPlace(scenario);
    const workers = [start(['worker', 'scenario.mjs', '--once']), worker()];
    const { code } = await run(2).ended;
    const result = await readResult(join(folder, 'out'));
    expect([code, result.books.balanced]).toEqual([0, true]);
    expect(result.books.attempts.total).toBe(judge.messages.length);
    expect(new Set(judge.messages.map(({ text }) => text)).size).toBe(judge.messages.length);
    expect(result.environment?.workers?.map(({ shard }) => shard)).toEqual([0, 1]);
    workers[1]?.kill('SIGTERM');
    const ended = await Promise.all(workers.map((each) => each.ended));
    expect(ended.map((each) => each.code)).toEqual([0, 0]);
    expect(ended[0]?.stderr).toMatch(
      /Shard \d \(of 2\) of run \S+: accepted \(scenario.mjs\)\n.*: ready\n.*: started\n.*: ended\n/,
    );
  });

  test('loses the shard of a worker that was killed: its load ends, and an idle worker does not take it', async () => {
    const { judge, folder, worker, run } = await openPlace(endless);
    const workers = [worker(), worker()];
    const running = run(2);
    await wait(() => hasBegun(judge));
    const free = worker();
    await wait(() => free.said().includes('Waiting'));
    workers[0]?.kill('SIGKILL');
    await wait(() => /Shard [01] on .* is lost/.test(running.said()));
    running.kill('SIGINT');
    const { code } = await running.ended;
    const result = await readResult(join(folder, 'out'));
    expect([code, result.books.balanced]).toEqual([130, true]);
    expect(result.environment?.workers?.filter(({ lost }) => lost !== null)).toHaveLength(1);
    expect(free.said()).not.toContain(': accepted');
    expect(new Set(judge.messages.map(({ text }) => text)).size).toBe(judge.messages.length);
    expect(judge.messages.length).toBeGreaterThanOrEqual(result.books.attempts.total);
  });

  test('ends by itself when its coordinator was killed, whose journal remains; workers wait for the next run', async () => {
    const { judge, folder, worker, run } = await openPlace(endless);
    const workers = [worker(), worker()];
    const running = run(2);
    await wait(() => hasBegun(judge));
    running.kill('SIGKILL');
    await wait(() =>
      workers.every(({ said }) => said().includes('draining: its coordinator is silent') && /: ended\n/.test(said())),
    );
    const sent = judge.messages.length;
    expect((await readdir(join(folder, 'out'))).filter((name) => name.endsWith('.ndjson'))).toHaveLength(1);
    // They wait for a coordinator to return, until a second signal.
    for (const each of workers) each.kill('SIGTERM');
    await wait(() => workers.every(({ said }) => said().includes('Stopping: ')));
    for (const each of workers) each.kill('SIGTERM');
    const ended = await Promise.all(workers.map((each) => each.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(judge.messages.length).toBe(sent);
  });

  test('uses the protocol that its command names, if the scenario names none', async () => {
    const { folder, start, worker } = await openPlace(
      "{ name: 'judged', sessions: 6, turns: 2, load: { concurrency: 2 }, messages: ['Hi'], target: { agentId: 'a', stream: true } }",
    );
    const peer = await openPeer(({ socket, number }) => {
      socket.write(response(completion(number), { lines: ['content-type: text/event-stream'] }));
    });
    const service = `http://127.0.0.1:${String(peer.port)}`;
    const asked = ['--base-url', service, '--protocol', 'openai-chat', '--fleet', '--shards', '2', '--out', 'out'];
    worker();
    worker();
    const { code, stderr } = await start(['run', 'scenario.mjs', ...asked]).ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    expect(peer.arrivals.filter(({ text }) => text.startsWith('POST /v1/chat/completions '))).toHaveLength(12);
    const result = await readResult(join(folder, 'out'));
    expect([result.target.protocol, result.outcomes.turns.ok]).toEqual(['openai-chat', 12]);
  });

  test('continues while Redis is away for 3 s and returns empty, and loses nothing', async () => {
    const scenario = judged("duration: '8s', turns: 3, load: { concurrency: 8 }, thinkTime: '10ms'");
    const { redis, judge, folder, worker, run } = await openPlace(scenario);
    worker();
    worker();
    const running = run(2);
    await wait(() => hasBegun(judge));
    await restart(redis);
    expect((await running.ended).code).toBe(0);
    const result = await readResult(join(folder, 'out'));
    expect(result.books.attempts.total).toBe(judge.messages.length);
    expect(result.environment?.workers?.map(({ lost }) => lost)).toEqual([null, null]);
  });
});

/** Returns a complete streamed reply with its own id. */
function completion(number: number): string {
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  const id = `c-${String(number)}`;
  const events = chunks.map((chunk) => JSON.stringify({ id, object: 'chat.completion.chunk', ...chunk }));
  return [...events, '[DONE]'].map((event) => `data: ${event}\n\n`).join('');
}

async function restart(redis: RedisServer): Promise<void> {
  await redis.stop();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await redis.start();
}
