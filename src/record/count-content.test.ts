import { describe, expect, test } from 'vitest';
import { attemptOf, exchangeOf, retryOf, turnOf } from '../../test/support/session-records.ts';
import { snapshotOf } from '../../test/support/synthetic-result.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant, ms } from '../base/time.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AttemptRecord, Observer, TurnRecord } from '../session/observer.ts';
import type { ContentTimes, Exchange } from '../session/send.ts';
import { createRecorder } from './recorder.ts';
import { withoutWaits } from './shifts.ts';
import { lowestOf, readSparse } from './sparse-histogram.ts';

const session = { number: 1, policy: 0, due: instant(90), startedAt: instant(100) };

/** Sent at 200; events at 230, 260, 260 (of one read) and 320; ended at 325. */
const content: ContentTimes = {
  firstAt: instant(230),
  firstAnswerAt: instant(260),
  lastAt: instant(320),
  hasReasoning: true,
  gapsMs: [30, 60],
  sharedReads: 1,
};
const exchange = exchangeOf({ sentAt: instant(200), firstByteAt: instant(220), endedAt: instant(325), content });
const usage = { inputTokens: 100, outputTokens: 10 };
const attempt = (changed: Partial<AttemptRecord> = {}, within: Partial<Exchange> = {}): AttemptRecord =>
  attemptOf({ session, countedFrom: instant(200), usage, ...changed, exchange: { ...exchange, ...within } });
const times = { due: instant(90), ready: instant(150), firstSentAt: instant(200), endedAt: instant(325) };
const turn = (changed: Partial<TurnRecord> = {}): TurnRecord =>
  turnOf({ session, ...times, content, usage, ...changed });
const retry = retryOf({ session, countedFrom: instant(200), cause: 'connection_lost', afterContent: true });

/** Counters, and per series the number of values and their sum in milliseconds. */
function recorded(tell: (observer: Observer) => void, scenario: Partial<Scenario> = {}) {
  const { totals } = snapshotOf(planFor(scenario), 3000, tell);
  expect(totals).toHaveLength(1);
  const [total] = totals;
  const series = Object.entries(total?.series ?? {}).map(([name, { count, sumUs }]) => [name, [count, sumUs / 1000]]);
  return { counters: total?.counters ?? {}, series: Object.fromEntries(series) as Record<string, [number, number]> };
}

describe('an attempt with streamed content', () => {
  test('has the waits of its reads for the event loop in every series, gaps less half the wait of the event before', () => {
    const waits = new Map([230, 260, 320, 325].map((at, nth) => [at, nth + 1]));
    const recorder = createRecorder({
      plan: planFor(),
      startedAt: instant(0),
      defer: () => undefined,
      waited: (at) => ms(waits.get(at) ?? 0),
    });
    recorder.attempt(attempt());
    recorder.turn(turn());
    const series = recorder.snapshot(instant(1000)).totals[0]?.series ?? {};
    const unwaited = Object.entries(series).map(([name, { hdr, shifts }]) => [
      name,
      Array.from(withoutWaits(readSparse(hdr), shifts).indexes, (index) => Math.round(lowestOf(index) / 100) / 10),
    ]);
    expect(Object.fromEntries(unwaited)).toEqual({
      'attempt.ok': [121],
      firstByte: [20],
      'firstToken.1.ok': [29],
      'firstAnswer.ok': [58],
      'gap.ok': [28.5, 58],
      tokenTime: [9.7],
      replyTail: [2.5],
      'turn.1.ok': [121],
      // Lower ends of buckets.
      'effective.ok': [230.9],
      'effectiveFirstToken.ok': [138.9],
    });
  });

  test('that was ok is in every series of content, with every gap', () => {
    const { series, counters } = recorded((observer) => observer.attempt(attempt()));
    expect(series).toEqual({
      'attempt.ok': [1, 125],
      firstByte: [1, 20],
      'firstToken.1.ok': [1, 30],
      'firstAnswer.ok': [1, 60],
      'gap.ok': [2, 90],
      tokenTime: [1, 10],
      replyTail: [1, 5],
    });
    expect(counters.streams).toEqual({
      ok: 1,
      answersOk: 1,
      gapsOk: 2,
      timed: 1,
      reasoned: 1,
      sharedReads: 1,
      severalEvents: 1,
    });
  });

  test.each(['connection_lost', 'truncated', 'check_failed'] as const)(
    'that was %s is in the failed series, without a time per token and a tail',
    (outcome) => {
      const { series, counters } = recorded((observer) => observer.attempt(attempt({ outcome })));
      expect(series).toMatchObject({
        'firstToken.1.failed': [1, 30],
        'firstAnswer.failed': [1, 60],
        'gap.failed': [2, 90],
      });
      expect(Object.keys(series)).not.toEqual(expect.arrayContaining(['tokenTime']));
      expect(Object.keys(series)).not.toEqual(expect.arrayContaining(['replyTail']));
      expect(counters.streams).toMatchObject({ failed: 1, answersFailed: 1, gapsFailed: 2 });
    },
  );

  test('that was abandoned is only in the series of its content, and not a failed attempt', () => {
    const { series, counters } = recorded((observer) => observer.attempt(attempt({ outcome: 'abandoned' })));
    expect(Object.keys(series).toSorted()).toEqual(['firstAnswer.failed', 'firstToken.1.failed', 'gap.failed']);
    expect(counters.attempts).toEqual({ abandoned: 1 });
  });

  test('that was aborted is in none of them', () => {
    const { series, counters } = recorded((observer) => observer.attempt(attempt({ outcome: 'aborted' })));
    expect(series).toEqual({ cutTurn: [1, 125] });
    expect(counters.streams).toBeUndefined();
  });

  test.each([
    ['its reply reports no tokens', attempt({ usage: undefined })],
    ['its reply reports one token', attempt({ usage: { inputTokens: 1, outputTokens: 1 } })],
    [
      'one event brought it all',
      attempt({}, { content: { ...content, gapsMs: [], sharedReads: 0, lastAt: content.firstAt } }),
    ],
    [
      'one read brought it all',
      attempt({}, { content: { ...content, gapsMs: [], sharedReads: 3, lastAt: content.firstAt } }),
    ],
  ])('has no time per token when %s', (_, record) => {
    expect(recorded((observer) => observer.attempt(record)).series).not.toHaveProperty('tokenTime');
  });

  test.each([
    ['30 ms after its send', instant(230), {}],
    ['50 ms after its send', instant(250), { buffered: 1 }],
  ])('whose events arrived in one read, %s, has no gap', (_, at, held) => {
    const together = { ...content, firstAt: at, firstAnswerAt: at, lastAt: at, gapsMs: [], sharedReads: 3 };
    const { series, counters } = recorded((observer) => observer.attempt(attempt({}, { content: together })));
    expect(Object.keys(series).filter((name) => /gap|tokenTime/.test(name))).toEqual([]);
    expect(counters.streams).toEqual({
      ok: 1,
      answersOk: 1,
      reasoned: 1,
      sharedReads: 3,
      severalEvents: 1,
      oneRead: 1,
      ...held,
    });
  });

  test('of reasoning alone has no first answer', () => {
    const { series } = recorded((observer) =>
      observer.attempt(attempt({}, { content: { ...content, firstAnswerAt: undefined } })),
    );
    expect(series).toHaveProperty(['firstToken.1.ok']);
    expect(series).not.toHaveProperty('firstAnswer.ok');
  });
});

