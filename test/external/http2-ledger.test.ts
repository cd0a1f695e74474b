import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constants, createServer as createHttp2Server, createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runScenario, type Result } from '../../src/index.ts';
import { requireNginx, startNginx } from '../support/nginx.ts';

const certificate = 'test/fixtures/test-only-localhost.cert.pem';
const certificateKey = 'test/fixtures/test-only-localhost.key.pem';
const turnsByInFlight: readonly (readonly [inFlight: number, turns: number])[] = [
  [1, 40],
  [12, 120],
  [60, 180],
];
const hasNginx = requireNginx();

interface Reply {
  isStreamed: boolean;
  hasLength: boolean;
}
const replies: readonly (readonly [string, Reply])[] = [
  ['whole, with a length', { isStreamed: false, hasLength: true }],
  ['whole, without a length', { isStreamed: false, hasLength: false }],
  ['streamed, with a length', { isStreamed: true, hasLength: true }],
  ['streamed, without a length', { isStreamed: true, hasLength: false }],
];

/** The service's own record of requests. */
interface Ledger {
  ok: number;
  busy: number;
  reset: number;
}

/** A response of either version. */
interface Outgoing {
  /** The HTTP/2 stream. */
  stream?: { close(code: number): void };
  writeHead(status: number, fields?: Record<string, string | number>): unknown;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

describe.each([
  ['TLS', true],
  ['clear text', false],
] as const)('over HTTP/2 by %s, the counts equal those of the service', (_, isSecure) => {
  describe('with node:http2', () => {
    test.each(replies)('whose replies are %s', async (__, reply) => {
      const ledger = newLedger();
      const answer = answerWith(reply, ledger);
      const identity = { key: readFileSync(certificateKey), cert: readFileSync(certificate) };
      const port = await listen(isSecure ? createSecureServer(identity, answer) : createHttp2Server(answer));
      await expectSame(ledger, { reply, isSecure, port });
    });
  });

  describe.runIf(hasNginx)('behind nginx', () => {
    test.each(replies)('whose replies are %s', async (__, reply) => {
      const ledger = newLedger();
      const upstream = await listen(createServer(answerWith(reply, ledger)));
      const secure = `ssl_certificate "${resolve(certificate)}"; ssl_certificate_key "${resolve(certificateKey)}";`;
      const { port } = await startNginx(
        (own) => `
  upstream service { server 127.0.0.1:${String(upstream)}; keepalive 64; }
  server {
    listen 127.0.0.1:${String(own)} ${isSecure ? 'ssl' : ''} http2;
    ${isSecure ? secure : ''}
    keepalive_requests 100000;
    error_log stderr crit;
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`,
      );
      await expectSame(ledger, { reply, isSecure, port });
    });
  });
});

const newLedger = (): Ledger => ({ ok: 0, busy: 0, reset: 0 });

/** Answers two milliseconds after a request, so that several replies are sent at once: every ninth is 503, every twentieth breaks off. */
function answerWith({ isStreamed, hasLength }: Reply, ledger: Ledger) {
  const type = { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' };
  const parts = isStreamed ? eventTexts : [wholeText.slice(0, 40), wholeText.slice(40)];
  const length = hasLength ? { 'content-length': Buffer.byteLength(parts.join('')) } : {};
  let number = 0;
  const reply = (response: Outgoing): void => {
    number++;
    if (number % 9 === 0) {
      ledger.busy++;
      response.writeHead(503);
      response.end();
      return;
    }
    response.writeHead(200, { ...type, ...length });
    response.write(parts[0] ?? '');
    if (number % 20 === 0) {
      ledger.reset++;
      setTimeout(() => breakOff(response, number), 2);
      return;
    }
    ledger.ok++;
    for (const part of parts.slice(1)) response.write(part);
    response.end();
  };
  return (request: Readable, response: Outgoing): void => {
    request.resume();
    request.on('end', () => setTimeout(() => reply(response), 2));
  };
}

/** nginx reads the data sent before an end, but not before a reset, and then resets its own stream. */
function breakOff(response: Outgoing, number: number): void {
  const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR } = constants;
  if (response.stream === undefined) response.destroy();
  else response.stream.close(number % 40 === 0 ? NGHTTP2_CANCEL : NGHTTP2_INTERNAL_ERROR);
}

const completion = { id: 'c', created: 1, model: 'm' };
const wholeText = JSON.stringify({
  ...completion,
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello there' } }],
});
const eventTexts = [
  ...[{ delta: { role: 'assistant', content: 'Hello ' } }, { delta: { content: 'there' } }].map((choice) =>
    eventText({ ...choice, finish_reason: null }),
  ),
  eventText({ delta: {}, finish_reason: 'stop' }),
  'data: [DONE]\n\n',
];
function eventText(choice: object): string {
  const chunk = { ...completion, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Runs with each number in flight, and compares the counts of the result with those of the service. */
async function expectSame(ledger: Ledger, target: { reply: Reply; isSecure: boolean; port: number }): Promise<void> {
  for (const [inFlight, turns] of turnsByInFlight) {
    Object.assign(ledger, newLedger());
    const { books, outcomes, transport } = await play(target, inFlight, turns);
    expect(books.broken).toEqual([]);
    expect({ inFlight, ...nonZero(outcomes.attempts) }).toEqual({
      inFlight,
      ok: ledger.ok,
      server_error: ledger.busy,
      connection_lost: ledger.reset,
    });
    expect(books.turns).toMatchObject({ ok: turns, failed: 0 });
    expect(ledger.ok).toBe(turns);
    expect(transport?.exchanges).toMatchObject({ http1: 0 });
  }
}

const nonZero = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

const play = (
  { reply, isSecure, port }: { reply: Reply; isSecure: boolean; port: number },
  inFlight: number,
  turns: number,
): Promise<Result> =>
  runScenario({
    name: 'ledger',
    sessions: turns,
    turns: 1,
    load: { concurrency: inFlight },
    messages: ['Hello'],
    thinkTime: '0s',
    integrity: false,
    retry: { maxAttempts: 10, base: '1ms', cap: '5ms' },
    target: {
      protocol: 'openai-chat',
      stream: reply.isStreamed,
      http2: true,
      baseUrl: `${isSecure ? 'https' : 'http'}://localhost:${String(port)}`,
      agentId: 'm',
      apiKey: 'a-key',
      ...(isSecure ? { tls: { ca: certificate } } : {}),
    },
  });

async function listen(server: Server): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  return (server.address() as AddressInfo).port;
}
