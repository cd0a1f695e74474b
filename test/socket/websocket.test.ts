import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SocketDefinition } from '../../src/protocol/defined/definition.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { conduct, conductClosely } from '../support/conduct.ts';
import { localhostIdentity } from '../support/localhost-identity.ts';
import {
  answer,
  exampleProtocol,
  openSocketService,
  refuseUpgrade,
  uncorrelated,
  type SocketService,
} from '../support/socket-service.ts';

type Target = Partial<Omit<NonNullable<Scenario['target']>, 'protocol'>> & { protocol?: SocketDefinition };
type Changes = Partial<Omit<Scenario, 'target'>> & { target?: Target };

/** Returns sessions over the example protocol, one at a time. */
const scenario = ({ target, ...changes }: Changes = {}) => ({
  turns: 3,
  load: { concurrency: 1 },
  ...changes,
  target: { protocol: exampleProtocol, ...target } as unknown as Scenario['target'] & object,
});

const play = ({ baseUrl }: Pick<SocketService, 'baseUrl'>, changes?: Changes): Promise<Result> =>
  conduct(scenario(changes), { baseUrl });

const nonZero = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

/** Selects the counts of a run. */
const booked = ({ books, outcomes }: Result) => ({
  balanced: books.balanced,
  created: nonZero(outcomes.createAttempts),
  attempts: nonZero(outcomes.attempts),
  reopened: outcomes.reopened,
  unsolicited: outcomes.unsolicited,
});

const details = ({ examples }: Result): string[] => examples.map(({ detail }) => detail);

/** Closes of sockets, by code, and their classes before and after content. */
const closes: [code: number, before: string, after: string][] = [
  [1000, 'connection_lost', 'truncated'],
  [1001, 'connection_lost', 'truncated'],
  [1005, 'connection_lost', 'truncated'],
  [1006, 'connection_lost', 'connection_lost'],
  [1007, 'malformed', 'malformed'],
  [1008, 'forbidden', 'forbidden'],
  [1009, 'http_other', 'http_other'],
  [1011, 'internal_error', 'internal_error'],
  [1012, 'server_error', 'server_error'],
  [1013, 'rate_limited', 'rate_limited'],
  [1014, 'server_error', 'server_error'],
  [4401, 'unauthorized', 'unauthorized'],
  [4403, 'forbidden', 'forbidden'],
  [4429, 'rate_limited', 'rate_limited'],
  [4999, 'http_other', 'http_other'],
];

