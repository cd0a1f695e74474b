import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defineProtocol, type Result, type Scenario } from '../../src/index.ts';
import { playRelay } from '../support/play-relay.ts';

type Fault = 'break' | 'silence' | 'error event' | 'refuse' | undefined;

/** Acknowledges messages, and sends the replies of a conversation over its stream of events, before or after the acknowledgement. */
async function openRelay(faultOf: (nth: number) => Fault = () => undefined) {
  const counted: Record<string, number> = {};
  const count = (name: string): number => (counted[name] = (counted[name] ?? 0) + 1);
  const streams = new Map<string, ServerResponse>();
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      const say = (status: number, value: object): void => {
        answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
      };
      const json = JSON.parse(body || '{}') as { room?: string; text?: string };
      if (request.url === '/rooms')
        return say(201, { id: `r/${String(count('rooms'))}`, pass: `pass-${'x'.repeat(12)}` });
      if (request.headers['x-pass'] !== `pass-${'x'.repeat(12)}`) return say(401, {});
      const [, room] = /^\/rooms\/([^/]+)\/events$/.exec(request.url ?? '') ?? [];
      if (room !== undefined) {
        count('streams');
        streams.set(decodeURIComponent(room), answer);
        answer.on('close', () => count('closed'));
        answer.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': hello\n\n');
        return;
      }
      const nth = count('messages');
      const stream = streams.get(json.room ?? '');
      const push = (event: object): void => void stream?.write(`data: ${JSON.stringify(event)}\n\n`);
      const fault = faultOf(nth);
      if (fault === 'refuse') return say(503, { error: 'busy' });
      push({ replyTo: 'another', delta: 'Not for you.', last: true });
      const isEarly = nth % 2 === 0;
      const id = `m${String(nth)}`;
      const reply = (): void => {
        if (fault === 'break') return void stream?.destroy();
        if (fault === 'silence') return;
        if (fault === 'error event') return push({ replyTo: id, error: 'no model' });
        push({ replyTo: id, delta: `You said ` });
        push({ replyTo: id, delta: String(json.text), last: true });
      };
      if (isEarly) reply();
      setTimeout(() => say(202, { id }), isEarly ? 20 : 0);
      if (!isEarly) setTimeout(reply, 30);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, counted };
}

interface Event {
  replyTo?: string;
}

const protocol = defineProtocol({
  name: 'relay',
  createSession: { path: '/rooms', sessionId: 'id', values: { pass: 'pass' } },
  message: {
    path: '/messages',
    headers: { 'X-Pass': '{{values.pass}}' },
    body: ({ sessionId, message }) => ({ room: sessionId, text: message }),
  },
  reply: {
    then: {
      listen: {
        connect: ({ sessionId, values }) => ({
          path: ['rooms', sessionId, 'events'],
          headers: { 'X-Pass': values['pass'] ?? '' },
        }),
        match: (event: Event, { acknowledgement }) => event.replyTo === (acknowledgement as { id: string }).id,
        text: 'delta',
        end: 'last',
        error: ({ error }: { error?: string }) => (error === undefined ? undefined : 'provider_error'),
      },
    },
  },
});

const play = (baseUrl: string, more: Partial<Scenario> = {}) =>
  playRelay({ baseUrl, auth: 'none', protocol }, { sessions: 4, ...more });

const failuresOf = ({ outcomes }: Result) =>
  Object.fromEntries(Object.entries(outcomes.attempts).filter(([name, count]) => name !== 'ok' && count > 0));

describe('replies on the stream of a session', () => {
  test('are matched to their messages, also if they arrive before the acknowledgement', async () => {
    const { baseUrl, counted } = await openRelay();
    const { result, texts } = await play(baseUrl);
    expect(failuresOf(result)).toEqual({});
    expect(texts.toSorted()).toEqual(
      ['one', 'three', 'two'].flatMap((each) => Array<string>(4).fill(`You said ${each}`)),
    );
    expect(counted).toMatchObject({ rooms: 4, streams: 4, messages: 12 });
    expect(result.books.balanced).toBe(true);
    const { attempt, firstByte } = result.latency;
    expect(attempt.maxMs).toBeGreaterThanOrEqual(28);
    expect(firstByte.count).toBe(12);
  });

  test('end with their sessions: every stream is closed', async () => {
    const { baseUrl, counted } = await openRelay();
    await play(baseUrl);
    await expect.poll(() => counted['closed']).toBe(4);
  });

  test('fail with a stream that breaks, and the next turn opens it again', async () => {
    const { baseUrl, counted } = await openRelay((nth) => (nth === 2 ? 'break' : undefined));
    const { result } = await play(baseUrl, { sessions: 1 });
    expect(failuresOf(result)).toEqual({ connection_lost: 1 });
    expect(counted).toMatchObject({ streams: 2, messages: 3 });
  });

  test('are waited for until the time-out, and a late stream is kept', async () => {
    const { baseUrl, counted } = await openRelay((nth) => (nth === 1 ? 'silence' : undefined));
    const { result } = await play(baseUrl, { sessions: 1, timeout: '300ms' });
    expect(failuresOf(result)).toEqual({ timed_out: 1 });
    expect(counted).toMatchObject({ streams: 1, messages: 3 });
  });

  test('have the class of an error event, or of a refused message', async () => {
    const { baseUrl } = await openRelay((nth) => (nth === 1 ? 'error event' : nth === 2 ? 'refuse' : undefined));
    const { result } = await play(baseUrl, { sessions: 1 });
    expect(failuresOf(result)).toEqual({ provider_error: 1, server_error: 1 });
  });

  test('need a stream that is not refused', async () => {
    const { baseUrl, counted } = await openRelay();
    const listen = {
      ...protocol,
      reply: { then: { listen: { ...listenOf(), connect: () => ({ path: '/rooms/r/events' }) } } },
    };
    const { result } = await play(baseUrl, {
      sessions: 1,
      turns: 1,
      target: { baseUrl, auth: 'none', protocol: listen },
    });
    expect(failuresOf(result)).toEqual({ unauthorized: 1 });
    expect(counted['messages']).toBeUndefined();
  });
});

function listenOf() {
  const listen = 'reply' in protocol ? protocol.reply?.then?.listen : undefined;
  if (listen === undefined) throw new Error('the protocol does not listen');
  return listen;
}
