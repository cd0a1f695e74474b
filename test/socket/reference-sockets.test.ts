import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import type { FaultOptions } from '../../src/scenario/embedded-faults.ts';
import { localhostIdentity } from '../support/localhost-identity.ts';
import { getJson, openService, post, until } from '../support/reference-client.ts';
import { openExample, openSocket, textOf, typesOf, type Frame } from '../support/reference-socket.ts';

describe('/v1/socket', () => {
  test('has one conversation per session, with the values of each message', async () => {
    const { baseUrl, stats } = await openService();
    const { say, sessionId, socket } = await openExample(baseUrl);
    const variables = { customerName: 'Ada', orderNumber: 'ORD-1' };
    const first = await say('Remember this code: QX1', { variables });
    expect(typesOf(first)).toEqual(['typing', 'delta', 'done']);
    expect(textOf(first)).toContain('orderNumber = ORD-1');
    expect(new Set(first.map(({ id }) => id))).toEqual(new Set(['m-1']));
    expect(first.at(-1)).toMatchObject({ usage: { outputTokens: first.length - 2 } });
    expect(textOf(await say('Which code did I tell you? How many turns have we had?', { variables }))).toContain('QX1');
    const { turns } = (await getJson(`${baseUrl}/ledger/${sessionId}`)) as { turns: object[] };
    expect(turns).toHaveLength(2);
    expect(socket.frames[0]).toMatchObject({ type: 'ready', agentId: embeddedDefaults.agentId });
    const { byApi, streams } = stats();
    expect(byApi['chat-messaging']).toMatchObject({
      creates: { received: 1, classes: { ok: 1 } },
      messages: { received: 2, inProgress: 0, classes: { ok: 2 } },
    });
    expect(streams).toMatchObject({ begun: 2, completed: 2 });
  });

  test('continues a session on another socket, if it names it', async () => {
    const { baseUrl, stats } = await openService();
    const { say, sessionId, socket } = await openExample(baseUrl);
    await say('Remember this code: QX1');
    socket.ws.close();
    const again = await openExample(baseUrl, `?session=${sessionId}`);
    expect(again.sessionId).toBe(sessionId);
    expect(textOf(await again.say('Which code did I tell you?'))).toContain('QX1');
    const other = await openExample(baseUrl);
    expect(textOf(await other.say('Which code did I tell you?'))).not.toContain('QX1');
    expect(stats().sessions.created).toBe(2);
  });

  test('stops a reply that is cancelled, and answers the next message', async () => {
    const { baseUrl, stats } = await openService({ stream: { events: 3, gap: '1h' }, faults: [] });
    const { socket, say, ask } = await openExample(baseUrl);
    const reply = say('Hi');
    await until(() => socket.frames.some(({ type }) => type === 'delta'));
    socket.ws.send(JSON.stringify({ type: 'cancel', id: 'm-1' }));
    await until(() => stats().messages.classes.abandoned === 1);
    expect(stats().streams.abandonedMidway).toBe(1);
    await ask({ type: 'message', id: 'm-2', text: 'Hi' }, 'delta');
    socket.ws.close();
    await reply;
    await until(() => stats().messages.inProgress === 0);
    expect(stats().messages.classes.abandoned).toBe(2);
  });

  test('answers an error frame to requests that it refuses', async () => {
    const { baseUrl, stats } = await openService({ rateLimit: { perSecond: 0.1, burst: 4 } });
    const { ask, say } = await openExample(baseUrl);
    expect(await ask({ type: 'hello', id: 7 }, 'error')).toMatchObject([{ id: 7, code: 'bad_request' }]);
    expect(await ask([], 'error')).toMatchObject([{ code: 'bad_request', message: 'Invalid JSON' }]);
    await say('Hi');
    const [refused] = await say('Hi');
    expect(refused).toMatchObject({ type: 'error', id: 'm-1', code: 'rate_limited', message: 'Too many requests' });
    expect(refused?.['retryAfter']).toBe(10);
    expect(stats().messages.classes).toMatchObject({ ok: 1, bad_request: 2, rate_limited: 1 });
  });

  test.each<[string, string, number]>([
    ['/v1/socket', 'nobody', 401],
    ['/v1/socket', embeddedDefaults.wrongTypeApiKey, 403],
    ['/v1/socket?agentId=nobody', embeddedDefaults.apiKey, 404],
    ['/v1/responses', 'nobody', 401],
    ['/v1/nowhere', embeddedDefaults.apiKey, 404],
  ])('refuses the upgrade of %s with the key %s: %i', async (path, key, status) => {
    const { baseUrl, stats } = await openService();
    const headers = { authorization: `Bearer ${key}` };
    await expect(openSocket(baseUrl, path, { headers })).rejects.toThrow(String(status));
    expect(stats().creates.received + stats().unrouted).toBe(1);
  });

  test.each<[FaultOptions, string]>([
    [{ kind: 'rate_limited', on: 'create', retryAfter: '2s' }, '429'],
    [{ kind: 'server_error', on: 'create' }, '503'],
    [{ kind: 'http', status: 401, on: 'create' }, '401'],
    [{ kind: 'reset', on: 'create' }, 'ECONNRESET'],
    [{ kind: 'close', on: 'create' }, 'socket hang up'],
  ])('refuses the upgrade under %j', async (fault, message) => {
    for (const path of ['/v1/socket', '/v1/responses']) {
      const { baseUrl, stats } = await openService({ faults: [fault] });
      await expect(openSocket(baseUrl, path)).rejects.toThrow(message);
      expect(stats().creates).toMatchObject({ received: 1, inProgress: 0, classes: { ok: 0 } });
    }
  });
});