describe('sessions over WebSocket', () => {
  test('have one socket each, which their creation opens and their end closes', async () => {
    const service = await openSocketService();
    const { result, left } = await conductClosely(scenario({ sessions: 9, load: { concurrency: 2 } }), service);
    expect(booked(result)).toEqual({
      balanced: true,
      created: { ok: 9 },
      attempts: { ok: 27 },
      reopened: 0,
      unsolicited: 0,
    });
    expect(service.counted).toEqual({ upgrades: 9, sockets: 9, messages: 27 });
    expect(service.closedWith).toEqual(Array<number>(9).fill(1000));
    expect(left).toEqual({ connections: 0, listeners: 0 });
    const { firstToken, connect, sessionCreate } = result.latency;
    const events = [firstToken.count, result.stream.contentEvents];
    expect([...events, connect.count, sessionCreate.count]).toEqual([27, 81, 0, 9]);
    expect(result.tokens).toMatchObject({ input: { tokens: 135 }, output: { tokens: 81 } });
    expect(result.concurrency.sockets?.max).toBeGreaterThan(0);
    expect(result.concurrency.sockets?.max).toBeLessThan(9);
  });

  test('send their key, their headers, cookies and one trace with the upgrade', async () => {
    const service = await openSocketService({
      upgrade: (_, raw, nth) =>
        nth === 1 && refuseUpgrade(raw, 503, {}, { 'Set-Cookie': 'sid=a-cookie-of-4-tests; Path=/' }),
    });
    const headers = { 'X-Tenant': 'a', 'X-Session': '{{session.number}}' };
    const result = await play(service, {
      turns: 1,
      retry: { base: '1ms' },
      target: { apiKey: 'a-key-of-4-tests', headers, cookies: true, trace: true },
    });
    expect(booked(result)).toMatchObject({ created: { server_error: 1, ok: 1 }, attempts: { ok: 1 } });
    expect(service.upgrades.map(({ path }) => path)).toEqual(['/v1/socket', '/v1/socket']);
    expect(service.upgrades[1]?.headers).toMatchObject({
      host: `127.0.0.1:${String(service.port)}`,
      authorization: 'Bearer a-key-of-4-tests',
      'x-tenant': 'a',
      'x-session': '1',
      cookie: 'sid=a-cookie-of-4-tests',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) as string,
      connection: 'Upgrade',
    });
    expect(service.upgrades[1]?.headers).not.toHaveProperty('sec-websocket-extensions');
    expect(service.upgrades[1]?.headers).not.toHaveProperty('content-length');
  });

  test('send their key in the first frame, if the definition has it there', async () => {
    const frames: unknown[] = [];
    const service = await openSocketService({
      message: (socket, frame, nth) => {
        frames.push(frame);
        if ((frame as { type: string }).type !== 'login') answer(socket, frame, nth);
      },
    });
    const connect = { ...exampleProtocol.connect, frames: () => ({ type: 'login', token: 'is {{apiKey}}' }) };
    const send: SocketDefinition['send'] = ({ id }) => ({ type: 'message', id, text: '{{apiKey}}' });
    const protocol = { ...exampleProtocol, connect, send };
    const result = await play(service, { turns: 1, target: { apiKey: 'a-"quoted"-key', protocol } });
    expect(booked(result)).toMatchObject({ attempts: { ok: 1 } });
    expect(frames).toMatchObject([{ token: 'is a-"quoted"-key' }, { text: '{{apiKey}}' }]);
    expect(JSON.stringify(result)).not.toContain('quoted');
  });

  test('hold idle sockets while they think', async () => {
    let idle = 0;
    const service = await openSocketService({
      message: (socket, frame, nth) => {
        idle = Math.max(idle, service.open());
        answer(socket, frame, nth);
      },
    });
    const result = await play(service, {
      sessions: 20,
      turns: 2,
      thinkTime: '600ms',
      load: { concurrency: 20 },
      target: { protocol: { ...exampleProtocol, connect: { ...exampleProtocol.connect, pingInterval: 20 } } },
    });
    expect(idle).toBe(20);
    expect(result.concurrency.sockets?.max).toBe(20);
    expect(result.concurrency.sockets?.mean).toBeGreaterThan(5);
    expect(booked(result)).toMatchObject({ attempts: { ok: 40 }, reopened: 0 });
  });

  test('send no pings unless the protocol has an interval', async () => {
    let pings = 0;
    const open = ({
      ws,
      say,
      number,
    }: Parameters<NonNullable<Parameters<typeof openSocketService>[0]>['open'] & object>[0]) => {
      ws.on('ping', () => pings++);
      say({ type: 'ready', sessionId: String(number) });
    };
    const thinking = { turns: 2, thinkTime: '200ms' } as const;
    await play(await openSocketService({ open }), thinking);
    expect(pings).toBe(0);
    const connect = { ...exampleProtocol.connect, pingInterval: 20 };
    await play(await openSocketService({ open }), {
      ...thinking,
      target: { protocol: { ...exampleProtocol, connect } },
    });
    expect(pings).toBeGreaterThan(2);
  });
});

