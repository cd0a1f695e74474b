import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { creationRules, messageRules } from '../../protocol/chat-messaging/reply-rules.ts';
import { classifyWhole } from '../../protocol/classify-whole.ts';
import type { Exchange } from '../../session/send.ts';
import { messageBody } from '../../protocol/chat-messaging/chat-messaging.ts';
import { answerTo, sessionIdIn, wholeRequest } from './responder.ts';
import { startResponder } from './start-responder.ts';

const requestOf = (body: string): string =>
  `POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;

function exchangeOf(response: string): Exchange {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(body.length);
  return { status: Number(head.split(' ')[1]), body, failure: undefined, isUtf8: true, detail: '' } as Exchange;
}

test('the responder creates sessions and keeps the contract of replies', () => {
  const created = exchangeOf(answerTo(requestOf('{"agentId":"a"}')));
  const { outcome, reply: session } = classifyWhole(created, creationRules('data.sessionId'));
  expect(outcome).toBe('ok');
  const id = session?.id ?? '';
  const reply = exchangeOf(
    answerTo(
      requestOf(messageBody({ agentText: '"a"', sessionText: JSON.stringify(id), message: 'Hi', variableValues: '' })),
    ),
  );
  expect(classifyWhole(reply, messageRules, id).outcome).toBe('ok');
  expect(classifyWhole(reply, messageRules, 'another').outcome).toBe('contract_broken');
});

test('the responder waits for the whole of a request', () => {
  const request = requestOf('{"agentId":"a"}');
  expect(wholeRequest(request)).toBe(request);
  const withFields = request.replace('\r\n\r\n', '\r\nX-Turn: 1\r\n\r\n');
  expect(wholeRequest(withFields)).toBe(withFields);
  for (const cut of [10, request.length - 16, request.length - 1])
    expect(wholeRequest(request.slice(0, cut))).toBeUndefined();
});

test('a request without an end costs a responder its connection, and no more memory', async () => {
  const responder = await startResponder();
  onTestFinished(() => responder.close());
  const socket = connect(Number(responder.baseUrl.port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  socket.write(Buffer.alloc(18 * 1024 ** 2, 'x'));
  expect(await closed).toBe('closed');
});

test('a timed responder reports its time for each session, from one hold to the next', async () => {
  const responder = await startResponder();
  const post = async (body: string): Promise<string> => {
    const socket = connect(Number(responder.baseUrl.port), '127.0.0.1');
    socket.write(`POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return bytes.toString();
  };
  try {
    await responder.hold(ms(30));
    const sessionId = sessionIdIn(await post('{"agentId":"a"}'));
    for (const message of ['one', 'two']) await post(JSON.stringify({ agentId: 'a', sessionId, message }));
    const [only, ...others] = await responder.account();
    expect(others).toEqual([]);
    expect(only?.createMs).toBeGreaterThanOrEqual(0);
    expect(only?.turnMs).toHaveLength(2);
    // A timer of Node.js may fire up to a millisecond early, never more.
    for (const took of only?.turnMs ?? []) expect(took).toBeGreaterThan(28.9);
    await responder.hold(ms(0));
    expect(await responder.account()).toEqual([]);
  } finally {
    await responder.close();
  }
});

test('the responder speaks HTTP/2 too', async () => {
  const responder = await startResponder();
  const session = connectHttp2(responder.baseUrl);
  try {
    const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions' }).end('{}');
    expect(await text(stream)).toContain('chat.completion');
    const creation = session.request({ ':method': 'POST', ':path': '/sessions' }).end('{"agentId":"a"}');
    const [head] = (await once(creation, 'response')) as [{ ':status': number }];
    expect([head[':status'], sessionIdIn(await text(creation))]).toEqual([201, expect.stringMatching(/^session-/)]);
  } finally {
    session.destroy();
    await responder.close();
  }
});
