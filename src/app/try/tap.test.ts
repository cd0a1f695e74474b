import { expect, test } from 'vitest';
import { bareTarget } from '../../../test/support/stream-events.ts';
import { instant } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import type { SenderOptions } from '../../edge/http/open-sender.ts';
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
