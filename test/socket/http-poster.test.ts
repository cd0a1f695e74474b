import { gzipSync } from 'node:zlib';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { instant, ms } from '../../src/base/time.ts';
import type { Answer, CheckRequest } from '../../src/conformance/exchanges.ts';
import { openCookieJars } from '../../src/edge/http/request/cookie-jars.ts';
import { openPoster, type PosterOptions } from '../../src/edge/http/open-poster.ts';
import type { RenderedHeaders } from '../../src/plan/header-script.ts';
import { SessionHead } from '../../src/session/session-head.ts';
import { openHttp2Peer } from '../support/http2-peer.ts';
import { openPeer, response, testSenderOptions, unusedPort } from '../support/http-peer.ts';
import { chatMessaging, createRoute, messageRoute } from '../../src/protocol/chat-messaging/chat-messaging.ts';

const asked: CheckRequest = {
  route: { ...messageRoute, path: '/messages?v=1' },
  key: 'good',
  body: '{"message":"Grüße"}',
};

const post = (port: number, over: Partial<PosterOptions> = {}, sent = asked): Promise<Answer> =>
  openPoster({
    ...testSenderOptions(port, { authorize: chatMessaging.authorize, maxBodyBytes: 1000 }),
    baseUrl: new URL(`http://127.0.0.1:${String(port)}/prefix/`),
    keys: { good: 'sk-good', wrong: 'sk-wrong', wrong_kind: 'sk-kind' },
    ...over,
  })(sent);

/** Streamed variant of the request. */
const streamed: CheckRequest = { ...asked, route: { ...asked.route, stream: { framing: 'sse', begin: unread } } };

function unread(): never {
  throw new Error('events of a check are not read as a reply');
}