describe('a socket that is closed', () => {
  test.each(closes)('with %i is %s before content, and %s after it', async (code, before, after) => {
    const service = await openSocketService({
      message: ({ ws, say }, { id }, nth) => {
        say({ type: 'typing' });
        if (nth === 2) say({ type: 'delta', id, text: 'It' });
        if (code === 1006) ws.terminate();
        else if (code === 1005) ws.close();
        else ws.close(code, 'a reason');
      },
    });
    // Without a stop after the first 401 or 403: one run each.
    const results = [await play(service, { turns: 1 }), await play(service, { turns: 1 })];
    expect(results.map(({ outcomes }) => nonZero(outcomes.attempts))).toEqual([{ [before]: 1 }, { [after]: 1 }]);
    const remedy = before === 'http_other' ? '; target.protocol.closeCodes can give the code a class' : '';
    if (code !== 1005 && code !== 1006)
      expect(results.flatMap(details)).toEqual([
        `the server closed the socket (${String(code)}: a reason) after 1 frame of the reply${remedy}`,
        `the server closed the socket (${String(code)}: a reason) after 2 frames of the reply${remedy}`,
      ]);
  });

  test('reveals no secret that its reason was cut within', async () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz'.repeat(10);
    const service = await openSocketService({ message: ({ ws }) => ws.close(4000, `no ${secret.slice(0, 100)}`) });
    const headers = { 'X-Auth-Token': secret };
    const [detail = ''] = details(await play(service, { turns: 1, target: { protocol: exampleProtocol, headers } }));
    expect(detail).toContain('the server closed the socket (4000: no [secret])');
  });

  test('has the class of its protocol, if that has one for the code', async () => {
    const service = await openSocketService({ message: ({ ws }) => ws.close(4000) });
    const protocol = { ...exampleProtocol, closeCodes: { 4000: 'not_found' } } as const;
    expect(booked(await play(service, { target: { protocol } })).attempts).toEqual({ not_found: 1 });
  });

  test.each<[string, string, (raw: Socket) => void]>([
    ['half a frame', 'connection_lost', (raw) => raw.end(Buffer.from([0x81, 0x7e, 0x10]))],
    ['text that is not UTF-8', 'malformed', (raw) => raw.write(Buffer.from([0x81, 0x02, 0xc3, 0x28]))],
    ['a frame with a reserved opcode', 'malformed', (raw) => raw.write(Buffer.from([0x83, 0x00]))],
    ['a binary frame that is not UTF-8', 'malformed', (raw) => raw.write(Buffer.from([0x82, 0x02, 0xc3, 0x28]))],
    ['a frame that is not JSON', 'malformed', (raw) => raw.write(Buffer.from([0x81, 0x02, 0x68, 0x69]))],
  ])('by %s is %s', async (_, outcome, write) => {
    const service = await openSocketService({ message: ({ raw }) => write(raw) });
    const result = await play(service, { turns: 1, timeout: '5s' });
    expect(booked(result)).toMatchObject({ balanced: true, attempts: { [outcome]: 1 } });
  });

  test('by a message above the body limit is malformed', async () => {
    const service = await openSocketService({
      message: ({ say }, { id }) => say({ type: 'delta', id, text: 'x'.repeat(5000) }),
    });
    const result = await play(service, { turns: 1, maxBodyBytes: 4096 });
    expect(booked(result).attempts).toEqual({ malformed: 1 });
    expect(details(result)).toEqual([expect.stringContaining('Max payload size exceeded')]);
  });

  test('between turns is opened again by the next attempt, as a part of its connecting', async () => {
    const path: SocketDefinition['connect']['path'] = ({ sessionId }) => `/v1/socket?resume=${sessionId}`;
    const reopened: boolean[] = [];
    const service = await openSocketService({
      message: ({ ws, reply }, { id }) => {
        reply(id);
        ws.close(1012);
      },
    });
    const protocol: SocketDefinition = {
      ...exampleProtocol,
      connect: { ...exampleProtocol.connect, path },
      send: (parts) => {
        reopened.push(parts.reopened);
        return exampleProtocol.send(parts);
      },
    };
    const result = await play(service, { thinkTime: '100ms', target: { protocol } });
    expect(booked(result)).toEqual({
      balanced: true,
      created: { ok: 1 },
      attempts: { ok: 3 },
      reopened: 2,
      unsolicited: 0,
    });
    expect(result.latency.connect.count).toBe(2);
    expect(service.upgrades.map(({ path: asked }) => asked)).toEqual(
      ['', 's-1', 's-2'].map((id) => `/v1/socket?resume=${id}`),
    );
    expect(reopened.filter(Boolean)).toHaveLength(2);
  });

  test('lets the client resend the conversation, if it keeps it', async () => {
    const service = await openSocketService({
      message: ({ ws, reply }, { id }, nth) => {
        reply(id, `Answer ${String(nth)}.`);
        if (nth === 2) ws.close(1001);
      },
    });
    const protocol: SocketDefinition = {
      ...exampleProtocol,
      history: 'client',
      send: ({ id, messages, reopened }) => ({
        type: 'message',
        id,
        messages: reopened ? messages : messages.slice(-1),
      }),
    };
    await play(service, { thinkTime: '50ms', messages: ['One', 'Two', 'Three'], target: { protocol } });
    const said = service.received.map((frame) => (frame as unknown as { messages: { content: string }[] }).messages);
    expect(said.map((messages) => messages.map(({ content }) => content))).toEqual([
      ['One'],
      ['Two'],
      ['One', 'Answer 1.', 'Two', 'Answer 2.', 'Three'],
    ]);
  });
});

