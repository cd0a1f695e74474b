import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { creationRules, messageRules } from '../../protocol/chat-messaging/reply-rules.ts';
import { classifyWhole } from '../../protocol/classify-whole.ts';
import type { Exchange } from '../../session/send.ts';
import { messageBody } from '../../protocol/chat-messaging/message-body.ts';
import { answerTo, wholeRequest } from './responder.ts';
import { startResponder } from './start-responder.ts';
import { startTimedResponder } from './start-timed-responder.ts';

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
    answerTo(requestOf(messageBody({ agentId: 'a', sessionId: id, message: 'Hi', variableValues: '' }))),
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

test.each([
  ['responder', startResponder],
  ['timed responder', startTimedResponder],
])('a request without an end costs a %s its connection, and no more memory', async (_, start) => {
  const responder = await start();
  onTestFinished(() => responder.close());
  const socket = connect(Number(responder.baseUrl.port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  socket.write(Buffer.alloc(18 * 1024 ** 2, 'x'));
  expect(await closed).toBe('closed');
});
