import { describe, expect, test } from 'vitest';
import { SessionLab, type Answer } from '../../test/support/session-lab.ts';
import { bareTarget, eventOf } from '../../test/support/stream-events.ts';
import { instant } from '../base/time.ts';
import { definedProtocol } from '../protocol/defined/defined-protocol.ts';
import type { ChatApi, ReplyStream } from '../protocol/protocol.ts';
import type { Duration } from '../scenario/duration.ts';
import type { Scenario } from '../scenario/scenario.ts';

interface Event {
  to?: string;
}

/** Returns an API whose replies arrive on a stream, or over a WebSocket. */
function listening(transport?: 'websocket') {
  const api = definedProtocol({
    message: { path: '/ask', body: ({ message }) => ({ message }) },
    reply: {
      then: {
        listen: {
          transport,
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
async function run(
  events: readonly (readonly [at: number, event: object | string])[],
  answers: readonly Answer[] = [accepted],
) {
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
    lab.clock.wakeAt(
      instant(at),
      () => void stream?.take(eventOf(typeof event === 'string' ? event : JSON.stringify(event))),
    );
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

  test('is awaited among events without JSON', async () => {
    const { attempts } = await run([[50, '2026-01-01'], [60, ''], [80, reply]]); // prettier-ignore
    expect(attempts).toMatchObject([{ outcome: 'ok', exchange: { endedAt: 80 } }]);
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

  test('is malformed if the stream was answered with another body', async () => {
    const lab = new SessionLab(
      { messages: ['a'], turns: 1, retry: 'none', timeout: '250ms' },
      [{ afterMs: 30, body: '{"hello":1}' }, accepted],
      { api: listening() },
    );
    lab.clock.wakeAt(instant(5), () => void lab.sent[0]?.route.stream?.begin());
    const { attempts } = await lab.run();
    const found = 'was answered with a body that is not a stream of events';
    expect(attempts).toMatchObject([{ outcome: 'malformed', detail: expect.stringContaining(found) as string }]);
    expect(attempts[0]?.detail).toContain('{"hello":1}');
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

describe('a stream whose head arrives with its first event', () => {
  const open: Answer = { afterMs: Infinity };

  /** Runs a turn whose stream opens at this instant, with the reply, or never. */
  async function runLate(
    opensAt: number,
    { stream = open, timeout = '5s' }: { stream?: Answer; timeout?: Duration } = {},
  ) {
    const retry = { maxAttempts: 2, base: '10ms', jitter: 'none' } as const;
    const lab = new SessionLab({ messages: ['a'], turns: 1, retry, timeout }, [stream, accepted, open, accepted], {
      api: listening(),
    });
    if (opensAt < Infinity)
      lab.clock.wakeAt(
        instant(opensAt),
        () => void lab.sent[0]?.route.stream?.begin().take(eventOf(JSON.stringify(reply))),
      );
    return lab.run();
  }

  test('is not awaited for more than 1 s: the message is sent, and the reply has a note', async () => {
    const { sent, attempts } = await runLate(1500);
    expect(sent.map(({ route: { path }, at }) => [path, at])).toEqual([
      ['/events', 0],
      ['/ask', 1000],
    ]);
    expect(attempts).toMatchObject([{ outcome: 'ok', exchange: { sentAt: 1000, endedAt: 1500 } }]);
    expect(attempts[0]?.notes).toEqual([{ rule: 'late_head', detail: '' }]);
  });

  test('is not awaited for more than half of the time-out', async () => {
    const { sent } = await runLate(250, { timeout: '300ms' });
    expect(sent.map(({ at }) => at)).toEqual([0, 150]);
  });

  test.each([1005, 2000])('fails its turn if it is refused at %d ms, and the retry is ambiguous', async (afterMs) => {
    const refused: Answer = { afterMs, status: 429, body: '{"error":"busy"}' };
    const { attempts, retries } = await runLate(Infinity, { stream: refused });
    expect(attempts[0]).toMatchObject({
      outcome: 'rate_limited',
      exchange: { sentAt: 1000, endedAt: Math.max(1010, afterMs) },
    });
    expect(retries).toMatchObject([{ isAmbiguous: true }]);
  });

  test('fails its turn if it cannot be opened after that, and the retry is ambiguous', async () => {
    const unreachable: Answer = { afterMs: 2000, failure: 'connect_failed', detail: 'refused' };
    const { attempts, retries } = await runLate(Infinity, { stream: unreachable });
    expect(attempts[0]).toMatchObject({ outcome: 'connect_failed', exchange: { endedAt: 2000 } });
    expect(retries).toMatchObject([{ isAmbiguous: true }]);
  });

  test('is opened again for the next attempt if it was never answered', async () => {
    const { sent, attempts } = await runLate(Infinity);
    expect(attempts[0]).toMatchObject({
      outcome: 'timed_out',
      detail: expect.stringContaining('had not been answered when the message was sent') as string,
      exchange: { endedAt: 6000 },
    });
    expect(sent.map(({ route: { path } }) => path)).toEqual(['/events', '/ask', '/events', '/ask']);
  });
});

/** Prepares turns whose socket opens 5 ms after each request for it. */
function overSocket(answers: readonly Answer[], scenario: Partial<Scenario> = {}) {
  const api = listening('websocket');
  const lab = new SessionLab({ messages: ['a'], turns: 1, timeout: '250ms', ...scenario }, answers, { api });
  const { send } = lab.stage;
  const frames: string[] = [];
  lab.stage.send = (request, sentAt, leaveAfterMs) => {
    const open = (): void => {
      const reader = request.socket?.begin?.({ isReopened: true, traceparent: '' }).reader;
      lab.clock.wakeAt(instant(sentAt + 25), () => {
        for (const frame of frames) reader?.take(eventOf(frame));
      });
    };
    if (request.socket !== undefined) lab.clock.wakeAt(instant(sentAt + 5), open);
    return send(request, sentAt, leaveAfterMs);
  };
  return (...sent: string[]) => (frames.push(...sent), lab.run());
}

describe('a reply over the socket of its session', () => {
  const open: Answer = { afterMs: Infinity };
  const closing: Answer = { afterMs: 40, status: 101, closeCode: 1013, detail: 'closed' };

  test('is awaited after its acknowledgement, among empty frames', async () => {
    const play = overSocket([open, accepted]);
    const { sent, attempts } = await play('', '  ', JSON.stringify({ ...reply, to: 'other' }), JSON.stringify(reply));
    expect(sent.map(({ route: { path }, at }) => [path, at])).toEqual([
      ['/events', 0],
      ['/ask', 5],
    ]);
    expect(attempts).toMatchObject([{ outcome: 'ok', exchange: { endedAt: 25 } }]);
  });

  test('has the class of the code that closes the socket, and its retry is ambiguous', async () => {
    const play = overSocket([closing, accepted, open, accepted], {
      retry: { maxAttempts: 2, base: '10ms', jitter: 'none' },
    });
    const { attempts, retries } = await play();
    expect(attempts).toMatchObject([
      { outcome: 'rate_limited', exchange: { endedAt: 40, closeCode: 1013 } },
      { outcome: 'timed_out', exchange: { isReopened: true } },
    ]);
    expect(retries).toMatchObject([{ isAmbiguous: true }]);
  });

  test('is malformed with a frame that is not JSON', async () => {
    const play = overSocket([open, accepted], { retry: 'none' });
    const { attempts } = await play('oops', JSON.stringify(reply));
    const detail = expect.stringContaining('a frame that is not JSON') as string;
    expect(attempts).toMatchObject([{ outcome: 'malformed', detail }]);
  });
});