describe('an upgrade that is refused', () => {
  test.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [503, 'server_error'],
    [302, 'http_other'],
    [200, 'contract_broken'],
  ])('with %i is %s', async (status, outcome) => {
    const service = await openSocketService({
      upgrade: (_, raw) => refuseUpgrade(raw, status, { error: { message: 'not now' } }),
    });
    const result = await play(service);
    expect(booked(result)).toMatchObject({ balanced: true, created: { [outcome]: 1 }, attempts: {} });
    expect(result.examples).toMatchObject([{ status, operation: 'create' }]);
    if (status !== 200) expect(details(result)).toEqual([`status ${String(status)}: not now`]);
  });

  test.each([
    { 'Retry-After': '1' },
    { 'Retry-After': '0.02' },
    { 'Retry-After-Ms': '20' },
    { 'X-RateLimit-Reset-Requests': '20ms' },
  ])('is tried again after its wait: %j', async (stated) => {
    const service = await openSocketService({
      upgrade: (_, raw, nth) => nth === 1 && refuseUpgrade(raw, 429, {}, stated),
    });
    const result = await play(service, { retry: { base: '1ms' } });
    expect(booked(result)).toMatchObject({ created: { rate_limited: 1, ok: 1 }, attempts: { ok: 3 } });
    expect(result.retries.creations).toMatchObject({ retries: 1, ambiguous: 0, retryAfter: { obeyed: 1 } });
  });

  test('and never accepted ends the run, which masks the credentials of its path', async () => {
    const service = await openSocketService({ upgrade: (_, raw) => refuseUpgrade(raw, 404, {}) });
    const connect = { ...exampleProtocol.connect, path: '/v1/socket?token=abc123' };
    const result = await play(service, { sessions: 20, target: { protocol: { ...exampleProtocol, connect } } });
    expect(result.run.stop).toMatchObject({ kind: 'target_unfit' });
    expect(JSON.stringify(result)).toContain('/v1/socket?token=[redacted]');
    expect(JSON.stringify(result)).not.toContain('abc123');
  });

  test('by a reset, by silence or by another answer has the class of that', async () => {
    const kinds = { reset: 'connection_lost', silence: 'timed_out', garbage: 'malformed', accept: 'malformed' };
    const outcomes: Record<string, unknown> = {};
    for (const kind of Object.keys(kinds)) {
      const service = await openSocketService({
        upgrade: (_, raw) => {
          if (kind === 'reset') raw.resetAndDestroy();
          if (kind === 'garbage') raw.end('hello\r\n\r\n');
          if (kind === 'accept')
            raw.write(
              'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: a\r\n\r\n',
            );
          return true;
        },
      });
      outcomes[kind] = Object.keys(booked(await play(service, { timeout: '1s' })).created)[0];
    }
    expect(outcomes).toEqual(kinds);
  });

  test('or that is closed before it is ready, does not create the session', async () => {
    const service = await openSocketService({ open: ({ ws }) => ws.close(1013, 'full') });
    expect(booked(await play(service))).toMatchObject({ created: { rate_limited: 1 }, attempts: {} });
    const stated = await openSocketService({ open: ({ say }) => say({ type: 'error', code: 'forbidden' }) });
    expect(booked(await play(stated))).toMatchObject({ created: { forbidden: 1 }, attempts: {} });
    const nameless = await openSocketService({ open: ({ say }) => say({ type: 'ready' }) });
    expect(booked(await play(nameless))).toMatchObject({ created: { contract_broken: 1 }, attempts: {} });
    await expect.poll(() => [service.open(), stated.open(), nameless.open()]).toEqual([0, 0, 0]);
  });
});

