import { describe, expect, test } from 'vitest';
import { instant, ms, type Instant } from '../base/time.ts';
import type { Access } from '../plan/resolve-auth.ts';
import { created, okReply, refusal, SessionLab, type Answer } from '../../test/support/session-lab.ts';

const unauthorized = refusal(401, 'unauthorized');

/** Runs a session whose token expires at a chosen time. */
function play(answers: readonly Answer[], access: Partial<Access>, retry: 'none' | object = {}): SessionLab {
  const lab = new SessionLab({ retry, messages: ['Hi'] }, answers);
  const counts = { fetched: 1, failed: 0, retried: 0 };
  const never = new Promise<never>(() => undefined);
  const whole: Access = {
    credential: 'x',
    follow: () => () => undefined,
    mayHaveEnded: () => true,
    renewedSince: () => Promise.resolve(true),
    retried: () => {
      counts.retried++;
    },
    counts,
    lost: never,
    close: () => undefined,
    ...access,
  };
  Object.assign(lab.stage, { access: whole });
  return lab;
}

/** Delay until another token is available. */
const renewedAfter = (lab: () => SessionLab, afterMs: number) => (): Promise<boolean> =>
  new Promise((resolve) => {
    const { clock } = lab();
    clock.wakeAt(instant(clock.now() + afterMs), () => resolve(true));
  });

describe('a 401 to a token that had ended', () => {
  test.each(['none', {}] as const)(
    'is retried as soon as there is another, whatever the policy (%j)',
    async (retry) => {
      const lab: SessionLab = play(
        [created('s'), unauthorized, okReply('s')],
        { renewedSince: renewedAfter(() => lab, 250) },
        retry,
      );
      await lab.run();
      expect(lab.turns).toMatchObject([{ outcome: 'ok', attempts: 2 }]);
      expect(lab.retries).toMatchObject([{ cause: 'unauthorized', plannedMs: 0, actualMs: 250, retryAfter: 'absent' }]);
      expect(lab.attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'unauthorized', 'ok']);
      expect(lab.circuit).toEqual([]);
      expect(lab.stage.access?.counts.retried).toBe(1);
    },
  );

  test('is retried for a creation too', async () => {
    const lab = await play([unauthorized, created('s'), okReply('s')], {}).run();
    expect(lab.sessions).toMatchObject([{ end: 'completed' }]);
  });

  test('breaks the circuit if the new token is refused too', async () => {
    let renewals = 0;
    const access = {
      mayHaveEnded: (): boolean => renewals === 0,
      renewedSince: () => Promise.resolve(++renewals > 0),
    };
    const lab = await play([created('s'), unauthorized, unauthorized, okReply('s')], access).run();
    expect(lab.turns).toMatchObject([{ outcome: 'unauthorized', attempts: 2 }]);
    expect(lab.circuit).toHaveLength(1);
  });

  test('breaks the circuit if there is no other token', async () => {
    const access = { renewedSince: () => Promise.resolve(false) };
    const lab = await play([created('s'), unauthorized], access).run();
    expect(lab.turns).toMatchObject([{ outcome: 'unauthorized', attempts: 1 }]);
    expect(lab.circuit).toHaveLength(1);
    expect(lab.retries).toEqual([]);
  });

  test('is retried three times at most, even if every token expires on its way', async () => {
    const lab = await play([created('s'), ...Array.from({ length: 9 }, () => unauthorized)], {}).run();
    expect(lab.turns).toMatchObject([{ outcome: 'unauthorized', attempts: 4 }]);
    expect(lab.circuit).toHaveLength(1);
  });

  test('waits for no token once the run is halted', async () => {
    const lab = play([created('s'), unauthorized], { renewedSince: () => new Promise(() => undefined) });
    lab.clock.wakeAt(instant(700), () => lab.stopSignal.apply('halt'));
    await lab.run();
    expect(lab.turns).toMatchObject([{ outcome: 'aborted', gaveUp: 'run_end', attempts: 1 }]);
    expect(lab.circuit).toEqual([]);
  });

  test('counts against the maximum number of turns', async () => {
    const lab = new SessionLab({ maxTurns: 1 }, [created('s'), unauthorized, okReply('s')]);
    Object.assign(lab.stage, { access: play([], {}).stage.access });
    await lab.run();
    expect(lab.sent.map(({ operation }) => operation)).toEqual(['create', 'message']);
  });
});

describe('another refusal', () => {
  test.each<[string, Answer, (sentAt: Instant) => boolean]>([
    ['a 401 far from any end', unauthorized, () => false],
    ['a 403', refusal(403, 'forbidden'), () => true],
  ])('%s breaks the circuit as without tokens', async (_, answer, mayHaveEnded) => {
    const lab = await play([created('s'), answer], { mayHaveEnded }).run();
    expect(lab.circuit).toHaveLength(1);
    expect(lab.turns).toMatchObject([{ attempts: 1, backoffMs: ms(0) }]);
  });
});
