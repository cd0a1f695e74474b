import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { finishedClassNames, type FinishedClass } from '../../src/protocol/outcome.ts';
import { conduct } from '../support/conduct.ts';

/** Action of the peer after a complete message request. */
type Act = (socket: Socket) => void;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A bare peer: creates sessions well, and answers messages as configured. Returns its base URL. */
function openPeer(act: Act): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return;
      const isCreation = text.startsWith('POST /api/developer/chat/sessions ');
      text = '';
      if (isCreation) socket.write(response('201 Created', '{"data":{"sessionId":"s1"}}'));
      else act(socket);
    });
  });
  stops.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`));
  });
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  return head !== -1 && text.length >= head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
}

const response = (status: string, body: string, head = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${head}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
const answer =
  (status: string, body: unknown, head?: string): Act =>
  (socket) =>
    socket.write(response(status, typeof body === 'string' ? body : JSON.stringify(body), head));
const error = (status: string, text: string): Act => answer(status, { success: false, error: text });

const data = {
  response: 'Hi',
  chatId: 'c',
  sessionId: 's1',
  isSession: true,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const good = { success: true, data };
const without = (field: keyof typeof data): unknown => ({
  success: true,
  data: Object.fromEntries(Object.entries(data).filter(([name]) => name !== field)),
});

const cases: [FinishedClass, string, Act, Partial<Scenario>?][] = [
  ['ok', 'a reply that keeps the contract', answer('200 OK', good)],
  ['ok', 'a reply with fields of its own', answer('200 OK', { ...good, cost: 1, data: { ...data, conversation: [] } })],
  [
    'ok',
    'an empty reply text that the integrity guard does not look at',
    answer('200 OK', { success: true, data: { ...data, response: '' } }),
    { integrity: false },
  ],
  ['missing_fields', '400 with that text', error('400 Bad Request', 'Agent ID, message, and session ID are required')],
  ['chat_disabled', '400 with that text', error('400 Bad Request', 'Agent does not have chat enabled')],
  ['bad_request', 'any other 400', error('400 Bad Request', 'no')],
  ['unauthorized', '401', error('401 Unauthorized', 'bad key')],
  ['forbidden', '403', error('403 Forbidden', 'wrong type')],
  ['agent_not_found', '404 with that text', error('404 Not Found', 'Agent not found')],
  ['not_found', 'any other 404', answer('404 Not Found', '<html>')],
  ['rate_limited', '429', error('429 Too Many Requests', 'slow down')],
  ['internal_error', '500 with that text', error('500 Internal Server Error', 'Internal server error')],
  ['server_error', 'any other 500', error('500 Internal Server Error', 'boom')],
  ['server_error', 'a bare 503 of a gateway', answer('503 Service Unavailable', '')],
  ['provider_rate_limited', 'the provider’s 429', error('429 Too Many Requests', 'Chat provider error')],
  ['provider_error', 'the provider’s 5xx', error('529 Overloaded', 'Chat provider error')],
  [
    'provider_rejected',
    'the provider’s 401, which breaks no circuit',
    error('401 Unauthorized', 'Chat provider error'),
  ],
  ['provider_rejected', 'the provider’s error with 200', error('200 OK', 'Chat provider error')],
  ['http_other', 'a redirect, which is not followed', answer('302 Found', '', 'Location: /elsewhere\r\n')],
  ['ok', '201 with a reply', answer('201 Created', good)],
  ['http_other', '202 without a reply', answer('202 Accepted', '{}')],
  ['connect_failed', 'a port where nobody listens', () => undefined],
  ['connection_lost', 'a reset', (socket) => void socket.resetAndDestroy()],
  ['connection_lost', 'a close before the response', (socket) => void socket.end()],
  ['connection_lost', 'a close in the head', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-')],
  [
    'connection_lost',
    'a close before the declared length',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"success"'),
  ],
  [
    'connection_lost',
    'a close within chunks',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"suc'),
  ],
  ['timed_out', 'silence', () => undefined, { timeout: '1s' }],
  [
    'timed_out',
    'half a response, then silence',
    (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{'),
    { timeout: '1s' },
  ],
  ['malformed', 'what is not HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n')],
  ['malformed', '200 whose body is not JSON', answer('200 OK', '<html>busy</html>')],
  [
    'malformed',
    'a head over the limit',
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(3000)}\r\n`),
    { maxHeadBytes: 2048 },
  ],
  [
    'malformed',
    'a body over the limit',
    answer('200 OK', JSON.stringify(good) + ' '.repeat(3000)),
    { maxBodyBytes: 2048 },
  ],
  ['contract_broken', 'JSON that is no object', answer('200 OK', '[]')],
  ['contract_broken', 'success false', answer('200 OK', { ...good, success: false })],
  ...(Object.keys(data) as (keyof typeof data)[]).map((field): [FinishedClass, string, Act] => [
    field === 'response' ? 'contract_broken' : 'ok',
    `no ${field}`,
    answer('200 OK', without(field)),
  ]),
  [
    'contract_broken',
    'another session’s id, without a guard',
    answer('200 OK', { success: true, data: { ...data, sessionId: 's2' } }),
    { integrity: false },
  ],
  [
    'check_failed',
    'another session’s id',
    answer('200 OK', { success: true, data: { ...data, sessionId: 's2' } }),
    { integrity: 'passive' },
  ],
  ['contract_broken', 'isSession not true', answer('200 OK', { success: true, data: { ...data, isSession: false } })],
  [
    'truncated',
    'a stream that ends before its end',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: nothing yet\n\n'),
    { target: { protocol: 'openai-chat', stream: true } },
  ],
  ['abandoned', 'silence that a user does not wait for', () => undefined, { abandon: { share: 1, after: '50ms' } }],
  ['check_failed', 'an empty reply text', answer('200 OK', { success: true, data: { ...data, response: '' } })],
  [
    'check_failed',
    'a reply that breaks a check of the scenario',
    answer('200 OK', good),
    { checks: { polite: () => true, long: (reply) => reply.length > 9 } },
  ],
  [
    'check_failed',
    'a check that throws',
    answer('200 OK', good),
    {
      checks: {
        broken: () => {
          throw new Error('oops');
        },
      },
    },
  ],
  [
    'ok',
    'a reply that passes every check',
    answer('200 OK', good),
    { checks: { short: (reply, { message, turn }) => reply === 'Hi' && message === 'Hi' && turn.number === 1 } },
  ],
];