describe('a single exchange', () => {
  test('sends its body, the requested key and the path after the prefix', async () => {
    const lines = ['Content-Type: application/json', 'Retry-After: 7'];
    const peer = await openPeer(({ socket }) => void socket.write(response('{}', { status: '429 Slow', lines })));
    const answer = await post(peer.port);
    await post(peer.port, {}, { route: createRoute('/sessions'), key: 'wrong_kind', body: '{}' });
    expect(answer).toMatchObject({
      status: 429,
      contentType: 'application/json',
      retryAfter: '7',
      body: '{}',
      failure: undefined,
      detail: '',
    });
    expect(answer.endedAtMs).toBeGreaterThanOrEqual(answer.sentAtMs);
    const [first = '', second = ''] = peer.arrivals.map(({ text }) => text);
    expect(first).toMatch(/^POST \/prefix\/messages\?v=1 HTTP\/1\.1\r\n/);
    expect(first).toContain('Authorization: Bearer sk-good\r\n');
    expect(Buffer.from(first, 'latin1').toString()).toContain('\r\n\r\n{"message":"Grüße"}');
    expect(second).toMatch(/^POST \/prefix\/sessions HTTP\/1\.1\r\n/);
    expect(second).toContain('Authorization: Bearer sk-kind\r\n');
  });

  test('has the headers of the scenario, and sends cookies back', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}', { lines: ['Set-Cookie: sid=1'] })));
    const jar = openCookieJars(new URL(`http://127.0.0.1:${String(peer.port)}`), () => undefined).newJar();
    const headers = { constant: { 'X-Tenant': 'acme', 'user-agent': 'mine' }, ofRequests: ['X-Turn'] };
    const own = (turn: number): RenderedHeaders => ({
      text: turn === 0 ? 'X-Turn: 0\r\n' : 'X-Turn: 1\r\nX-B: a: b\r\n',
      fields: {},
      secrets: [],
    });
    const sources = {
      newTrace: () => ({ id: 'id', parent: 'parent' }),
      newJar: () => jar,
      keepSecret: () => undefined,
    };
    const session = new SessionHead({ headers: own }, sources);
    const head: PosterOptions['head'] = (operation, send) => {
      session.beginTurn(operation === 'create' ? 0 : 1);
      const sentAt = instant(0);
      return session.beginAttempt(send, { session: 1, policy: 0, turn: 1, message: '', sentAt, countedFrom: sentAt });
    };
    const over = { head, headers, cookies: true };
    await post(peer.port, over, { route: createRoute('/sessions'), key: 'good', body: '{}' });
    await post(peer.port, over);
    const shown = /^(x-\w+|user-agent|cookie|traceparent): .*$/gim;
    const [creation, message] = peer.arrivals.map(({ text }) => text.match(shown));
    expect(creation).toEqual(['X-Tenant: acme', 'user-agent: mine', 'X-Turn: 0', 'traceparent: parent']);
    expect(message?.slice(2)).toEqual(['X-Turn: 1', 'X-B: a: b', 'traceparent: parent', 'Cookie: sid=1']);
  });

  test('decodes a compressed body if it is accepted, and rejects it otherwise', async () => {
    const body = gzipSync('{"a":"Grüße"}');
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${String(body.length)}\r\n\r\n`;
    const peer = await openPeer(({ socket }) => void socket.write(Buffer.concat([Buffer.from(head), body])));
    expect(await post(peer.port, { compression: true })).toMatchObject({ status: 200, body: '{"a":"Grüße"}' });
    expect(await post(peer.port, { compression: true, maxBodyBytes: 5 })).toMatchObject({ failure: 'malformed' });
    expect(await post(peer.port)).toMatchObject({ failure: 'malformed' });
    expect(peer.arrivals.map(({ text }) => /accept-encoding: (.*)\r/i.exec(text)?.[1])).toEqual([
      'gzip, br',
      'gzip, br',
      'identity',
    ]);
  });

  test('returns the events of a streamed reply, each with the read that contained its end', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    const peer = await openPeer(async ({ socket }) => {
      // Two chunks in one read, and an event that two reads bring.
      socket.write(head + chunk('event: a\ndata: 1\n\n') + chunk('data: 2\n\ndata: ') + chunk('Gr'));
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      socket.write(chunk('üße\n\ndata: never ended\n') + chunk(''));
    });
    const { events, failure } = await post(peer.port, {}, streamed);
    expect(events?.map(({ type, data, read }) => [type, data, read])).toEqual([
      ['a', '1', 1],
      ['', '2', 1],
      ['', 'Grüße', 2],
      ['', 'never ended', 2],
    ]);
    expect(events?.map(({ isUnseparated = false }) => isUnseparated)).toEqual([false, false, false, true]);
    expect(failure).toBeUndefined();
  });

  test('returns the events of an answer whose streaming was not requested', async () => {
    const lines = ['Content-Type: text/event-stream'];
    const peer = await openPeer(({ socket }) => void socket.write(response('data: 1\n\ndata: 2\n\n', { lines })));
    const { events, body } = await post(peer.port);
    expect([events?.map(({ data }) => data), body.length]).toEqual([['1', '2'], 18]);
  });

  test('works over HTTP/2: events, header fields, a separate connection, and early closing', async () => {
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      const fields = [
        ['content-type', 'text/event-stream'],
        ['retry-after', '7'],
      ] as const;
      connection.head(stream, [[':status', '200'], ...fields]);
      connection.data(stream, 'data: 1\n\ndata: 2\n\n');
      if (number > 1) return;
      setTimeout(() => connection.data(stream, 'data: 3\n\n', true), 20);
    });
    const whole = await post(peer.port, { http2: true }, streamed);
    const left = await post(peer.port, { http2: true }, { ...streamed, leavesEarly: true });
    expect(whole).toMatchObject({ status: 200, contentType: 'text/event-stream', retryAfter: '7', failure: undefined });
    const reads = whole.events?.map(({ read }) => read) ?? [];
    expect(whole.events?.map(({ data }) => data)).toEqual(['1', '2', '3']);
    expect([reads[0] === reads[1], reads[1] === reads[2]]).toEqual([true, false]);
    expect([left.failure, left.events?.length]).toEqual([undefined, 2]);
    expect([peer.arrivals.length, peer.connections.length]).toEqual([2, 2]);
  });

  test('keeps the events of a broken reply, and closes early on request', async () => {
    const begun = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n';
    const chunked = begun.replace('\r\n\r\ndata: 1', '\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1');
    const cut = await openPeer(({ socket }) => void socket.end(`${chunked}\r\n`));
    const endless = await openPeer(({ socket }) => void socket.write(begun));
    const left = await post(endless.port, {}, { ...streamed, leavesEarly: true });
    const late = await post(endless.port, { timeoutMs: ms(50) }, streamed);
    const lost = await post(cut.port, {}, streamed);
    expect([left.failure, left.detail, left.events?.length]).toEqual([undefined, '', 1]);
    expect([late.failure, late.status, late.events?.length]).toEqual(['timed_out', 200, 1]);
    expect([lost.failure, lost.events?.length]).toEqual(['connection_lost', 1]);
  });

  test('omits the key on request', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    await post(peer.port, {}, { ...asked, key: 'none' });
    expect(peer.arrivals[0]?.text).not.toMatch(/authorization/i);
  });

  test('is data however it fails', async () => {
    const silent = await openPeer(() => undefined);
    const rude = await openPeer(({ socket }) => void socket.destroy());
    const broken = await openPeer(({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{'));
    const huge = await openPeer(({ socket }) => void socket.write(response('x'.repeat(1001))));
    const failures = await Promise.all([
      post(silent.port, { timeoutMs: ms(50) }),
      post(rude.port),
      post(broken.port),
      post(huge.port),
      post(await unusedPort()),
    ]);
    expect(failures.map(({ status, body }) => [status, body])).toEqual(failures.map(() => [0, '']));
    expect(failures.map(({ failure }) => failure)).toEqual([
      'timed_out',
      'connection_lost',
      'connection_lost',
      'malformed',
      'connect_failed',
    ]);
    expect(failures.map(({ detail }) => detail)).toEqual([
      'not within 50 ms',
      expect.stringMatching(/closed the connection|ECONNRESET/),
      expect.stringMatching(/closed the connection after|ECONNRESET/),
      'the body of the response is over the limit of 1000 bytes',
      expect.stringContaining('ECONNREFUSED'),
    ]);
  });

  test.each([
    ['Transfer-Encoding: gzip', 'the transfer coding is not supported: "gzip"'],
    ['Transfer-Encoding: br, chunked', 'the transfer coding is not supported: "br"'],
    ['Content-Encoding: gzip', 'Content-Encoding "gzip"'],
  ])('is malformed at once with %s, as in a run, although the server continues', async (line, words) => {
    const peer = await openPeer(({ socket }) => void socket.write(`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`));
    const { failure, status, detail } = await post(peer.port);
    expect([failure, status, detail]).toEqual(['malformed', 0, expect.stringContaining(words)]);
  });

  test('is malformed if its head cannot be read', async () => {
    const peer = await openPeer(({ socket }) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await post(peer.port)).toMatchObject({ failure: 'malformed', status: 0 });
  });

  test('is not begun with a key that no head can carry', () => {
    const keys = { good: 'sk-good', wrong: 'two\nlines', wrong_kind: 'k' };
    expect(() => post(1, { keys })).toThrow(/the API key contains a line break/);
  });
});
