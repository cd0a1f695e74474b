import { describe, expect, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import type { RawSession } from '../../src/edge/calibrate/raw-connection.ts';
import { runRawLoad, type RawLoad } from '../../src/edge/calibrate/run-raw-load.ts';
import { chatMessaging } from '../../src/protocol/chat-messaging/chat-messaging.ts';
import { bareTarget } from '../support/stream-events.ts';
import { response, unusedPort } from '../support/http-peer.ts';
import { oneAtATime, openChatPeer, replyTo, type ChatPeer } from '../support/probe-peer.ts';

const api = chatMessaging.open({
  ...bareTarget,
  agentId: 'a',
  createSession: { path: '/', body: {}, sessionIdFrom: 'id' },
});

const sessionOf = (id: string): RawSession => ({
  turns: ['one', 'two'].map((message) => ({
    method: 'POST',
    path: '/api/developer/chat/messages',
    headers: { 'content-type': 'application/json' },
    body: api.converse(id).request({ message, variableValues: '' }).body,
    read: (status, body) => api.converse(id).read({ failure: undefined, detail: '', isUtf8: true, status, body }),
  })),
});

const fire = (baseUrl: string, over: Partial<RawLoad> = {}, count = 3): ReturnType<typeof runRawLoad> =>
  runRawLoad({
    origin: new URL(baseUrl),
    headers: { authorization: 'Bearer sk-test-key' },
    sessions: Array.from({ length: count }, (_, index) => sessionOf(`session-${String(index)}`)),
    durationMs: ms(10_000),
    maxTurns: 60,
    timeoutMs: ms(5000),
    stop: new AbortController().signal,
    redact: (text) => text.replaceAll('sk-test-key', '[API key]'),
    ...over,
  });

const idOf = (text: string): string => /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? '';

/** Returns the messages of each connection, in order. */
const conversations = ({ messages, sockets }: ChatPeer): string[][] =>
  sockets.map((socket) => messages.filter((each) => each.socket === socket).map(({ text }) => text));

describe('a raw load by autocannon', () => {
  test('drives a separate session on every connection, and repeats its turns', async () => {
    const peer = await openChatPeer((arrival) => arrival.socket.write(replyTo(arrival)));
    await fire(peer.baseUrl);
    const said = conversations(peer);
    expect(said.map((texts) => new Set(texts.map(idOf)).size)).toEqual([1, 1, 1]);
    expect(new Set(said.map(([first = '']) => idOf(first))).size).toBe(3);
    const [first = []] = said;
    expect(first.slice(0, 3).map((text) => /"message":"(\w+)"/.exec(text)?.[1])).toEqual(['one', 'two', 'one']);
    expect(first[0]).toMatch(/^POST \/api\/developer\/chat\/messages HTTP\/1.1/);
    expect(first[0]).toContain('authorization: Bearer sk-test-key');
  });

  test('has the headers of the scenario, each with its turn', async () => {
    const peer = await openChatPeer((arrival) => arrival.socket.write(replyTo(arrival)));
    const { turns } = sessionOf('session-1');
    const named = turns.map((turn, index) => ({ ...turn, headers: { 'x-turn': String(index + 1) } }));
    await fire(peer.baseUrl, { sessions: [{ turns: named }], maxTurns: 10 });
    const seen = peer.messages.map(({ text }) => [
      /"message":"(\w+)"/.exec(text)?.[1],
      /x-turn: (\d)/i.exec(text)?.[1],
    ]);
    expect(seen.slice(0, 3)).toEqual([
      ['one', '1'],
      ['two', '2'],
      ['one', '1'],
    ]);
  });

  test('describes the first failed turn in short, without secrets', async () => {
    const body = JSON.stringify({ success: false, error: `no sk-test-key${' at all'.repeat(100)}` });
    const peer = await openChatPeer(({ socket }) => socket.write(response(body, { status: '400 Bad Request' })));
    const { example } = await fire(peer.baseUrl, { maxTurns: 5 }, 1);
    expect(example).toMatch(/^bad_request: status 400: no \[API key\] at all/);
    expect(example?.length).toBeLessThan(330);
  });

  test('sends no more turns than it may', async () => {
    const peer = await openChatPeer((arrival) => arrival.socket.write(replyTo(arrival)));
    const { sent, ok, unsteady } = await fire(peer.baseUrl);
    expect([sent, unsteady]).toEqual([60, false]);
    expect(peer.messages.length).toBeLessThanOrEqual(60);
    expect(ok).toBeGreaterThanOrEqual(57);
    expect(ok).toBeLessThanOrEqual(peer.messages.length);
  });

  test('never reports a higher rate than a target can give', async () => {
    const peer = await openChatPeer(oneAtATime(10));
    const { turnsPerSecond, ok } = await fire(peer.baseUrl);
    expect(ok).toBeGreaterThan(50);
    expect(turnsPerSecond).toBeGreaterThan(0);
    expect(turnsPerSecond).toBeLessThanOrEqual(105);
  });

  test('counts a reply that breaks the contract as no answer', async () => {
    const peer = await openChatPeer(({ socket }) => socket.write(response('{"success":true}')));
    const { ok, classes, turnsPerSecond, example } = await fire(peer.baseUrl);
    expect([ok, turnsPerSecond, Object.keys(classes)]).toEqual([0, 0, ['contract_broken']]);
    expect(example).toContain('contract_broken: data is missing');
  });

  test('stops at the first refusal of the key', async () => {
    const peer = await openChatPeer(({ socket }) => socket.write(response('{}', { status: '401 Unauthorized' })));
    const { classes } = await fire(peer.baseUrl, { maxTurns: 10_000 });
    expect(classes.unauthorized).toBeGreaterThan(0);
    // Each connection sends one, and autocannon writes one more before it can be stopped.
    expect(peer.messages.length).toBeLessThanOrEqual(6);
  });

  test('sees that a target closes its connections, which autocannon takes for nothing', async () => {
    const peer = await openChatPeer(({ socket }) => socket.end());
    const { classes, ok, unsteady } = await fire(peer.baseUrl, { maxTurns: 100_000 });
    expect([ok, unsteady]).toEqual([0, true]);
    expect(classes.connection_lost).toBeGreaterThan(20);
    expect(peer.messages.length).toBeLessThan(100);
  });

  test('sees that a target refuses its connections', async () => {
    const port = await unusedPort();
    const { classes, unsteady } = await fire(`http://127.0.0.1:${String(port)}`, { maxTurns: 100_000 });
    expect([Object.keys(classes), unsteady]).toEqual([['connect_failed'], true]);
  });

  test('counts messages that are not answered in time', async () => {
    const peer = await openChatPeer(() => undefined);
    const { classes, ok } = await fire(peer.baseUrl, { timeoutMs: ms(1), durationMs: ms(1500) });
    expect([ok, classes.timed_out]).toEqual([0, 3]);
  });

  test('ends when it is stopped, whatever is in progress', async () => {
    const stop = new AbortController();
    const peer = await openChatPeer(() => stop.abort());
    const { ok, classes } = await fire(peer.baseUrl, { stop: stop.signal, durationMs: ms(3_600_000) });
    expect([ok, classes]).toEqual([0, {}]);
    expect((await fire(peer.baseUrl, { stop: stop.signal })).ok).toBe(0);
  });
});
