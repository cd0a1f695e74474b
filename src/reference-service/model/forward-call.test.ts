import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openModel, userMessage } from '../../../test/support/model-service.ts';
import { until } from '../../../test/support/reference-client.ts';

interface Received {
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  isClosed: boolean;
}

/** Opens a real service of one test, with the requests that it received. */
async function openUpstream(answer: (response: ServerResponse) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { url = '', headers } = request;
      const one = { url, headers, body, isClosed: false };
      received.push(one);
      response.once('close', () => (one.isClosed = true));
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, received };
}

const streamed = [
  'data: {"model":"real-1","choices":[{"delta":{"role":"assistant","content":""}}]}\n\n',
  'data: {"model":"real-1","choices":[{"delta":{"content":"Grüße"}}],"usage":null}\n\n',
  'data: {"model":"real-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}\n\ndata: [DONE]\n\n',
];

describe('forwarding', () => {
  test('passes a streamed call byte by byte, and measures it', async () => {
    const { baseUrl, received } = await openUpstream((response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'x-request-id': 'r1',
        connection: 'x-hop, keep-alive',
        'x-hop': '1',
      });
      for (const text of streamed) response.write(text);
      response.end();
    });
    const { post, starts, ends } = await openModel({ forward: { openai: `${baseUrl}/v1` } });
    const body = '{ "model": "m",  "stream": true, "messages": [{"role": "user", "content": "H\\u00e9 é"}] }';
    const headers = { authorization: 'Bearer secret-key', 'x-own': 'yes', 'accept-encoding': 'gzip, br' };
    const reply = await post('/v1/chat/completions?a=b', body, { headers });
    expect([reply.status, reply.body]).toEqual([200, streamed.join('')]);
    expect([reply.headers.get('x-request-id'), reply.headers.get('x-hop')]).toEqual(['r1', null]);
    expect(received).toMatchObject([
      {
        url: '/v1/chat/completions?a=b',
        headers: {
          authorization: 'Bearer secret-key',
          'x-own': 'yes',
          'accept-encoding': 'identity',
          host: baseUrl.slice(7),
        },
      },
    ]);
    expect(received[0]?.body.equals(Buffer.from(body))).toBe(true);
    expect(starts).toMatchObject([{ model: 'm', userText: 'Hé é' }]);
    expect(ends).toMatchObject([
      { outcome: 'ok', model: 'real-1', usage: { inputTokens: 9, outputTokens: 3, cachedInputTokens: 4 } },
    ]);
    expect(ends[0]?.firstContentAt).toBeLessThanOrEqual(ends[0]?.endedAt ?? 0);
    expect(JSON.stringify([starts, ends])).not.toContain('secret-key');
  });

  test.each([
    [200, 'ok'],
    [302, 'upstream_failed'],
    [400, 'rejected'],
    [429, 'rate_limited'],
    [503, 'upstream_failed'],
  ])('counts a reply of status %i as %s, and passes it on', async (status, outcome) => {
    const text = '{"model":"real-1","usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":1}}';
    const { baseUrl, received } = await openUpstream((response) => {
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': text.length, 'retry-after': '7' })
        .end(text);
    });
    const { post, ends } = await openModel({ forward: { anthropic: baseUrl } });
    const reply = await post('/v1/messages', { model: 'm', messages: [userMessage('Hi')] });
    expect([reply.status, reply.body, reply.headers.get('retry-after')]).toEqual([status, text, '7']);
    expect(ends).toMatchObject([{ outcome, status, usage: { inputTokens: 7, outputTokens: 1 } }]);
    expect(received[0]?.url).toBe('/v1/messages');
  });

  test('uses its connections again', async () => {
    const ports = new Set<number | undefined>();
    const { baseUrl } = await openUpstream((response) => {
      ports.add(response.req.socket.remotePort);
      response.end('{}');
    });
    const { chat } = await openModel({ forward: { openai: baseUrl } });
    for (let count = 0; count < 5; count++) await chat();
    expect(ports.size).toBe(1);
  });

  test('answers 502 if the service cannot be reached, and cuts a reply that the service cut', async () => {
    const { chat, ends } = await openModel({ forward: { openai: 'http://127.0.0.1:1/v1' } });
    const reply = await chat();
    expect([reply.status, JSON.parse(reply.body)]).toMatchObject([
      502,
      { error: { type: 'server_error', message: expect.stringContaining('ECONNREFUSED') as string } },
    ]);
    const { baseUrl } = await openUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(streamed[0], () => response.destroy());
    });
    const cutting = await openModel({ forward: { openai: baseUrl } });
    expect(await cutting.chat({ stream: true })).toMatchObject({ isCut: true });
    expect([...ends, ...cutting.ends].map(({ outcome }) => outcome)).toEqual(['upstream_failed', 'upstream_failed']);
  });

  test('ends the request to the service when the agent leaves', async () => {
    const { baseUrl, received } = await openUpstream(
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(streamed[1]),
    );
    const { chat, ends, ended } = await openModel({ forward: { openai: baseUrl } });
    const leaving = new AbortController();
    const reply = chat({ stream: true }, { signal: leaving.signal }).catch(() => undefined);
    await until(() => received.length === 1);
    leaving.abort();
    await reply;
    await ended(1);
    await until(() => received[0]?.isClosed === true);
    expect(ends).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('passes other requests on, and refuses APIs without a service', async () => {
    const { baseUrl, received } = await openUpstream((response) => response.end('[]'));
    const { request, post, ends, others } = await openModel({ forward: { openai: `${baseUrl}/openai/v1/` } });
    expect((await request('/v1/models', {})).body).toBe('[]');
    expect(received[0]?.url).toBe('/openai/v1/models');
    expect(others.requests).toBe(1);
    const refused = await post('/v1/messages', { model: 'm', messages: [userMessage('Hi')] });
    expect([refused.status, refused.body]).toEqual([404, expect.stringContaining('model.forward.anthropic')]);
    expect(ends).toMatchObject([{ outcome: 'rejected' }]);
  });

  /** Opens a service that sends these bytes and closes the connection. */
  async function openRaw(reply: string): Promise<string> {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(reply, 'latin1'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  test.each([
    ['a status below 100', 'HTTP/1.1 099 X\r\ncontent-length: 2\r\n\r\n{}', 502],
    ['an upgrade', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 502],
    ['a reason with control characters', 'HTTP/1.1 200 \x01\x1b[31m\xe9\r\ncontent-length: 2\r\n\r\n{}', 200],
    [
      'headers with names of JavaScript',
      'HTTP/1.1 200 X\r\n__proto__: a\r\nconstructor: b\r\ntostring: c\r\ncontent-length: 2\r\n\r\n{}',
      200,
    ],
  ])('survives %s, of the service and of the agent', async (_, reply, status) => {
    const { chat, request, ends } = await openModel({ forward: { openai: await openRaw(reply) } });
    const headers = { constructor: 'a', valueof: 'b', ['__proto__']: 'c' };
    expect((await chat({}, { headers })).status).toBe(status);
    expect((await request('/v1/models', { headers })).status).toBe(status);
    expect(ends).toMatchObject([{ outcome: status === 200 ? 'ok' : 'upstream_failed' }]);
  });

  test('refuses hosts that are not allowed before anything starts', async () => {
    const forward = { openai: 'https://models.example.com/v1' };
    await expect(openModel({ forward })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('models.example.com') as string,
      hint: expect.stringContaining('--allow-host models.example.com') as string,
    });
    await openModel({ forward }, { allowHosts: ['models.example.com'] });
  });
});

test('a call whose connection is lost is sent once: the service may have performed it', async () => {
  const received: string[] = [];
  const server = createTcpServer((socket) => {
    let count = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      received.push(String(++count));
      if (count === 2) return void socket.resetAndDestroy();
      const body = '{"model":"real","choices":[],"usage":{"prompt_tokens":2,"completion_tokens":1}}';
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { post, ends } = await openModel({ forward: { openai: `http://127.0.0.1:${String(port)}/v1` } });
  const body = JSON.stringify({ model: 'm', messages: [userMessage('Hello')] });
  for (const status of [200, 502, 200]) expect((await post('/v1/chat/completions', body)).status).toBe(status);
  expect(received).toEqual(['1', '2', '1']);
  expect(ends.map(({ outcome }) => outcome)).toEqual(['ok', 'upstream_failed', 'ok']);
});