describe('late frames', () => {
  const late = (delay: number) =>
    openSocketService({
      message: ({ reply }, { id }, nth) => {
        if (nth === 1) setTimeout(() => reply(id, 'Too late.'), delay);
        else setTimeout(() => reply(id, 'In time.'), 1000);
      },
    });

  test('after a time-out are unsolicited, never part of a later reply, if frames have ids', async () => {
    const service = await late(3400);
    const result = await play(service, {
      turns: 2,
      timeout: '3s',
      onFailedTurn: 'continue',
      checks: { inTime: (text) => text === 'In time.' },
    });
    // Three parts and the end; the frame without an id is not part of a reply.
    expect(booked(result)).toEqual({
      balanced: true,
      created: { ok: 1 },
      attempts: { timed_out: 1, ok: 1 },
      reopened: 0,
      unsolicited: 4,
    });
    expect(service.counted).toMatchObject({ sockets: 1, messages: 2 });
  });

  test('cannot arrive if frames have no ids: the socket was closed', async () => {
    const service = await late(3400);
    const result = await play(service, {
      turns: 2,
      timeout: '3s',
      onFailedTurn: 'continue',
      checks: { inTime: (text) => text === 'In time.' },
      target: { protocol: uncorrelated },
    });
    expect(booked(result)).toMatchObject({ attempts: { timed_out: 1, ok: 1 }, reopened: 1, unsolicited: 0 });
    expect(service.counted).toMatchObject({ sockets: 2, messages: 2 });
    expect(service.closedWith).toEqual([1001, 1000]);
  });

  test('of another turn within a reply are unsolicited, too', async () => {
    const service = await openSocketService({
      message: ({ say, reply }, { id }) => {
        say({ type: 'delta', id: 'another', text: 'Not ' });
        reply(id, 'Mine.');
      },
    });
    const result = await play(service, { turns: 2, checks: { mine: (text) => text === 'Mine.' } });
    expect(booked(result)).toMatchObject({ attempts: { ok: 2 }, unsolicited: 2 });
  });

  test('that are no part of a reply are ignored', async () => {
    const service = await openSocketService({
      message: ({ say, reply }, { id }) => {
        reply(id);
        say({ type: 'typing' });
      },
    });
    expect(booked(await play(service, { thinkTime: '20ms' }))).toMatchObject({ attempts: { ok: 3 }, unsolicited: 0 });
  });
});

describe('a user who leaves', () => {
  const leaving = { turns: 2, abandon: { share: 1, after: '100ms' } } as const;
  const slow: NonNullable<Parameters<typeof openSocketService>[0]> = {
    message: ({ say }, { id }) => say({ type: 'delta', id, text: 'It is' }),
  };

  test('cancels the reply if the protocol can, and keeps the socket', async () => {
    const service = await openSocketService({
      ...slow,
      cancel: ({ say }, { id }) => say({ type: 'done', id }),
    });
    const result = await play(service, leaving);
    expect(booked(result)).toMatchObject({ balanced: true, attempts: { abandoned: 2 }, reopened: 0 });
    expect(service.received.map(({ type, id }) => `${type} ${String(id)}`)).toEqual([
      'message t-1',
      'cancel t-1',
      'message t-2',
      'cancel t-2',
    ]);
    expect(service.counted['sockets']).toBe(1);
  });

  test('closes the socket otherwise', async () => {
    const service = await openSocketService(slow);
    const result = await play(service, { ...leaving, target: { protocol: uncorrelated } });
    expect(booked(result)).toMatchObject({ balanced: true, attempts: { abandoned: 2 }, reopened: 1 });
    expect(service.counted).toMatchObject({ sockets: 2, messages: 2 });
  });

  test('cancels, and closes the socket if later frames could not be recognized', async () => {
    const service = await openSocketService(slow);
    const protocol = { ...uncorrelated, cancel: exampleProtocol.cancel };
    const result = await play(service, { ...leaving, target: { protocol } });
    expect(booked(result)).toMatchObject({ attempts: { abandoned: 2 }, reopened: 1 });
    expect(service.counted).toMatchObject({ sockets: 2, cancels: 2 });
  });
});

