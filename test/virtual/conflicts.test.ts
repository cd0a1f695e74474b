import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness } from '../support/virtual-run.ts';

interface Chat {
  /** Duration of the work on a message. */
  workMs?: number;
  /** True if the work ends as soon as the client leaves. */
  stops?: boolean;
  /** Numbers of messages that are refused for another reason. */
  refused?: readonly number[];
  /** Status of its refusals. */
  busy?: number;
  /** Statuses of a gateway, by the numbers of messages. */
  gateway?: Readonly<Record<number, number>>;
  /** Numbers of messages whose connection is lost. */
  lost?: readonly number[];
}

/** Runs a chat that refuses a message with a status, usually 409, while an earlier one of its session is unanswered. */
async function run(
  { workMs = 900, stops = false, refused = [], busy = 409, gateway = {}, lost = [] }: Chat,
  scenario: Partial<Scenario>,
): Promise<Result> {
  const busyUntil = new Map<string, number>();
  let messages = 0;
  const { result } = await witness(
    { sessions: 4, turns: 1, timeout: '600ms', load: { concurrency: 1 }, integrity: false, ...scenario },
    (operation, at, asked) => {
      if (operation === 'create') return { afterMs: 10 };
      const { sessionId } = JSON.parse(asked) as { sessionId: string };
      const conflict = { afterMs: 10, status: busy, body: '{"detail":"Already pending"}' };
      if (refused.includes(++messages) || (busyUntil.get(sessionId) ?? 0) > at) return conflict;
      if (!stops) busyUntil.set(sessionId, at + workMs);
      if (lost.includes(messages)) return { afterMs: 300, failure: 'connection_lost' };
      const status = gateway[messages];
      if (status !== undefined) return { afterMs: 300, status, body: '{}' };
      return workMs > 600 ? { afterMs: 600, failure: 'timed_out' } : { afterMs: workMs };
    },
  );
  expect(result.books.broken).toEqual([]);
  return result;
}

const warningOf = ({ warnings }: Result) =>
  warnings.find(({ code }) => code === 'conflicts_after_unfinished')?.message ?? '';
const detailsOf = ({ examples }: Result) => examples.filter(({ status }) => status === 409).map(({ detail }) => detail);
const retry = { base: '100ms', jitter: 'none', maxAttempts: 2 } as const;
const explained = (count: number) =>
  `${String(count)} of ${String(count)} responses with status 409 or 423 followed an attempt of the same session that had timed out, been abandoned, lost its connection or ended with a gateway's 502: the service may still have been working on it.`;

describe('responses with status 409', () => {
  test('after an attempt that timed out are explained by it', async () => {
    const result = await run({}, { retry });
    expect(result.outcomes.attempts).toMatchObject({ timed_out: 4, http_other: 4 });
    expect(warningOf(result)).toBe(explained(4));
    expect(new Set(detailsOf(result))).toEqual(
      new Set(['after an attempt of this session that timed out: status 409: Already pending']),
    );
  });

  test('are explained although another one has another cause', async () => {
    const result = await run({ refused: [1] }, { retry, sessions: 12 });
    expect(warningOf(result)).toMatch(/^11 of 12 responses/);
  });

  test('have the same meaning as those with 423', async () => {
    const result = await run({ busy: 423 }, { retry });
    expect(warningOf(result)).toBe(explained(4));
  });

  test('do not end a run whose first messages nobody awaited, nor do other refusals after such work', async () => {
    for (const busy of [409, 423, 400, 422]) {
      const result = await run({ busy }, { retry, sessions: 20 });
      expect([busy, result.run.stop]).toEqual([busy, null]);
      expect(result.outcomes.attempts.timed_out).toBe(20);
    }
  });

  test.each([502, 504, 524])('after a gateway that did not wait (%i) are explained by it', async (status) => {
    const result = await run({ gateway: { 1: status, 3: status, 5: status, 7: status } }, { retry });
    expect(result.outcomes.attempts).toMatchObject({ server_error: 4, http_other: 4 });
    expect(warningOf(result)).toBe(explained(4));
  });

  test('after an attempt whose connection was lost are explained by it', async () => {
    const result = await run({ lost: [1, 3, 5, 7] }, { retry });
    expect(result.outcomes.attempts).toMatchObject({ connection_lost: 4, http_other: 4 });
    expect(warningOf(result)).toBe(explained(4));
    expect(detailsOf(result)[0]).toMatch(/^after an attempt of this session that lost its connection: /);
  });

  test('after a turn that failed with a time-out are explained by it', async () => {
    const result = await run({}, { retry: 'none', turns: 2, onFailedTurn: 'continue', thinkTime: '50ms' });
    expect(warningOf(result)).toBe(explained(4));
  });

  test('without such an attempt are not explained', async () => {
    const result = await run({ workMs: 100, refused: [1, 2] }, { retry: 'none' });
    expect(result.outcomes.attempts).toMatchObject({ ok: 2, http_other: 2 });
    expect([warningOf(result), ...detailsOf(result)]).toEqual([
      '',
      ...detailsOf(result).map(() => 'status 409: Already pending'),
    ]);
  });

  test('are not explained if only some follow such an attempt', async () => {
    const result = await run({ refused: [1] }, { retry });
    expect(result.outcomes.attempts).toMatchObject({ timed_out: 3, http_other: 4 });
    expect(warningOf(result)).toBe('');
  });

  test('are not explained by an attempt before an ok turn', async () => {
    const result = await run(
      { workMs: 100, gateway: { 1: 504 }, refused: [3] },
      { sessions: 1, turns: 2, retry: { ...retry, base: '1s' }, onFailedTurn: 'continue' },
    );
    expect(result.outcomes.attempts).toMatchObject({ server_error: 1, ok: 1, http_other: 1 });
    expect([warningOf(result), ...detailsOf(result)]).toEqual(['', 'status 409: Already pending']);
  });
});

test('a service that stops when its client leaves has no such responses', async () => {
  const result = await run({ stops: true }, { retry });
  expect([result.outcomes.attempts.http_other, warningOf(result)]).toEqual([0, '']);
});
