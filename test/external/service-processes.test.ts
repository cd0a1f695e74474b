import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../src/reference-service/embedded.ts';
import type { ServiceStats } from '../../src/reference-service/exchange/stats.ts';
import { sessionsPath } from '../../src/protocol/chat-messaging/api.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { childrenOf, untilGone } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root, startCommand } from '../support/command.ts';
import { piecesIn, postStream, streamBodies } from '../support/stream-client.ts';
import { createSession, getJson, messageOf, post, postBare, say } from '../support/reference-client.ts';

const cores = 3;

/**
 * A service in three processes. Every request has a separate connection, and connections are distributed round-robin.
 */
async function open(options: EmbeddedOptions = {}) {
  const service = await startEmbedded(embeddedOptions.parse(options), { cores });
  onTestFinished(() => service.close());
  return service;
}

const times = <Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** Waits until the counts match; the test's own time limit bounds it. */
async function untilBooked(stats: () => Promise<ServiceStats>, isSo: (stats: ServiceStats) => boolean): Promise<void> {
  while (!isSo(await stats()));
}

describe('a service in several processes', () => {
  test('has one conversation per session, whichever connections its turns use', async () => {
    const { baseUrl } = await open();
    await times(7, async (session) => {
      const sessionId = await createSession(baseUrl);
      for (let turn = 1; turn <= 5; turn++)
        expect(await say(baseUrl, sessionId, `${String(session)}.${String(turn)}`)).toContain(`Turn ${String(turn)}:`);
      const { turns } = (await getJson(`${baseUrl}/ledger/${sessionId}`)) as { turns: { message: string }[] };
      expect(turns.map(({ message }) => message)).toEqual(
        [1, 2, 3, 4, 5].map((turn) => `${String(session)}.${String(turn)}`),
      );
    });
    expect((await fetch(`${baseUrl}/ledger/nobody`)).status).toBe(404);
  });

  test('answers messages of one session in order, even if they arrive at once', async () => {
    const { baseUrl } = await open({ latency: '1ms', conversationTurns: 100 });
    const sessionId = await createSession(baseUrl);
    const replies = await times(30, (index) => say(baseUrl, sessionId, `message ${String(index)}`));
    const numbers = replies.map((reply) => Number(/^Turn (\d+):/.exec(reply)?.[1]));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test.each([{}, { capacity: 100 }])(
    'has one chain of streamed responses, over any connections: %j',
    async (options) => {
      const { baseUrl, stats } = await open({ ...options, stream: { gap: '1ms' } });
      await times(4, async (chain) => {
        let previous_response_id: string | undefined;
        for (const input of [
          `Remember this code: C${String(chain)}`,
          'Hi',
          'Which code did I tell you? How many turns?',
        ]) {
          const body = streamBodies['/v1/responses'](input, { previous_response_id });
          const { events, isWhole } = await postStream(baseUrl, '/v1/responses', body);
          expect([isWhole, events.at(-1)?.type]).toEqual([true, 'response.completed']);
          const { id } = events[0]?.data['response'] as { id: string };
          previous_response_id = id;
          if (input.startsWith('Which'))
            expect(piecesIn(events).join('')).toMatch(`This is turn 3. The code you told me is C${String(chain)} `);
        }
      });
      const { byApi, streams, messages } = await stats();
      expect([byApi['openai-responses'].messages.classes.ok, streams.completed, streams.firstToken.count]).toEqual([
        12, 12, 12,
      ]);
      expect([messages.serviceTime.count, messages.inProgress]).toEqual([12, 0]);
    },
  );

  test('notices clients that abandon a streamed reply, in any process', async () => {
    const { baseUrl, stats } = await open({ capacity: 100, stream: { gap: '1h' } });
    const leaving = new AbortController();
    const body = streamBodies['/v1/messages']('Hi');
    const asked = { path: '/v1/messages', body, signal: leaving.signal };
    const left = times(3, () => post(baseUrl, asked).catch(() => undefined));
    await untilBooked(stats, ({ streams }) => streams.contentEvents === 3);
    leaving.abort();
    await left;
    await untilBooked(stats, ({ messages }) => messages.inProgress === 0);
    expect((await stats()).streams).toMatchObject({ begun: 3, abandonedMidway: 3, completed: 0 });
    expect((await stats()).messages.classes.abandoned).toBe(3);
  });

  test("counts the client's requests, whichever process received them, before each answer", async () => {
    const { baseUrl, stats } = await open();
    const sessions = await times(20, () => createSession(baseUrl));
    for (let sent = 1; sent <= 9; sent++) {
      await say(baseUrl, sessions[sent] ?? '', 'Hi');
      expect(((await getJson(`${baseUrl}/stats`)) as ServiceStats).messages.classes.ok).toBe(sent);
    }
    await times(100, (index) => say(baseUrl, sessions[index % 20] ?? '', 'Hi'));
    await times(4, () => post(baseUrl, { key: 'nobody', body: {} }));
    await times(5, () => post(baseUrl, { body: {} }));
    await times(6, () => post(baseUrl, { body: messageOf('nobody', 'Hi') }));
    await times(7, () => post(baseUrl, { path: '/nowhere', body: {} }));
    await times(8, () => post(baseUrl, { body: 'x'.repeat(2 ** 20 + 1) }));
    expect(await stats()).toMatchObject({
      creates: { received: 20, inProgress: 0, classes: { ok: 20 }, serviceTime: { count: 20 } },
      messages: {
        received: 109 + 4 + 5 + 6 + 8,
        inProgress: 0,
        classes: { ok: 109, unauthorized: 4, missing_fields: 5, not_found: 6, http_other: 8 },
        serviceTime: { count: 132 },
      },
      unrouted: 7,
      sessions: { live: 20, created: 20 },
      turnsStored: 109,
      connections: { total: 20 + 9 + 9 + 100 + 4 + 5 + 6 + 7 + 8 },
    });
  });

  test('applies a fault to the connection, wherever the session is', async () => {
    const { baseUrl, stats } = await open({ faults: [{ kind: 'reset', share: 1 }] });
    const sessions = await times(9, () => createSession(baseUrl));
    const ends = await Promise.all(sessions.map((sessionId) => postBare(baseUrl, messageOf(sessionId, 'Hi'))));
    expect(ends.map(({ end }) => end)).toEqual(Array(9).fill('ECONNRESET'));
    expect((await stats()).messages.classes.reset).toBe(9);
  });

  test('notices clients that leave, wherever the session is', async () => {
    const { baseUrl, stats } = await open({ latency: '1h' });
    const sessions = await times(9, () => createSession(baseUrl));
    const leaving = new AbortController();
    const left = Promise.allSettled(
      sessions.map((sessionId) => post(baseUrl, { body: messageOf(sessionId, 'Hi'), signal: leaving.signal })),
    );
    await untilBooked(stats, ({ messages }) => messages.inProgress === 9);
    leaving.abort();
    await left;
    await untilBooked(stats, ({ messages }) => messages.classes.abandoned === 9);
    expect((await stats()).messages).toMatchObject({ received: 9, inProgress: 0, serviceTime: { count: 0 } });
  });
});

describe('state of the whole service is shared by all processes:', () => {
  test('the slots of its capacity, and their queue', async () => {
    const { baseUrl, stats } = await open({ latency: '1h', capacity: 2 });
    const sessions = await times(9, () => createSession(baseUrl));
    void Promise.allSettled(sessions.map((sessionId) => post(baseUrl, { body: messageOf(sessionId, 'Hi') })));
    await untilBooked(stats, ({ messages }) => messages.inProgress === 9);
    expect((await stats()).queue).toEqual({ busy: 2, waiting: 7 });
  });

  test('the rate limit of a key', async () => {
    const { baseUrl } = await open({ rateLimit: { perSecond: 0.001, burst: 7 } });
    const statuses = await times(
      20,
      async () => (await post(baseUrl, { path: sessionsPath, body: { agentId: 'x' } })).status,
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(13);
  });

  test('the counts of faults', async () => {
    const { baseUrl, stats } = await open({ faults: [{ kind: 'server_error', every: 3 }] });
    const sessions = await times(9, () => createSession(baseUrl));
    const statuses: number[] = [];
    for (const sessionId of [...sessions, ...sessions])
      statuses.push((await post(baseUrl, { body: messageOf(sessionId, 'Hi') })).status);
    expect(statuses).toEqual(Array(6).fill([200, 200, 503]).flat());
    expect((await stats()).messages.classes).toMatchObject({ ok: 12, server_error: 6 });
  });

  test('the order in which sessions are forgotten', async () => {
    const { baseUrl, stats } = await open({ maxSessions: 4 });
    const sessions: string[] = [];
    for (let count = 0; count < 6; count++) sessions.push(await createSession(baseUrl));
    const found = await Promise.all(sessions.map(async (id) => (await fetch(`${baseUrl}/ledger/${id}`)).status));
    expect(found).toEqual([404, 404, 200, 200, 200, 200]);
    expect((await stats()).sessions).toEqual({ live: 4, created: 6, evicted: 2 });
  });
});

/** The command with three processes, and its first line. */
async function serve(...words: string[]) {
  const { child, ended } = startCommand(['serve', '--port', '0', '--cores', String(cores), ...words]);
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('no standard output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const workers = await childrenOf(child.pid ?? 0);
  expect(workers).toHaveLength(cores);
  return { child, ended, workers, baseUrl: /https?:\S+/.exec(line)?.[0] ?? '' };
}

describe('serve --cores', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('serves until %s, and leaves no process', async (signal) => {
    const { child, ended, workers, baseUrl } = await serve();
    expect(await say(baseUrl, await createSession(baseUrl), 'Hi')).toContain('Turn 1');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    await untilGone(workers);
  });

  test('continues when the signal of a terminal reaches its processes', async () => {
    const { workers, baseUrl } = await serve();
    for (const pid of workers) process.kill(pid, 'SIGINT');
    expect(await times(cores, () => createSession(baseUrl))).toHaveLength(cores);
  });

  test('ends as a whole, with an error, when one of its processes dies', async () => {
    const { ended, workers } = await serve();
    process.kill(workers[1] ?? 0, 'SIGKILL');
    const { code, stderr } = await ended;
    expect(code).toBe(3);
    expect(stderr).toContain('one of the processes of the service ended by itself (SIGKILL)');
    await untilGone(workers);
  });

  test('leaves no process when it is killed', async () => {
    const { child, workers } = await serve();
    child.kill('SIGKILL');
    await untilGone(workers);
  });

  test('reports when one process has all sessions, and why', async () => {
    const config = join(await makeFolder(), 'service.json');
    await writeFile(config, JSON.stringify({ sabotage: [{ kind: 'swap' }] }));
    const { child, ended } = await serve('--config', config, '--capacity', '9');
    child.kill('SIGTERM');
    expect((await ended).stderr).toBe('One of the 3 processes has all sessions because of capacity, sabotage.\n');
  });

  test('supports TLS, including resets', async () => {
    const fixture = (name: string): string => join(root, 'test/fixtures', `test-only-localhost.${name}.pem`);
    const ca = await readFile(fixture('cert'), 'utf8');
    const config = join(await makeFolder(), 'service.json');
    await writeFile(config, JSON.stringify({ faults: [{ kind: 'reset', first: 3 }] }));
    const { baseUrl } = await serve('--config', config, '--tls-cert', fixture('cert'), '--tls-key', fixture('key'));
    const url = baseUrl.replace('127.0.0.1', 'localhost');
    const create = () => post(url, { ca, path: sessionsPath, body: { agentId: embeddedDefaults.agentId } });
    const sessionId = (await create()).body.data?.sessionId ?? '';
    const six = Array.from({ length: 6 }, () => post(url, { ca, body: messageOf(sessionId, 'Hi') }));
    const ends = await Promise.allSettled(six);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  test('reports that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { ended } = startCommand(['serve', '--cores', '2', '--port', String(port)]);
    const { code, stderr } = await ended;
    expect(code).toBe(3);
    expect(stderr).toContain(`port ${String(port)}: the port is in use`);
  });

  test.each(['0', '1.5', '65', '-1', 'all'])('rejects %s', async (given) => {
    const { code, stdout, stderr } = await performCommand(['serve', `--cores=${given}`]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`--cores takes a whole number from 1 to 64, or auto, not '${given}'`);
  });
});

describe('the embedded service in several processes', () => {
  test('ends with the process that supervises it', async () => {
    const { pid } = await open();
    const workers = await childrenOf(pid);
    expect(workers).toHaveLength(cores);
    process.kill(pid, 'SIGKILL');
    await untilGone(workers);
  });

  test('ends as a whole when one of its processes dies', async () => {
    const { pid, stats } = await open();
    const workers = await childrenOf(pid);
    process.kill(workers[0] ?? 0, 'SIGKILL');
    await untilGone([pid, ...workers]);
    await expect(stats()).rejects.toMatchObject({ name: 'ChatLoadError', code: 'environment' });
  });
});
