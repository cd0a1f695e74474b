import inject, { type DispatchFunc } from 'light-my-request';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../test/support/reference-client.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../scenario/embedded.ts';
import { messagesPath, sessionsPath } from '../protocol/chat-messaging/api.ts';
import { scriptedProvider } from './conversation/scripted-provider.ts';
import { createService } from './service.ts';
import { loadApis } from './apis/registry.ts';

const apis = await loadApis();

const { agentId, apiKey } = embeddedDefaults;

/** A service in virtual time, reached without a socket. */
function openService(author: EmbeddedOptions) {
  const clock = new VirtualClock();
  const options = embeddedOptions.parse(author);
  const service = createService({ options, apis, provider: scriptedProvider(options, clock), clock });
  onTestFinished(() => service.close());
  const dispatch: DispatchFunc = (request, response) => void service.server.emit('request', request, response);
  const post = async (url: string, payload: object) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const { statusCode, body } = await inject(dispatch, { method: 'POST', url, headers, payload });
    return { status: statusCode, body: JSON.parse(body) as { data?: { sessionId?: string; createdAt?: string } } };
  };
  const create = async (): Promise<string> => (await post(sessionsPath, { agentId })).body.data?.sessionId ?? '';
  /** Lets requests arrive before time continues. */
  const received = (count: number): Promise<void> => until(() => service.stats().messages.received === count);
  return { clock, service, dispatch, post, create, received };
}

describe('the service in virtual time', () => {
  test('sends every reply that falls into a freeze at its end, and every other one on time', async () => {
    const { clock, service, post, create, received } = openService({
      latency: '1s',
      faults: [{ kind: 'stall', until: 'windowEnd', window: { from: '2s', to: '5s' } }],
    });
    const replies: string[] = [];
    let asked = 0;
    const ask = (sessionId: string, payload: object): Promise<void> => {
      const askedAt = clock.now();
      void post(messagesPath, { agentId, sessionId, ...payload }).then(({ status }) =>
        replies.push(`${String(askedAt)} -> ${String(clock.now())}: ${String(status)}`),
      );
      return received(++asked);
    };
    const message = 'Hi';
    for (const at of [0, 1000, 1500, 3000, 4500, 6000]) {
      const sessionId = await create();
      await clock.run(at);
      await ask(sessionId, { message });
      if (at === 3000) await ask(sessionId, {});
    }
    await clock.run();
    expect(replies).toEqual([
      '0 -> 1000: 200',
      '1000 -> 5000: 200',
      '1500 -> 5000: 200',
      '3000 -> 5000: 400',
      '3000 -> 5000: 200',
      '4500 -> 5500: 200',
      '6000 -> 7000: 200',
    ]);
    const { stalled, serviceTime } = service.stats().messages;
    expect([stalled, serviceTime.count, Math.round(serviceTime.maxMs ?? 0)]).toEqual([4, 7, 4000]);
  });

  test('sends a stalled reply after its latency and the stall, and keeps the session waiting meanwhile', async () => {
    const { clock, post, create, received } = openService({
      latency: '1s',
      faults: [{ kind: 'stall', for: '3s', first: 1 }],
    });
    const sessionId = await create();
    const ended: number[] = [];
    for (const message of ['a', 'b'])
      void post(messagesPath, { agentId, sessionId, message }).then(() => ended.push(clock.now()));
    await received(2);
    await clock.run();
    expect(ended).toEqual([4000, 5000]);
  });

  test('counts a reply that is stalled into a freeze once', async () => {
    const { clock, service, post, create, received } = openService({
      faults: [
        { kind: 'stall', for: '2s' },
        { kind: 'stall', until: 'windowEnd', window: { from: '1s', to: '5s' } },
      ],
    });
    const reply = post(messagesPath, { agentId, sessionId: await create(), message: 'Hi' });
    await received(1);
    await clock.run();
    expect([(await reply).status, clock.now(), service.stats().messages.stalled]).toEqual([200, 5000, 1]);
  });

  test('treats a session that is being served as last used', async () => {
    const { clock, dispatch, post, create, received } = openService({ latency: '1s', maxSessions: 2 });
    const sessionId = await create();
    await create();
    const reply = post(messagesPath, { agentId, sessionId, message: 'Hi' });
    await received(1);
    await create();
    await clock.run();
    expect((await reply).status).toBe(200);
    expect((await inject(dispatch, `/ledger/${sessionId}`)).statusCode).toBe(200);
  });

  test('forgets a session that was idle too long, and returns times of the wall clock', async () => {
    const { clock, post, create } = openService({ maxIdle: '10m' });
    const sessionId = await create();
    await clock.run(9 * 60_000);
    const { body } = await post(messagesPath, { agentId, sessionId, message: 'Hi' });
    expect(body.data?.createdAt).toBe('2026-01-01T00:09:00.000Z');
    await clock.run(19 * 60_000 - 1);
    expect((await post(messagesPath, { agentId, sessionId, message: 'Hi' })).status).toBe(200);
    await clock.run(29 * 60_000);
    expect((await post(messagesPath, { agentId, sessionId, message: 'Hi' })).status).toBe(404);
  });
});
