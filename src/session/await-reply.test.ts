import { describe, expect, test } from 'vitest';
import { SessionLab, type Answer } from '../../test/support/session-lab.ts';
import { bareTarget, eventOf } from '../../test/support/stream-events.ts';
import { instant } from '../base/time.ts';
import { definedProtocol } from '../protocol/defined/defined-protocol.ts';
import type { ChatApi, ReplyStream } from '../protocol/protocol.ts';

interface Event {
  to?: string;
}

/** Returns an API whose replies arrive on a stream, and the streams that were opened. */
function listening() {
  const api = definedProtocol({
    message: { path: '/ask', body: ({ message }) => ({ message }) },
    reply: {
      then: {
        listen: {
          connect: () => ({ path: '/events' }),
          match: (event: Event, { acknowledgement }) => event.to === (acknowledgement as { id: string }).id,
          text: 'text',
          end: 'last',
        },
      },
    },
  }).open(bareTarget);
  return api;
}

const accepted: Answer = { status: 202, body: '{"id":"m"}' };
const reply = { to: 'm', text: 'A', last: true };

/** Runs a turn whose stream opens at 5 ms, with events at these instants. */
async function run(events: readonly (readonly [at: number, event: object])[], answers: readonly Answer[] = [accepted]) {
  const api: ChatApi = listening();
  const open: Answer = { afterMs: Infinity };
  const lab = new SessionLab({ messages: ['a'], turns: 1, retry: 'none', timeout: '250ms' }, [open, ...answers], {
    api,
  });
  let stream: ReplyStream | undefined;
  lab.clock.wakeAt(instant(5), () => {
    stream = lab.sent[0]?.route.stream?.begin();
  });
  for (const [at, event] of events)
    lab.clock.wakeAt(instant(at), () => void stream?.take(eventOf(JSON.stringify(event))));
  return lab.run();
}

describe('a reply on the stream of its session', () => {
  test('is awaited after its acknowledgement; the stream is opened before the message', async () => {
    const { sent, attempts } = await run([[80, reply]]);
    expect(sent.map(({ route: { method, path }, at }) => [method, path, at])).toEqual([
      ['GET', '/events', 0],
      ['POST', '/ask', 5],
    ]);
    expect(attempts).toMatchObject([{ outcome: 'ok', exchange: { sentAt: 5, firstByteAt: 15, endedAt: 80 } }]);
  });

  test('may arrive before its acknowledgement', async () => {
    const { attempts } = await run([[10, reply]]);
    expect(attempts).toMatchObject([{ outcome: 'ok', exchange: { endedAt: 15 } }]);
  });

  test('is not another reply', async () => {
    const { attempts } = await run([
      [10, { ...reply, to: 'other' }],
      [20, { ...reply, to: 'other' }],
    ]);
    expect(attempts).toMatchObject([{ outcome: 'timed_out', exchange: { endedAt: 255 } }]);
  });

  test('is not awaited after a refused message', async () => {
    const { attempts } = await run([[80, reply]], [{ status: 503, body: '' }]);
    expect(attempts).toMatchObject([{ outcome: 'server_error', exchange: { endedAt: 15 } }]);
  });

  test('needs a stream: without one the message is not sent', async () => {
    const api = listening();
    const refused: Answer = { status: 403, body: '' };
    const lab = new SessionLab({ messages: ['a'], turns: 1, retry: 'none' }, [refused, refused], { api });
    const { attempts, sent } = await lab.run();
    expect(attempts).toMatchObject([{ outcome: 'forbidden' }]);
    expect(sent.map(({ route }) => route.path)).toEqual(['/events', '/events']);
  });
});
