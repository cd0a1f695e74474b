import { describe, expect, test } from 'vitest';
import { defineProtocol, type Result, type Scenario } from '../../src/index.ts';
import { playRelay } from '../support/play-relay.ts';
import { openSocketRelay } from '../support/socket-relay.ts';

interface Item {
  replyTo?: string;
  text?: string;
  last?: boolean;
}
interface Frame {
  items?: Item[];
}

const itemsOf = ({ items = [] }: Frame): Item[] => items;

/** Returns a protocol whose replies arrive over a WebSocket at the URL of the creation. */
function protocolOf(more: object = {}, connected: object = {}) {
  return defineProtocol({
    name: 'socket-relay',
    createSession: { path: '/rooms', sessionId: 'id', values: { streamUrl: 'streamUrl' } },
    message: { path: '/messages', body: ({ sessionId, message }) => ({ room: sessionId, text: message }) },
    reply: {
      then: {
        listen: {
          transport: 'websocket',
          connect: ({ values }) => ({ path: values['streamUrl'] ?? '', ...connected }),
          match: (frame: Frame, { acknowledgement }) =>
            itemsOf(frame).some(({ replyTo }) => replyTo === (acknowledgement as { id: string }).id),
          text: (frame: Frame) =>
            itemsOf(frame)
              .map(({ text }) => text ?? '')
              .join(''),
          end: (frame: Frame) => itemsOf(frame).some(({ last }) => last === true),
          ...more,
        },
      },
    },
  });
}

const play = (baseUrl: string, more: Partial<Scenario> = {}, target: Partial<Scenario['target']> = {}) =>
  playRelay({ baseUrl, apiKey: 'key-of-the-target', protocol: protocolOf(), ...target }, more);

const failuresOf = ({ outcomes }: Result) =>
  Object.fromEntries(Object.entries(outcomes.attempts).filter(([name, count]) => name !== 'ok' && count > 0));

