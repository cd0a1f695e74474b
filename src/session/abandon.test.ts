import { describe, expect, test } from 'vitest';
import { created, okReply, refusal, SessionLab, type Answer } from '../../test/support/session-lab.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ChatApi, Conversation, ReplyStream } from '../protocol/protocol.ts';

const slow: Answer = { ...okReply('s'), afterMs: 50 };

const play = (answers: readonly Answer[], scenario: Partial<Scenario> = {}): Promise<SessionLab> =>
  new SessionLab({ messages: ['a', 'b'], turns: 2, abandon: { share: 1, after: '20ms' }, ...scenario }, [
    created('s'),
    ...answers,
  ]).run();

const outcomes = ({ turns }: SessionLab): string[] => turns.map(({ outcome }) => outcome);

describe('a user who leaves', () => {
  test('ends the turn as abandoned, without a retry, and the session continues and is completed', async () => {
    const lab = await play([slow, okReply('s')]);
    expect(outcomes(lab)).toEqual(['abandoned', 'ok']);
    expect(lab.turns[0]).toMatchObject({ attempts: 1, endedAt: 30, gaveUp: undefined });
    expect([lab.retries, lab.sessions[0]?.end]).toEqual([[], 'completed']);
  });

  test('counts from the send of each attempt, so that a retry may be left too', async () => {
    const lab = await play([refusal(503, 'busy'), slow, okReply('s')], { retry: { jitter: 'none' } });
    expect(lab.attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'server_error', 'abandoned', 'ok']);
  });

  test('explains a status 409 of the next turn', async () => {
    const busy: Answer = { status: 409, body: '{"detail":"Already pending"}' };
    const lab = await play([slow, busy]);
    expect(lab.attempts.map(({ outcome, followsUnfinished }) => [outcome, followsUnfinished])).toEqual([
      ['ok', false],
      ['abandoned', false],
      ['http_other', true],
    ]);
    expect(lab.attempts[2]?.detail).toBe(
      'after an attempt of this session that was abandoned: status 409: Already pending',
    );
  });

  test('stays for a reply that arrives in time', async () => {
    expect(outcomes(await play([okReply('s'), okReply('s')]))).toEqual(['ok', 'ok']);
  });

  test('does not make the guard doubt later replies', async () => {
    const lab = await play([slow, okReply('s')], { integrity: { active: false } });
    expect([outcomes(lab), lab.integrityRecords]).toEqual([['abandoned', 'ok'], []]);
  });

  test('is drawn from the seed: the share of turns, the same ones each time', async () => {
    const leave = async (seed: number): Promise<string[]> =>
      outcomes(
        await play(Array<Answer>(200).fill(slow), { seed, turns: 200, abandon: { share: 0.25, after: '20ms' } }),
      );
    const [first, again, other] = [await leave(1), await leave(1), await leave(2)];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    const share = first.filter((outcome) => outcome === 'abandoned').length / 200;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.35);
  });

  test('has passed the received part of the reply to a protocol that keeps the conversation', async () => {
    const left: string[] = [];
    const conversation: Conversation = {
      sessionId: '',
      request: () => ({ route: { operation: 'message', method: 'POST', path: '/', headers: {} }, body: '' }),
      read: ({ failure }) => ({ outcome: failure ?? 'ok', detail: '', reply: undefined }),
      left: (text) => void left.push(text),
    };
    const api: ChatApi = { creation: undefined, converse: () => conversation };
    const stream: ReplyStream = {
      text: 'half a re',
      hasEnded: false,
      take: () => 'other',
      conclude: () => ({ outcome: 'ok', detail: '', reply: undefined }),
    };
    const answers: Answer[] = [{ stream, afterMs: 90 }, { afterMs: 90 }];
    await new SessionLab({ messages: ['a'], turns: 2, abandon: { share: 1, after: '1ms' } }, answers, { api }).run();
    expect(left).toEqual(['half a re', '']);
  });
});