describe('a retry', () => {
  test('after a stated error uses the same socket, and is ambiguous, because the message was sent', async () => {
    const service = await openSocketService({
      message: ({ say, reply }, { id }, nth) => {
        if (nth === 1) say({ type: 'error', id, code: 'rate_limited', retryAfter: 1 });
        else reply(id);
      },
    });
    const result = await play(service, { turns: 1, retry: { base: '1ms' } });
    expect(booked(result)).toMatchObject({ balanced: true, attempts: { rate_limited: 1, ok: 1 }, reopened: 0 });
    expect(result.retries).toMatchObject({ retries: 1, ambiguous: 1, retryAfter: { obeyed: 1 } });
    expect(service.received.map(({ id }) => id)).toEqual(['t-1', 't-1-2']);
  });

  test('is safe if the socket could not be opened again', async () => {
    const service = await openSocketService({
      message: ({ ws, reply }, { id }, nth) => {
        reply(id);
        if (nth === 1) ws.close(1001);
      },
      upgrade: (_, raw, nth) => {
        if (nth === 2) raw.resetAndDestroy();
        return nth === 2;
      },
    });
    const result = await play(service, { turns: 2, thinkTime: '50ms', retry: { base: '1ms' } });
    expect(booked(result)).toMatchObject({ attempts: { connection_lost: 1, ok: 2 }, reopened: 1 });
    expect(result.retries).toMatchObject({ retries: 1, ambiguous: 0 });
  });

  test('after a loss opens the socket again', async () => {
    const service = await openSocketService({
      message: ({ ws, reply }, { id }, nth) => (nth === 1 ? ws.terminate() : reply(id)),
    });
    const result = await play(service, { turns: 1, retry: { base: '1ms' } });
    expect(booked(result)).toMatchObject({ attempts: { connection_lost: 1, ok: 1 }, reopened: 1 });
    expect(result.retries).toMatchObject({ retries: 1, ambiguous: 1 });
  });
});

describe('a server that closes a socket, but not its connection', () => {
  /** Closes with a frame, and never ends the connection. */
  const closeOnly = ({ ws, raw }: { ws: { close: (code: number) => void }; raw: Socket }, code: number): void => {
    raw.end = () => raw;
    ws.close(code);
  };

  test('has closed it at its close frame: before a reply, within one, and before the first turn', async () => {
    const within = await openSocketService({
      message: (socket, { id }) => {
        socket.say({ type: 'delta', id, text: 'A' });
        closeOnly(socket, 1012);
      },
    });
    const before = await openSocketService({ message: (socket) => closeOnly(socket, 1013) });
    const first = await openSocketService({ open: (socket) => closeOnly(socket, 1013) });
    const options = { turns: 1, retry: 'none', timeout: '2s' } as const;
    const results = await Promise.all([within, before, first].map((service) => play(service, options)));
    expect(results.map(booked)).toMatchObject([
      { balanced: true, attempts: { server_error: 1 } },
      { balanced: true, attempts: { rate_limited: 1 } },
      { balanced: true, created: { rate_limited: 1 } },
    ]);
  });

  test('does not delay the retry', async () => {
    const service = await openSocketService({
      message: (socket, { id }, nth) => (nth === 1 ? closeOnly(socket, 1013) : socket.reply(id)),
    });
    const result = await play(service, { turns: 1, timeout: '2s', retry: { base: '1ms', jitter: 'none' } });
    expect(booked(result)).toMatchObject({ attempts: { rate_limited: 1, ok: 1 }, reopened: 1 });
  });
});