describe('through real sockets', () => {
  test.each(cases)('%s: %s', async (outcome, name, act, scenario = {}) => {
    const baseUrl = await openPeer(act);
    if (name.startsWith('a port')) stops.splice(0).forEach((stop) => stop());
    const result = await conduct(scenario, { baseUrl });
    if (outcome === 'connect_failed') {
      expect(result.outcomes.createAttempts.connect_failed).toBe(1);
      return;
    }
    expect([result.outcomes.attempts[outcome], result.outcomes.turns[outcome]]).toEqual([1, 1]);
    expect(result.books).toMatchObject({ balanced: true, attempts: { total: 1 }, turns: { sent: 1 } });
    if (outcome !== 'ok')
      expect(result.examples).toMatchObject([{ outcome, session: 1, turn: 1, operation: 'message' }]);
  });

  test('every class of an attempt has its case', () => {
    const covered = new Set(cases.map(([outcome]) => outcome));
    expect(finishedClassNames.filter((name) => !covered.has(name))).toEqual([]);
  });

  test('a connection that is lost while being reused is stale, and its message is not sent again', async () => {
    let messages = 0;
    const baseUrl = await openPeer((socket) => {
      messages += 1;
      if (messages === 1) socket.write(response('200 OK', JSON.stringify(good)));
      else socket.destroy();
    });
    const result = await conduct({ turns: 3 }, { baseUrl });
    expect([messages, result.outcomes.stale, result.outcomes.attempts.connection_lost]).toEqual([2, 1, 1]);
  });
});