test.each<[FaultOptions, string]>([
  [{ kind: 'hang', on: 'create' }, 'hung'],
  [{ kind: 'stall', for: '1h', on: 'create' }, 'abandoned'],
])('a client that gives up its upgrade under %j is %s', async (fault, outcome) => {
  const { baseUrl, stats } = await openService({ faults: [fault] });
  const opening = openSocket(baseUrl, '/v1/socket', { handshakeTimeout: 100 });
  await expect(opening).rejects.toThrow('Opening handshake has timed out');
  await until(() => stats().creates.inProgress === 0);
  expect(Object.entries(stats().creates.classes).filter(([, count]) => count > 0)).toEqual([[outcome, 1]]);
  await until(() => stats().connections.open === 0);
});

test('a socket of a service with TLS is served likewise, and so is an upgrade that is ignored', async () => {
  const { cert, key } = localhostIdentity;
  const tls = { cert: cert.toString(), key: key.toString() };
  const service = await openService({ faults: [{ kind: 'reset', every: 2 }] }, { tls });
  const baseUrl = service.baseUrl.replace('127.0.0.1', 'localhost');
  const { say, socket } = await openExample(baseUrl, '', { ca: tls.cert });
  expect(typesOf(await say('Hi'))).toEqual(['typing', 'delta', 'done']);
  await say('Hi');
  expect([socket.closed, service.stats().messages.classes.reset]).toEqual([1006, 1]);
  const headers = { connection: 'Upgrade', upgrade: 'h2c' };
  expect(await post(baseUrl, { headers, body: {}, ca: tls.cert })).toMatchObject({ status: 400 });
});

