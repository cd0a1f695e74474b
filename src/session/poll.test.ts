import { describe, expect, test } from 'vitest';
import { SessionLab, type Answer } from '../../test/support/session-lab.ts';
import { instant, ms } from '../base/time.ts';
import type { ChatApi, ChatRequest, Poll, Received, Verdict } from '../protocol/protocol.ts';
import type { Scenario } from '../scenario/scenario.ts';

const request = (method: string, path: string): ChatRequest => ({
  route: { operation: 'message', method, path, headers: {} },
  body: '',
});

/** Returns an API that is polled every 100 ms while it answers 202. */
const polledWith = (more: Partial<Poll> = {}): ChatApi => ({
  creation: undefined,
  converse: (sessionId) => ({
    sessionId,
    request: () => request('POST', '/ask'),
    poll: ({ status }: Received) =>
      status === 202 || (status === 503 && more.isRepeatable === true)
        ? { request: request('GET', '/answer'), afterMs: ms(100), ...more }
        : undefined,
    read: ({ failure, detail, status, body }: Received): Verdict =>
      failure === undefined && status === 200
        ? { outcome: 'ok', detail: '', reply: { text: body, id: undefined, data: null } }
        : { outcome: failure ?? 'server_error', detail, reply: undefined },
  }),
});

const accepted: Answer = { status: 202, body: '' };
const answered: Answer = { status: 200, body: 'A' };

const lab = (answers: readonly Answer[], scenario: Partial<Scenario> = {}, more: Partial<Poll> = {}): SessionLab =>
  new SessionLab({ messages: ['a'], turns: 1, retry: 'none', ...scenario }, answers, { api: polledWith(more) });

const asked = ({ sent }: SessionLab): [string, number][] => sent.map(({ route: { method }, at }) => [method, at]);

describe('a polled answer', () => {
  test('is one attempt from the first send to the answer', async () => {
    const played = await lab([accepted, accepted, answered]).run();
    expect(asked(played)).toEqual([
      ['POST', 0],
      ['GET', 110],
      ['GET', 220],
    ]);
    expect(played.attempts).toMatchObject([{ outcome: 'ok', exchange: { sentAt: 0, firstByteAt: 10, endedAt: 230 } }]);
  });

  test('that fails while polling has the class of the failed request', async () => {
    const played = await lab([accepted, { failure: 'connection_lost' }]).run();
    expect(played.attempts).toMatchObject([{ outcome: 'connection_lost', exchange: { endedAt: 120 } }]);
  });

  test('that does not arrive within the timeout is timed out at that instant', async () => {
    const played = await lab(Array<Answer>(9).fill(accepted), { timeout: '250ms' }).run();
    expect(played.attempts).toMatchObject([{ outcome: 'timed_out', exchange: { endedAt: 250 } }]);
  });

  test('that arrives after the timeout is timed out', async () => {
    const played = await lab([accepted, { ...answered, afterMs: 300 }], { timeout: '250ms' }).run();
    expect(played.attempts).toMatchObject([{ outcome: 'timed_out' }]);
  });

  test('is not waited for by a user who leaves', async () => {
    const played = await lab(Array<Answer>(9).fill(accepted), { abandon: { share: 1, after: '150ms' } }).run();
    expect(played.attempts).toMatchObject([{ outcome: 'abandoned', exchange: { endedAt: 150 } }]);
  });

  test('is requested again by a retry', async () => {
    const played = await lab([accepted, { status: 503 }, accepted, answered], {
      retry: { jitter: 'none', base: '1s' },
    }).run();
    expect(asked(played).map(([method]) => method)).toEqual(['POST', 'GET', 'POST', 'GET']);
    expect(played.attempts.map(({ outcome }) => outcome)).toEqual(['server_error', 'ok']);
  });

  test('is polled again after a lost connection, without sending the message again', async () => {
    const answers: Answer[] = [accepted, { failure: 'connection_lost' }, { failure: 'connect_failed' }, answered];
    const played = await lab(answers, {}, { isRepeatable: true }).run();
    expect(asked(played)).toEqual([
      ['POST', 0],
      ['GET', 110],
      ['GET', 220],
      ['GET', 330],
    ]);
    expect(played.attempts).toMatchObject([{ outcome: 'ok', exchange: { sentAt: 0, firstByteAt: 10, endedAt: 340 } }]);
  });

  test('is polled again after the wait that a refusal states, if that is longer', async () => {
    const busy: Answer = { status: 503, retryAfter: '2' };
    const played = await lab(
      [accepted, busy, { ...busy, retryAfter: '0' }, answered],
      {},
      { isRepeatable: true },
    ).run();
    expect(asked(played).map(([, at]) => at)).toEqual([0, 110, 2120, 2230]);
  });

  test('whose polls fail until the timeout is timed out, and its example names the last failure', async () => {
    const busy: Answer = { status: 503 };
    const played = await lab([accepted, busy, busy], { timeout: '250ms' }, { isRepeatable: true }).run();
    expect(played.attempts).toMatchObject([
      {
        outcome: 'timed_out',
        exchange: { endedAt: 250 },
        detail: 'the answer did not arrive in time; the latest poll was answered with status 503',
      },
    ]);
  });

  test('whose poll hangs ends at the timeout of the attempt', async () => {
    const played = await lab([accepted, { ...answered, afterMs: 5000 }], { timeout: '250ms' }).run();
    expect(played.attempts).toMatchObject([{ outcome: 'timed_out', exchange: { endedAt: 250 } }]);
  });

  test('ends with the cut of a run between two polls', async () => {
    const played = lab([accepted, { failure: 'aborted', afterMs: 0 }]);
    played.clock.wakeAt(instant(50), () => played.cut());
    await played.run();
    expect(played.attempts).toMatchObject([{ outcome: 'aborted', exchange: { endedAt: 50 } }]);
  });
});