describe('a reply over a socket', () => {
  test('may be fragmented, binary, and in a storm of pings', async () => {
    const service = await openSocketService({
      message: ({ ws, say }, { id }) => {
        for (let ping = 0; ping < 500; ping++) ws.ping();
        ws.send('{"type":"delta",', { fin: false });
        ws.send(`"id":"${String(id)}","text":"Grüße"}`, { fin: true });
        ws.send(Buffer.from(JSON.stringify({ type: 'delta', id, text: ' 🎉' })), { binary: true });
        say({ type: 'done', id });
      },
    });
    const result = await play(service, { checks: { whole: (text) => text === 'Grüße 🎉' } });
    expect(booked(result)).toMatchObject({ attempts: { ok: 3 }, reopened: 0 });
    expect(result.stream).toMatchObject({ replies: 3, contentEvents: 6 });
  });

  test('that stalls is timed out', async () => {
    const service = await openSocketService({ message: ({ say }, { id }) => say({ type: 'delta', id, text: 'It' }) });
    const result = await play(service, { turns: 1, stallTimeout: '100ms' });
    expect(booked(result).attempts).toEqual({ timed_out: 1 });
    expect(details(result)).toEqual(['no further content within 100 ms: it stalled after 1 frame of the reply']);
  });

  test('has the times of the reads in which its frames arrived', async () => {
    const service = await openSocketService({
      message: ({ raw, say, reply }, { id }) => {
        say({ type: 'typing' });
        setTimeout(() => {
          raw.cork();
          reply(id);
          raw.uncork();
        }, 100);
      },
    });
    const { latency, stream } = await play(service, { turns: 8 });
    expect(latency.firstToken.minMs).toBeGreaterThanOrEqual(99);
    // A busy machine may read both frames of a turn together, but not of all turns.
    expect(latency.firstByte.minMs).toBeLessThan(90);
    expect([latency.gap.count, stream.sharedReads, stream.oneRead]).toEqual([0, 1, 8]);
  });

  test('of a traced attempt has its trace in a frame, if the protocol sends it', async () => {
    const service = await openSocketService();
    const protocol: SocketDefinition = {
      ...exampleProtocol,
      send: ({ id, traceparent }) => ({ type: 'message', id, text: traceparent }),
    };
    await play(service, { turns: 2, target: { protocol, trace: true } });
    const traces = [service.upgrades[0]?.headers['traceparent'], ...service.received.map(({ text }) => text)];
    expect(traces).toEqual(traces.map(() => expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) as string));
    expect(new Set(traces).size).toBe(3);
  });

  test('ends at its last frame, although later ones are read together', async () => {
    const service = await openSocketService({
      message: ({ raw, reply }, { id }) => {
        raw.cork();
        reply(id);
        reply('later');
        raw.uncork();
      },
    });
    expect(booked(await play(service, { turns: 2 }))).toMatchObject({ attempts: { ok: 2 }, unsolicited: 8 });
  });
});

describe('a route to a service', () => {
  test('may be encrypted', async () => {
    const service = await openSocketService({ tls: localhostIdentity });
    const tls = { ca: localhostIdentity.cert };
    const { result } = await conductClosely(scenario(), { baseUrl: `https://localhost:${String(service.port)}`, tls });
    expect(booked(result)).toMatchObject({ created: { ok: 1 }, attempts: { ok: 3 } });
  });

  test('may lead through a proxy, which opens a tunnel', async () => {
    const service = await openSocketService();
    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url = '' }, client) => {
      tunnels.push(url);
      const target = connect(service.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const result = await play(service, { target: { proxy: `http://127.0.0.1:${String(port)}` } });
    expect(booked(result)).toMatchObject({ created: { ok: 1 }, attempts: { ok: 3 } });
    expect(tunnels).toEqual([`127.0.0.1:${String(service.port)}`]);
  });

  test('that refuses connections is connect_failed, and a retry of it safe', async () => {
    const service = await openSocketService();
    service.server.close();
    const result = await play(service, { retry: { base: '1ms', maxAttempts: 2 } });
    expect(booked(result)).toMatchObject({ balanced: true, created: { connect_failed: 2 }, attempts: {} });
    expect(result.retries.creations).toMatchObject({ retries: 1, ambiguous: 0 });
  });

  test('takes the key in a subprotocol and the query, and no result contains it', async () => {
    const apiKey = 'a-key-of/tests+8';
    const service = await openSocketService({
      subprotocol: 'chat.v1',
      message: ({ ws }) => ws.close(1008, `wrong key ${apiKey}`),
    });
    const connect = {
      ...exampleProtocol.connect,
      path: '/v1/socket?key={{apiKey}}',
      subprotocols: ['chat.v1'],
    };
    const result = await play(service, {
      target: { apiKey, protocol: { ...exampleProtocol, authorize: () => ({}), connect } },
    });
    expect(service.upgrades[0]?.path).toBe(`/v1/socket?key=${encodeURIComponent(apiKey)}`);
    expect(service.upgrades[0]?.headers).not.toHaveProperty('authorization');
    expect(details(result)[0]).toContain('wrong key [API key]');
    expect(JSON.stringify(result)).not.toContain(apiKey);
    const keyed = { ...exampleProtocol.connect, subprotocols: ['chat.v1', 'key.{{apiKey}}'] };
    const plain = await openSocketService({ subprotocol: 'chat.v1' });
    const protocol = { ...exampleProtocol, connect: keyed };
    expect(booked(await play(plain, { target: { apiKey: 'tests-8', protocol } })).attempts).toEqual({ ok: 3 });
    expect(plain.upgrades[0]?.headers['sec-websocket-protocol']).toBe('chat.v1,key.tests-8');
  });

  test('is given up with its socket for a key that no subprotocol can carry', async () => {
    const service = await openSocketService();
    const connect = { ...exampleProtocol.connect, subprotocols: ['key.{{apiKey}}'] };
    const protocol = { ...exampleProtocol, connect };
    const { result, left } = await conductClosely(scenario({ target: { apiKey: 'a/b', protocol } }), service);
    expect(booked(result)).toMatchObject({ balanced: true, created: { connect_failed: 1 } });
    expect(left.connections).toBe(0);
    await expect.poll(service.open).toBe(0);
  });

  test('that grants no requested subprotocol is malformed', async () => {
    const service = await openSocketService();
    const connect = { ...exampleProtocol.connect, subprotocols: ['chat.v2'] };
    const grantNone = await openSocketService({ subprotocol: 'chat.v1' });
    const outcomes = [];
    for (const each of [service, grantNone])
      outcomes.push(booked(await play(each, { target: { protocol: { ...exampleProtocol, connect } } })).created);
    expect(outcomes).toEqual([{ ok: 1 }, { malformed: 1 }]);
  });
});

