import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../src/reference-service/embedded.ts';
import { embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { openExample, openSocket, textOf } from '../support/reference-socket.ts';

/** A service in three processes, among which connections are distributed round-robin. */
async function open(options: EmbeddedOptions = {}) {
  const service = await startEmbedded(embeddedOptions.parse(options), { cores: 3 });
  onTestFinished(() => service.close());
  return service;
}

const connections = [1, 2, 3, 4];

// With a capacity, one process has all sessions.
test.each<EmbeddedOptions>([{}, { capacity: 100 }])(
  'sockets of a service in several processes have one conversation per session: %j',
  async (options) => {
    const { baseUrl, stats } = await open(options);
    const first = await openExample(baseUrl);
    await first.say('Remember this code: QX1');
    for (const [index] of connections.entries()) {
      const { say, sessionId } = await openExample(baseUrl, `?session=${first.sessionId}`);
      expect(sessionId).toBe(first.sessionId);
      const text = textOf(await say('Which code did I tell you? How many turns have we had?'));
      expect(text).toContain(`This is turn ${String(index + 2)}. `);
      expect(text).toContain('QX1');
    }
    expect(await stats()).toMatchObject({
      sessions: { created: 1 },
      creates: { received: 5, inProgress: 0, classes: { ok: 5 } },
      messages: { received: 5, inProgress: 0, classes: { ok: 5 } },
      streams: { completed: 5 },
    });
  },
);

test.each<EmbeddedOptions>([{}, { capacity: 100 }])(
  'chains of responses that only their sockets have stay there: %j',
  async (options) => {
    const { baseUrl } = await open(options);
    for (const code of connections.map((number) => `QX${String(number)}`)) {
      const { respond } = await openSocket(baseUrl, '/v1/responses');
      const [{ response }] = (await respond(`Remember this code: ${code}`, { store: false })) as unknown as [
        { response: { id: string } },
      ];
      const chained = { store: false, previous_response_id: response.id };
      const other = await openSocket(baseUrl, '/v1/responses');
      expect(JSON.stringify(await other.respond('Hi', chained))).toContain('previous_response_not_found');
      expect(JSON.stringify(await respond('Which code did I tell you?', chained))).toContain(code);
    }
  },
);

test('faults end sockets of any process', async () => {
  const faults: EmbeddedOptions['faults'] = [{ kind: 'socket_close', code: 4429, first: 4 }];
  const { baseUrl, stats } = await open({ faults });
  const closed: (number | undefined)[] = [];
  for (let opened = 0; opened < 4; opened++) {
    const { say, socket } = await openExample(baseUrl);
    await say('Hi');
    closed.push(socket.closed);
  }
  expect(closed).toEqual(connections.map(() => 4429));
  expect((await stats()).messages.classes.rate_limited).toBe(4);
});

test('users who leave end replies of any process', async () => {
  const { baseUrl, stats } = await open({ capacity: 100, stream: { gap: '1h' } });
  for (let opened = 0; opened < 4; opened++) {
    const { ask, socket } = await openExample(baseUrl);
    await ask({ type: 'message', id: 1, text: 'Hi' }, 'delta');
    socket.ws.send(JSON.stringify({ type: 'cancel', id: 1 }));
  }
  // The test's own time limit bounds it.
  while ((await stats()).messages.classes.abandoned < 4);
  expect((await stats()).messages).toMatchObject({ received: 4, inProgress: 0 });
});
