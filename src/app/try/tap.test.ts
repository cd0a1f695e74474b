import { expect, test } from 'vitest';
import { bareTarget } from '../../../test/support/stream-events.ts';
import { instant } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import type { SenderOptions } from '../../edge/http/open-sender.ts';
import { beginReply } from '../../edge/http/stream/streamed-reply.ts';
import { blankExchange } from '../../edge/http/response/exchange-reading.ts';
import { definedProtocol } from '../../protocol/defined/defined-protocol.ts';
import { unobserved } from '../../protocol/socket-api.ts';
import { Tap } from './tap.ts';

test('the key of a session is not shown, however short it is', async () => {
  const options = { baseUrl: new URL('http://host'), toolVersion: '0', authorization: {} } as unknown as SenderOptions;
  const tap = new Tap({ options, clock: systemClock, redact: (text) => text });
  const headers = { Authorization: 'Bearer {{values.key}}' };
  const createSession = [
    { path: '/s', values: { key: 'key' } },
    { path: '/launch', headers },
  ];
  const protocol = tap.protocol(definedProtocol({ createSession, message: { path: '/m' }, reply: { text: 'a' } }));
  const own = { runId: 'r', uuid: () => 'u', keepSecret: () => undefined };
  const creation = protocol.open(bareTarget).forSession?.(1, unobserved, own).creation;
  if (creation === undefined) throw new Error('nothing is created');
  const answer = { ...blankExchange(instant(0), false), status: 200, body: '{"key":"k-1"}' };
  const send = tap.send(() => Promise.resolve(answer));
  const next = creation.poll?.(await send(creation.request, instant(0)));
  if (next === undefined) throw new Error('nothing is launched');
  await send(next.request, instant(0));
  expect(JSON.stringify(tap.exchanges[0])).not.toContain('k-1');
  expect(JSON.stringify(tap.exchanges[1]?.request)).not.toContain('k-1');
});

test('an event that the next line ended has the time of its own line', async () => {
  const options = { baseUrl: new URL('http://host'), toolVersion: '0', authorization: {} } as unknown as SenderOptions;
  const tap = new Tap({ options, clock: { ...systemClock, now: () => instant(90) }, redact: (text) => text });
  const stream = beginReply(
    { framing: 'sse', isJson: true, begin: () => ({ text: '', hasEnded: false, take: () => 'other', conclude }) },
    { now: instant(0), maxEventBytes: 100, isAnnounced: true },
  );
  const send = tap.send(({ route }) => {
    const format = route.stream;
    if (format === undefined) throw new Error('nothing is streamed');
    const reply = beginReply(format, { now: instant(0), maxEventBytes: 100, isAnnounced: true });
    for (const [at, line] of [
      [10, 'data: {"a":1}\n'],
      [90, 'data: {"a":2}\n'],
    ] as const) {
      reply.beginRead(instant(at));
      reply.take(Buffer.from(line), 0, line.length);
    }
    return Promise.resolve({
      ...blankExchange(instant(0), false),
      endedAt: instant(90),
      status: 200,
      stream: reply.reply,
    });
  });
  const format = { framing: 'sse', isJson: true, begin: () => stream.reply } as const;
  await send(
    { route: { operation: 'message', method: 'POST', path: '/m', headers: {}, stream: format }, body: '' },
    instant(0),
  );
  expect(tap.exchanges[0]?.response.events?.map(({ atMs }) => atMs)).toEqual([10, 90]);
});

const conclude = (): never => {
  throw new Error('no verdict is needed');
};
