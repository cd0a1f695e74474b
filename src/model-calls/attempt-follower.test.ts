import { describe, expect, test } from 'vitest';
import { created, okReply, refusal, SessionLab } from '../../test/support/session-lab.ts';
import { attemptOf, exchangeOf, originOf, turnOf } from '../../test/support/session-records.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { instant, ms } from '../base/time.ts';
import { createRecorder } from '../record/recorder.ts';
import type { AttemptFact } from './attempt-facts.ts';
import { AttemptFollower, type FollowerOptions } from './attempt-follower.ts';
import { textHashOf } from './text-hash.ts';
import { readTraceId } from './trace-id.ts';

function followerFor(model: Partial<FollowerOptions['model']> = {}) {
  const clock = new VirtualClock();
  const batches: { at: number; facts: readonly AttemptFact[] }[] = [];
  const follower = new AttemptFollower({
    isSampled: () => true,
    run: '0badcafe',
    model: { match: undefined, delivered: false, ...model },
    clock,
    offsetMs: ms(5000),
    deliver: (facts) => batches.push({ at: clock.now(), facts }),
  });
  return { clock, batches, follower };
}

const started = { session: 7, policy: 1, turn: 2, attempt: 3, message: 'Hello  you' };
const sent = { ...started, countedFrom: instant(10), sentAt: instant(20) };

describe('the follower of attempts', () => {
  test('reports the attempts of a session as they are sent, and gives each its own trace', async () => {
    const { batches, follower } = followerFor();
    const heads = { newJar: undefined, keepSecret: () => undefined, traceHeader: 'x-trace' };
    const lab = new SessionLab(
      { messages: ['a', 'b'] },
      [created('s'), okReply('s'), refusal(500, 'x'), okReply('s')],
      { heads: { ...heads, newTrace: (attempt) => follower.begin(attempt) } },
    );
    lab.stage.observer = follower.follow(lab);
    await lab.run(9);
    follower.flush();
    const facts = batches.flatMap((batch) => batch.facts);
    expect(facts.map(({ kind, traceId }) => [kind, Object.values(readTraceId(traceId, '0badcafe') ?? {})])).toEqual([
      ['begun', [9, 0, 1]],
      ['ended', [9, 0, 1]],
      ['begun', [9, 1, 1]],
      ['ended', [9, 1, 1]],
      ['turn', [9, 1, 1]],
      ['begun', [9, 2, 1]],
      ['ended', [9, 2, 1]],
      ['begun', [9, 2, 2]],
      ['ended', [9, 2, 2]],
      ['turn', [9, 2, 2]],
    ]);
    const outcomes = facts.flatMap((fact) => (fact.kind === 'begun' ? [] : [fact.outcome]));
    expect(outcomes).toEqual(['ok', 'ok', 'ok', 'server_error', 'ok', 'ok']);
    const ids = facts.flatMap((fact) => (fact.kind === 'begun' ? [fact.traceId] : []));
    expect(lab.sent.map(({ fields }) => fields)).toEqual(
      ids.map((id) => `traceparent: 00-${id}-${id.slice(16)}-01\r\nx-trace: ${id}\r\n`),
    );
    expect(lab.attempts.map(({ traceId }) => traceId)).toEqual(ids);
  });

  test('delivers facts in batches, the first of which waits for 20 milliseconds', async () => {
    const { clock, batches, follower } = followerFor();
    follower.begin(sent);
    await clock.run(19);
    expect(batches).toEqual([]);
    follower.begin({ ...sent, attempt: 4 });
    await clock.run(1000);
    expect(batches.map(({ at, facts }) => [at, facts.length])).toEqual([[20, 2]]);
    follower.begin({ ...sent, attempt: 5 });
    follower.flush();
    follower.flush();
    expect(batches.map(({ at, facts }) => [at, facts.length])).toEqual([
      [20, 2],
      [1000, 1],
    ]);
    expect(clock.pending).toBe(0);
  });

  test('converts instants to the clock of the machine', () => {
    const { batches, follower } = followerFor({ match: 'text' });
    const observer = follower.follow(createRecorder({ plan: planFor(), startedAt: instant(0) }));
    const { id } = follower.begin(sent);
    const content = { firstAt: instant(30), firstAnswerAt: undefined, lastAt: instant(30), hasReasoning: false };
    const exchange = exchangeOf({ endedAt: instant(40), content: { ...content, gapsMs: [], sharedReads: 0 } });
    observer.attempt(attemptOf({ traceId: id, exchange }));
    follower.offsetMs = ms(6000);
    observer.turn(turnOf({ session: originOf({ number: 7 }), turn: 2, attempts: 3, endedAt: instant(40) }));
    follower.flush();
    const place = { session: 7, turn: 2 };
    const begun = { kind: 'begun', traceId: id, ...place, attempt: 3, policy: 1, textHash: textHashOf('hello you') };
    const turn = { kind: 'turn', traceId: id, ...place, policy: 0, outcome: 'ok', attempts: 3 };
    expect(batches[0]?.facts).toEqual([
      { ...begun, sentAt: 5020, countedFrom: 5010 },
      { kind: 'ended', traceId: id, outcome: 'ok', endedAt: 5040, firstTokenAt: 5030, words: [] },
      { ...turn, firstSentAt: 6000, endedAt: 6040 },
    ]);
  });

  test('finds the unique words of replies, the first and last ten, only if delivery is checked', () => {
    const word = (at: number): string => `word-${String(at).padStart(13, '0')}`;
    const body = JSON.stringify({
      response: Array.from({ length: 30 }, (_, at) => `${word(at)} word-short`).join(' '),
    });
    const wordsFor = (delivered: boolean) => {
      const { batches, follower } = followerFor({ delivered });
      const observer = follower.follow(createRecorder({ plan: planFor(), startedAt: instant(0) }));
      observer.attempt(attemptOf({ traceId: 'id', exchange: exchangeOf({ body: `${body}${word(0)}` }) }));
      follower.flush();
      return batches[0]?.facts.flatMap((fact) => (fact.kind === 'ended' ? fact.words : []));
    };
    expect(wordsFor(false)).toEqual([]);
    const expected = [...Array.from({ length: 10 }, (_, at) => at), ...Array.from({ length: 10 }, (_, at) => 20 + at)];
    expect(wordsFor(true)).toEqual(expected.map(word));
  });
});
