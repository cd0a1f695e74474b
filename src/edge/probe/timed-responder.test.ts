import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { sessionIdIn } from './responder.ts';
import { startTimedResponder } from './start-timed-responder.ts';

test('a timed responder says how long it took over each session, from one hold to the next', async () => {
  const responder = await startTimedResponder();
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
