import { describe, expect, test } from 'vitest';
import { HonestAgent } from '../../test/support/honest-agent.ts';
import { type Answer, created, okReply, refusal, SessionLab } from '../../test/support/session-lab.ts';
import type { NextMessage } from '../scenario/scenario-values.ts';
import type { Scenario } from '../scenario/scenario.ts';

const says = (response: string): Answer => okReply('s1', { response });
const lab = (next: NextMessage, scenario: Partial<Scenario>, ...answers: Answer[]): SessionLab =>
  new SessionLab({ messages: { first: 'Hi', next }, ...scenario }, [created('s1'), ...answers]);
const saidIn = ({ sent }: SessionLab): unknown[] =>
  sent.filter(({ operation }) => operation === 'message').map(({ body }) => body['message']);

const asksOn: NextMessage = ({ text }) => (text.endsWith('?') ? `Yes, ${text}` : null);

describe('messages that branch', () => {
  test('follow the replies, and end the session as completed when the user is done', async () => {
    const played = await lab(asksOn, {}, says('Blue?'), says('Big?'), says('There you are.')).run();
    expect(saidIn(played)).toEqual(['Hi', 'Yes, Blue?', 'Yes, Big?']);
    expect(played.sessions).toMatchObject([
      { end: 'completed', plannedTurns: 3, skippedPriorFailure: 0, skippedRunEnd: 0 },
    ]);
  });

  test('number at most `turns`, 10 without it, and are not requested beyond', async () => {
    let asked = 0;
    const more: NextMessage = () => `More ${String(++asked)}`;
    expect(saidIn(await lab(more, { turns: 3 }).run())).toEqual(['Hi', 'More 1', 'More 2']);
    expect(asked).toBe(2);
    expect((await lab(() => 'On', {}).run()).sessions).toMatchObject([{ end: 'completed', plannedTurns: 10 }]);
  });

  test('receive the turn, the values, the rows and the earlier messages, and draw from the seed', async () => {
    const seen: unknown[] = [];
    const next: NextMessage = (_, { session, turn, variables, pick, random, sent }) => {
      seen.push([session.number, turn.number, variables, pick('tones'), sent]);
      return String(random());
    };
    const scenario: Partial<Scenario> = {
      turns: 3,
      data: { tones: ['curt'] },
      variableValues: { at: '{{turn.number}}' },
      integrity: { active: true },
    };
    const play = async () =>
      saidIn(
        await new SessionLab({ ...scenario, messages: { first: 'Hi', next } }, [], { agent: new HonestAgent() }).run(),
      );
    const first = await play();
    const [, second] = first.map((text) => String(text).split(' ')[0]);
    expect(seen).toEqual([
      [1, 2, { at: 2 }, 'curt', ['Hi']],
      [1, 3, { at: 3 }, 'curt', ['Hi', second]],
    ]);
    expect(new Set(first).size).toBe(3);
    expect(await play()).toEqual(first);
  });

  test('receive the outcome of a failed turn if the session continues', async () => {
    const heard: unknown[] = [];
    const next: NextMessage = (reply, { sent }) => {
      heard.push([reply.outcome, reply.text]);
      return reply.outcome === 'ok' ? null : sent.at(-1);
    };
    const played = await lab(next, { onFailedTurn: 'continue' }, refusal(400, 'no'), says('Well.')).run();
    expect(heard).toEqual([
      ['bad_request', ''],
      ['ok', 'Well.'],
    ]);
    expect(saidIn(played)).toEqual(['Hi', 'Hi']);
    expect(played.sessions).toMatchObject([{ end: 'failed', plannedTurns: 2, skippedPriorFailure: 0 }]);
  });

  test('that were never chosen are not planned: a failed session skips none, a cut one the pending message', async () => {
    const failed = await lab(() => 'On', { turns: 5 }, says('Well.'), refusal(400, 'no')).run();
    expect(failed.sessions).toMatchObject([{ end: 'failed', plannedTurns: 2, skippedPriorFailure: 0 }]);
    const cut = lab(() => 'On', { turns: 5, thinkTime: '1m' });
    const end = cut.play();
    cut.clock.wakeAt(1000 as never, () => cut.stopSignal.apply('halt'));
    await cut.clock.finish(end);
    expect(cut.sessions).toMatchObject([{ end: 'cut', plannedTurns: 2, skippedRunEnd: 1 }]);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'throw',
      () => {
        throw new Error('no idea');
      },
      /in session 1, turn 2: no idea/,
    ],
    ['give a promise', () => Promise.resolve('x'), /messages\.next returned a promise/],
    ['give an empty text', () => '', /messages\.next returned empty text/],
  ])('end the run if they %s', async (_, next, words) => {
    const played = await lab(next as NextMessage, { turns: 5 }).run();
    expect(played.abandoned).toEqual([expect.stringMatching(words)]);
    expect(played.sessions).toMatchObject([{ end: 'cut', plannedTurns: 1, skippedRunEnd: 0 }]);
  });

  test('are checked by the guard: every tag, the code in turns 2, 4, 8 and at the bound', async () => {
    const agent = new HonestAgent();
    const next: NextMessage = (_, { turn }) => (turn.number > 6 ? null : 'On');
    const played = await new SessionLab({ messages: { first: 'Hi', next }, integrity: true }, [], { agent }).run();
    expect(played.integrityRecords.map(({ failed }) => failed)).toEqual(Array(6).fill(undefined));
    expect(saidIn(played).map((text) => String(text).includes('Which code'))).toEqual([
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  test('are known to a passive guard, which finds a lost turn', async () => {
    const agent = new HonestAgent();
    agent.spoil = (given, { nth }) => (nth === 3 ? { ...given, conversation: given.conversation.slice(1) } : given);
    const next: NextMessage = (_, { turn }) => `On ${String(turn.number)}`;
    const scenario: Partial<Scenario> = { integrity: { active: false, transcript: 'conversation' }, turns: 4 };
    const played = await new SessionLab({ messages: { first: 'Hi', next }, ...scenario }, [], { agent }).run();
    expect(played.integrityRecords.map(({ failed }) => failed)).toEqual([undefined, undefined, 'turns']);
  });
});