test('replies without the final mark, and retries after content, are counted', () => {
  const { counters } = recorded((observer) => {
    observer.attempt(attempt({ lacksDone: true }));
    observer.retry(retry);
    observer.retry({ ...retry, afterContent: false });
  });
  expect(counters.streams).toMatchObject({ missingDone: 1, retriesAfterContent: 1 });
  expect(counters.retries).toEqual({ connection_lost: 2 });
});

test('the bodies and input tokens of requests are counted by the position of their turn', () => {
  const { counters } = recorded((observer) => {
    observer.attempt(attempt({ requestBytes: 300 }));
    observer.attempt(attempt({ turn: 4, requestBytes: 900, usage: { inputTokens: 250, outputTokens: 1 } }));
    observer.attempt(attempt({ turn: 3, requestBytes: 700, outcome: 'timed_out', usage: undefined }));
    observer.attempt(attempt({ turn: 3, requestBytes: 700, outcome: 'aborted', usage: undefined }));
  });
  expect(counters.history).toEqual({
    '1.requests': 1,
    '1.bytes': 300,
    '1.reported': 1,
    '1.inputTokens': 100,
    '1.outputTokens': 10,
    '3-4.requests': 2,
    '3-4.bytes': 1600,
    '3-4.reported': 1,
    '3-4.inputTokens': 250,
    '3-4.outputTokens': 1,
  });
});

describe('a turn with streamed content', () => {
  test('counts its first content from its due instant, and the tokens that its reply reported', () => {
    const { series, counters } = recorded((observer) => observer.turn(turn()));
    expect(series['effectiveFirstToken.ok']).toEqual([1, 140]);
    expect(counters.streams).toEqual({ turnsOk: 1, inputTokens: 100, outputTokens: 10, reportedUsage: 1 });
  });

  test('that failed counts its first content among failed attempts', () => {
    const { series } = recorded((observer) => observer.turn(turn({ outcome: 'truncated', usage: undefined })));
    expect(series['effectiveFirstToken.failed']).toEqual([1, 140]);
  });

  test('that was abandoned is in no latency figure, and neither ok nor failed', () => {
    const { series, counters } = recorded((observer) =>
      observer.turn(turn({ outcome: 'abandoned', usage: undefined })),
    );
    expect(series).toEqual({});
    expect(counters).toMatchObject({ turns: { abandoned: 1 } });
    expect(counters.streams).toBeUndefined();
  });

  const target = { protocol: 'openai-chat', stream: true } as const;
  // Sent at 200: first content after 30 ms, maximum gap 60 ms, end after 125 ms.
  test.each([
    [{ turn: '125ms', firstToken: '30ms', gap: '60ms' }, 1],
    [{ turn: '124ms', firstToken: '30ms', gap: '60ms' }, 0],
    [{ turn: '125ms', firstToken: '29ms', gap: '60ms' }, 0],
    [{ turn: '125ms', firstToken: '30ms', gap: '59ms' }, 0],
    [{ gap: '60ms' }, 1],
  ] as const)('is good only when all objectives of %j are met', (objective, good) => {
    const { counters } = recorded((observer) => observer.turn(turn()), { objective, target });
    expect(counters.turnFlow?.['good'] ?? 0).toBe(good);
  });

  test('that was not streamed shows its first content at its end', () => {
    const good = (firstToken: '125ms' | '124ms') =>
      recorded((observer) => observer.turn(turn({ content: undefined })), { objective: { firstToken } }).counters
        .turnFlow;
    expect(good('125ms')).toEqual({ good: 1 });
    expect(good('124ms')).toBeUndefined();
  });
});