describe('/v1/responses over WebSocket', () => {
  const ended = (frames: readonly Frame[]) => frames.at(-1) as Frame & { response: { id: string } };
  const saidIn = (frames: readonly Frame[]): string =>
    frames.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : [])).join('');

  test.each([true, false])('continues a chain of responses with store: %j', async (store) => {
    const { baseUrl, stats } = await openService();
    const { respond } = await openSocket(baseUrl, '/v1/responses');
    let previous_response_id: string | undefined;
    let last: Frame[] = [];
    for (const input of ['Remember this code: QX1', 'Hi', 'Which code did I tell you? How many turns have we had?']) {
      last = await respond(input, { previous_response_id, store });
      previous_response_id = ended(last).response.id;
    }
    expect(saidIn(last)).toMatch(/turn 3.*QX1|QX1.*turn 3/);
    expect(typesOf(last)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(last.map(({ sequence_number }) => sequence_number)).toEqual(last.map((_, index) => index));
    expect(stats().byApi['openai-responses-websocket']).toMatchObject({
      creates: { received: 1, classes: { ok: 1 } },
      messages: { received: 3, classes: { ok: 3 } },
    });
    expect(stats().turnsStored).toBe(store ? 3 : 0);
    const reconnected = await openSocket(baseUrl, '/v1/responses');
    const after = await reconnected.respond('Which code did I tell you?', { previous_response_id, store });
    if (store) expect(saidIn(after)).toContain('QX1');
    else
      expect(after).toMatchObject([
        { type: 'error', status: 400, error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
      ]);
  });

  test('keeps only the latest response that is not stored, and loses it with a turn that fails', async () => {
    const { baseUrl } = await openService({ faults: [{ kind: 'rate_limited', every: 4, retryAfter: '2s' }] });
    const { respond } = await openSocket(baseUrl, '/v1/responses');
    const store = false;
    const first = ended(await respond('Hi', { store })).response.id;
    const second = ended(await respond('Hi', { store, previous_response_id: first })).response.id;
    const lost = { type: 'error', error: { code: 'previous_response_not_found' } };
    expect(await respond('Hi', { store, previous_response_id: first })).toMatchObject([lost]);
    const third = ended(await respond('Hi', { store, previous_response_id: second })).response.id;
    expect(await respond('Hi', { store, previous_response_id: third })).toMatchObject([
      { type: 'error', status: 429, error: { type: 'requests' }, headers: { 'retry-after': '2' } },
    ]);
    expect(await respond('Hi', { store, previous_response_id: third })).toMatchObject([lost]);
  });

  test('answers one request after another', async () => {
    const { baseUrl, stats } = await openService({ stream: { events: 3, gap: '20ms' } });
    const { socket } = await openSocket(baseUrl, '/v1/responses');
    const create = { type: 'response.create', model: embeddedDefaults.agentId, input: 'Hi' };
    for (let sent = 0; sent < 3; sent++) socket.ws.send(JSON.stringify(create));
    await until(() => stats().messages.classes.ok === 3);
    await until(() => socket.frames.filter(({ type }) => type === 'response.completed').length === 3);
    const begun = socket.frames.flatMap(({ type }, at) => (type === 'response.created' ? [at] : []));
    const over = socket.frames.flatMap(({ type }, at) => (type === 'response.completed' ? [at + 1] : []));
    expect(begun).toEqual([0, ...over.slice(0, 2)]);
  });

  test('counts requests that wait when their socket closes', async () => {
    const { baseUrl, stats } = await openService({ stream: { events: 3, gap: '1h' } });
    const { socket } = await openSocket(baseUrl, '/v1/responses');
    const create = { type: 'response.create', model: embeddedDefaults.agentId, input: 'Hi' };
    for (let sent = 0; sent < 3; sent++) socket.ws.send(JSON.stringify(create));
    await until(() => socket.frames.some(({ type }) => type === 'response.output_text.delta'));
    socket.ws.close();
    await until(() => stats().messages.classes.abandoned === 3);
    expect(stats().messages).toMatchObject({ received: 3, inProgress: 0 });
  });

  test('refuses requests above the maximum age of its socket, and closes it', async () => {
    const { baseUrl, stats } = await openService({ maxSocketAge: '0ms' });
    const { socket, respond } = await openSocket(baseUrl, '/v1/responses');
    expect(await respond('Hi')).toMatchObject([
      { type: 'error', status: 400, error: { code: 'websocket_connection_limit_reached' } },
    ]);
    await until(() => socket.closed === 1000);
    expect(stats().messages).toMatchObject({ received: 1, inProgress: 0, classes: { bad_request: 1 } });
  });

  test('refuses other frames', async () => {
    const { baseUrl } = await openService();
    const { ask } = await openSocket(baseUrl, '/v1/responses');
    expect(await ask({ type: 'session.update' }, 'error')).toMatchObject([
      { status: 400, error: { type: 'invalid_request_error', message: 'type: expected response.create' } },
    ]);
  });
});

test('an upgrade to another protocol is ignored, on a connection that stays open', async () => {
  const { baseUrl, stats } = await openService();
  const { hostname, port } = new URL(baseUrl);
  const raw = connect(Number(port), hostname);
  onTestFinished(() => void raw.destroy());
  let received = '';
  raw.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  const body = JSON.stringify({ model: embeddedDefaults.agentId, input: 'Hi' });
  const post = (more: string): string =>
    `POST /v1/responses HTTP/1.1\r\nHost: x\r\n${more}Authorization: Bearer ${embeddedDefaults.apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  for (const sent of [1, 2]) {
    raw.write(
      post('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'),
    );
    await until(() => stats().messages.classes.ok === sent);
  }
  await until(() => received.split('HTTP/1.1 200 OK').length === 3);
  expect(stats().connections).toEqual({ open: 1, total: 1 });
});
