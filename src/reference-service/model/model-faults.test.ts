import { describe, expect, test } from 'vitest';
import { dataIn, openModel, userMessage } from '../../../test/support/model-service.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { faultTable, streamFaults, type FaultOptions } from '../../scenario/embedded-faults.ts';

/** The examples of the table, without their times. */
const served = Object.entries(faultTable).filter(([kind]) => !kind.startsWith('socket_'));
const always = served.map(([kind, { example }]) => {
  const times = ['share', 'every', 'first', 'window', 'on', 'until'];
  const fields = Object.entries(example).filter(([name]) => !times.includes(name));
  const duration = 'until' in example ? { for: '5s' } : {};
  return [kind, { kind, ...Object.fromEntries(fields), ...duration } as FaultOptions] as const;
});
const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' };
const body = { model: 'm', max_tokens: 99, messages: [userMessage('Hi')], input: 'Hi' };

describe.each(Object.entries(paths))('faults of %s', (api, path) => {
  test.each(always)('end the call as injected, streamed and not: %s', async (kind, fault) => {
    const clock = new VirtualClock();
    const { post, ends, started, ended } = await openModel({ faults: [fault] }, { clock });
    for (const [index, stream] of [true, false].entries()) {
      const leaving = new AbortController();
      const reply = post(path, { ...body, stream }, { signal: leaving.signal }).catch(() => 'failed');
      await started(index + 1);
      await clock.run();
      if (kind === 'hang') leaving.abort();
      await reply;
      await ended(index + 1);
    }
    const shows = (isStreamed: boolean): boolean =>
      (isStreamed || !(kind in streamFaults)) && !(kind === 'stream_no_done' && api !== 'chat');
    expect(ends.map(({ outcome, fault: injected }) => [outcome, injected])).toEqual(
      [true, false].map((isStreamed) => (shows(isStreamed) ? ['injected', kind] : ['ok', undefined])),
    );
  });
});

describe('faults of the model service', () => {
  test('hold every reply of a freeze until its end, as injected stalls', async () => {
    const clock = new VirtualClock();
    const faults: FaultOptions[] = [{ kind: 'stall', until: 'windowEnd', window: { from: '1s', to: '5s' } }];
    const { chat, ends, started, ended } = await openModel({ latency: '2s', faults }, { clock });
    const replies = [];
    for (const [index, stream] of [true, false].entries()) {
      replies.push(chat({ stream }));
      await started(index + 1);
    }
    await clock.run();
    await Promise.all(replies);
    await ended(2);
    expect(ends.map(({ endedAt, outcome, fault }) => [endedAt, outcome, fault])).toEqual([
      [5000, 'injected', 'stall'],
      [5000, 'injected', 'stall'],
    ]);
  });

  test('remain injected if the agent gives up during one', async () => {
    const clock = new VirtualClock();
    const { chat, ends, started, ended } = await openModel({ faults: [{ kind: 'stall', for: '60s' }] }, { clock });
    const leaving = new AbortController();
    const reply = chat({}, { signal: leaving.signal }).catch(() => undefined);
    await started(1);
    await clock.run(1000);
    leaving.abort();
    await reply;
    await ended(1);
    expect(ends).toMatchObject([{ outcome: 'injected', fault: 'stall', status: 0 }]);
  });

  test('strike by the place of a call, whatever the order of arrival', async () => {
    const struck = async (sessions: readonly number[]) => {
      const place = ({ userText }: { userText: string }) => ({ session: Number(userText), turn: 1, call: 1 });
      const { chat, ends } = await openModel({ faults: [{ kind: 'internal_error', share: 0.3 }] }, { place });
      for (const session of sessions) await chat({ messages: [userMessage(String(session))] });
      return sessions.filter((_, index) => ends[index]?.outcome === 'injected').toSorted((a, b) => a - b);
    };
    const sessions = Array.from({ length: 60 }, (_, index) => index + 1);
    const once = await struck(sessions);
    expect(once.length).toBeGreaterThan(8);
    expect(once.length).toBeLessThan(30);
    expect(await struck(sessions.toReversed())).toEqual(once);
  });

  test('strike each of several equal calls by its own draw, so that a retry can succeed', async () => {
    const { chat } = await openModel({ latency: 0, tokenTime: 0, faults: [{ kind: 'rate_limited', share: 0.5 }] });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++) statuses.push((await chat({})).status);
    expect([...new Set(statuses)].toSorted()).toEqual([200, 429]);
  });

  test('send the error of the API, and an error event within a stream', async () => {
    const { chat } = await openModel({
      faults: [
        { kind: 'rate_limited', retryAfter: '2s', first: 1 },
        { kind: 'stream_error', afterEvents: 2 },
      ],
    });
    const limited = await chat();
    expect([limited.status, limited.headers.get('retry-after'), JSON.parse(limited.body)]).toMatchObject([
      429,
      '2',
      { error: { code: 'rate_limit_exceeded' } },
    ]);
    const events = dataIn((await chat({ stream: true })).body);
    expect(events).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({ error: { type: 'server_error' } });
  });
});

describe('rate limits', () => {
  const clock = () => new VirtualClock();

  test('refuse further requests of a key with the headers of OpenAI', async () => {
    const { chat, ends } = await openModel(
      { limits: { requestsPerMinute: 2, tokensPerMinute: 10_000 } },
      { clock: clock() },
    );
    const key = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
    // In virtual time that stands still, accepted requests stay open.
    const replies = ['a', 'a', 'a', 'b'].map((name) => chat({}, key(name)));
    const over: number[] = [];
    // The end of the service rejects the open ones.
    for (const reply of replies)
      reply.then(
        ({ status }) => over.push(status),
        () => undefined,
      );
    await Promise.race(replies);
    expect(over).toEqual([429]);
    expect(ends).toMatchObject([{ outcome: 'rate_limited', status: 429 }]);
  });

  test('report what is left, and when it is full again', async () => {
    const { chat, ends } = await openModel({ limits: { requestsPerMinute: 1 } });
    await chat();
    const { headers, status, body: text } = await chat();
    expect(status).toBe(429);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect([headers.get('x-ratelimit-limit-requests'), headers.get('x-ratelimit-remaining-requests')]).toEqual([
      '1',
      '0',
    ]);
    expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^(1m0s|59\.\d+s)$/);
    expect(headers.get('retry-after')).toMatch(/^(60|59)$/);
    expect(ends.map(({ outcome }) => outcome)).toEqual(['ok', 'rate_limited']);
  });

  test('have the headers of Anthropic for Messages', async () => {
    const { post } = await openModel({ limits: { tokensPerMinute: 100 } });
    const { headers } = await post('/v1/messages', body);
    expect(headers.get('anthropic-ratelimit-tokens-limit')).toBe('100');
    expect(headers.get('anthropic-ratelimit-tokens-reset')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const limited = await post('/v1/messages', { ...body, messages: [userMessage('word '.repeat(200))] });
    expect([limited.status, JSON.parse(limited.body)]).toMatchObject([429, { error: { type: 'rate_limit_error' } }]);
  });
});