describe('replies over the WebSocket of a session, next to requests over HTTP', () => {
  test('are matched to their messages, also if they arrive before the acknowledgement', async () => {
    const { baseUrl, counted, closeCodes } = await openSocketRelay();
    const { result, texts } = await play(baseUrl, { sessions: 4 });
    expect(failuresOf(result)).toEqual({});
    expect(texts.toSorted()).toEqual(
      ['one', 'three', 'two'].flatMap((each) => Array<string>(4).fill(`You said ${each}`)),
    );
    expect(counted).toMatchObject({ rooms: 4, upgrades: 4, messages: 12 });
    expect(result.books.balanced).toBe(true);
    expect(result.concurrency.sockets?.max).toBe(2);
    expect(result.transport?.exchanges).toEqual({ http1: 20, http2: 0 });
    expect(result.latency.attempt.maxMs).toBeGreaterThanOrEqual(28);
    await expect.poll(() => closeCodes).toEqual([1000, 1000, 1000, 1000]);
  });

  test('are sent to a socket that was opened with the key, at the origin of the target', async () => {
    const { baseUrl, heads } = await openSocketRelay();
    await play(baseUrl, { turns: 1 });
    expect(heads).toMatchObject([{ authorization: 'Bearer key-of-the-target', upgrade: 'websocket' }]);
  });

  test.each([
    ['break', { connection_lost: 1 }],
    ['broken frame', { malformed: 1 }],
    [1011, { internal_error: 1 }],
    [1000, { truncated: 1 }],
    [4000, { rate_limited: 1 }],
  ] as const)('fail with a socket that ends with %s, and the next turn opens it again', async (fault, failures) => {
    const { baseUrl, counted } = await openSocketRelay({ faultOf: (nth) => (nth === 1 ? fault : undefined) });
    const protocol = protocolOf({ closeCodes: { 4000: 'rate_limited' } });
    const { result } = await play(baseUrl, {}, { protocol });
    expect(failuresOf(result)).toEqual(failures);
    expect(counted).toMatchObject({ upgrades: 2, messages: 3 });
    expect(result.outcomes.reopened).toBe(1);
  });

  test('are malformed if a frame is not JSON; the socket stays open', async () => {
    const { baseUrl, counted } = await openSocketRelay({ faultOf: (nth) => (nth === 1 ? 'text frame' : undefined) });
    const { result } = await play(baseUrl);
    expect(failuresOf(result)).toEqual({ malformed: 1 });
    expect(counted).toMatchObject({ upgrades: 1, messages: 3 });
  });

  test('are waited for until the time-out; a refused message has its class', async () => {
    const { baseUrl, counted } = await openSocketRelay({
      faultOf: (nth) => (nth === 1 ? 'silence' : nth === 2 ? 'refuse' : undefined),
    });
    const { result } = await play(baseUrl, { timeout: '300ms' });
    expect(failuresOf(result)).toEqual({ timed_out: 1, server_error: 1 });
    expect(counted).toMatchObject({ upgrades: 1, messages: 3 });
  });

  test('continue after a socket that was closed between two turns', async () => {
    const { baseUrl, counted } = await openSocketRelay({ hangsUp: true });
    const { result } = await play(baseUrl, { thinkTime: '50ms' });
    expect(failuresOf(result)).toEqual({});
    expect(counted).toMatchObject({ upgrades: 2 });
  });

  test.each([
    [403, { forbidden: 1 }],
    ['silent', { timed_out: 1 }],
  ] as const)('need a socket: an upgrade that is answered with %s fails the turn', async (upgrades, failures) => {
    const { baseUrl, counted } = await openSocketRelay({ upgrades });
    const { result } = await play(baseUrl, { turns: 1, timeout: '200ms' });
    expect(failuresOf(result)).toEqual(failures);
    expect(counted).toMatchObject({ upgrades: 2 });
    expect(counted['messages']).toBeUndefined();
  });

  test('may need frames before the first message, and pings', async () => {
    const { baseUrl, counted } = await openSocketRelay({ awaits: '{"join":"room"}' });
    const protocol = protocolOf({ ready: 'ready', pingInterval: '10ms' }, { frames: { join: 'room' } });
    const { result } = await play(baseUrl, {}, { protocol });
    expect(failuresOf(result)).toEqual({});
    expect(counted['pings']).toBeGreaterThan(0);
  });

  test('may arrive from another origin, which receives no credentials', async () => {
    const { baseUrl, heads } = await openSocketRelay({
      urlOf: (path, port) => `ws://localhost:${String(port)}${path}`,
    });
    const headers = { 'X-Team': 'a' };
    const { result } = await play(baseUrl, {}, { headers, cookies: true });
    expect(failuresOf(result)).toEqual({});
    expect(heads).toHaveLength(1);
    expect(heads[0]).not.toHaveProperty('authorization');
    expect(heads[0]).not.toHaveProperty('x-team');
    const stated = await openSocketRelay({ urlOf: (path, port) => `ws://localhost:${String(port)}${path}` });
    const protocol = protocolOf({}, { headers: { Authorization: 'Bearer stated' } });
    await play(stated.baseUrl, { turns: 1 }, { protocol });
    expect(stated.heads).toMatchObject([{ authorization: 'Bearer stated' }]);
  });

  test('do not arrive from a host that is not allowed', async () => {
    const { baseUrl, counted } = await openSocketRelay({ urlOf: (path) => `wss://stream.example${path}` });
    await expect(play(baseUrl)).rejects.toThrow(
      /reply\.then\.listen\.connect of the scenario failed: it returned a URL of stream\.example, .*--allow-host stream\.example/,
    );
    expect(counted['messages']).toBeUndefined();
  });
});

test('a function that fails when a socket is opened again ends the run with its error', async () => {
  const { baseUrl } = await openSocketRelay({ hangsUp: true });
  let calls = 0;
  const connect = ({ values }: { values: Record<string, string> }) => {
    if (++calls > 1) throw new Error('no second socket');
    return { path: values['streamUrl'] ?? '' };
  };
  const protocol = protocolOf({ connect });
  await expect(play(baseUrl, { thinkTime: '50ms' }, { protocol })).rejects.toThrow(/no second socket/);
});