describe('a part of the definition that fails before the socket is opened', () => {
  test.each<[string, Partial<SocketDefinition['connect']>]>([
    ['connect.subprotocols', { subprotocols: () => ['a', 'a'] }],
    ['connect.path', { path: () => JSON.parse('{') as string }],
    ['connect.headers', { headers: () => ({ 'X-A': 'a\r\nb' }) }],
    ['connect.subprotocols', { subprotocols: () => JSON.parse('{') as string[] }],
    ['connect.frames', { frames: () => JSON.parse('{') as unknown }],
  ])('%s ends the run as an error of the scenario, with balanced counters', async (name, changed) => {
    const service = await openSocketService();
    const protocol = { ...exampleProtocol, connect: { ...exampleProtocol.connect, ...changed } };
    const { result } = await conductClosely(scenario({ sessions: 4, target: { protocol } }), service);
    expect(result.books.balanced).toBe(true);
    expect(result.run).toMatchObject({ status: 'stopped', stop: { kind: 'scenario_error' } });
    expect(result.run.stop?.reason).toContain(`target.protocol.${name}`);
    expect(service.counted).toEqual({});
  });

  test('a function of cancel, although no user has left', async () => {
    const service = await openSocketService();
    const protocol = { ...exampleProtocol, cancel: () => JSON.parse('{') as unknown };
    const { result } = await conductClosely(scenario({ target: { protocol } }), service);
    expect(result.run.stop?.reason).toContain('target.protocol.cancel of the scenario failed: it threw a SyntaxError');
  });

  test.each<[string, Partial<SocketDefinition['connect']>]>([
    ['connect.path', { path: '/v1/socket?key={{apiKey}}' }],
    ['connect.subprotocols', { subprotocols: ['key.{{apiKey}}'] }],
    ['connect.frames', { frames: () => ({ token: '{{apiKey}}' }) }],
  ])('%s with {{apiKey}}, if target.auth replaces the key', async (name, changed) => {
    const service = await openSocketService();
    const protocol = { ...exampleProtocol, connect: { ...exampleProtocol.connect, ...changed } };
    const target = { protocol, auth: { bearer: 'a-token-of-tests' } };
    const { result } = await conductClosely(scenario({ target }), service);
    expect(result.run.stop?.reason).toContain(
      `target.protocol.${name} of the scenario failed: it has {{apiKey}}, but target.auth (bearer) replaces the API key`,
    );
    expect(service.upgrades).toEqual([]);
  });
});
