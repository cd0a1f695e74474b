import { randomExponential, randomLogNormal, randomUniform } from 'd3-random';
import { expect, test } from 'vitest';
import { randomOf } from '../../src/base/random.ts';
import { departures, departuresOfIntervals } from '../support/truth-percentiles.ts';
import { runVirtually, type ServiceModel, type Served } from '../support/virtual-run.ts';

/** The turns of a service: each ends with a reply that is not a failure. */
function turnsOf(served: readonly Served[]): { session: number; turn: number; sentAt: number; endedAt: number }[] {
  const open = new Map<number, { turn: number; sentAt: number | undefined }>();
  return served.flatMap(({ operation, session, sentAt, endedAt, status }) => {
    if (operation === 'create') return [];
    const state = open.get(session) ?? { turn: 1, sentAt: undefined };
    const firstSentAt = state.sentAt ?? sentAt;
    const isOver = status === 200;
    open.set(session, isOver ? { turn: state.turn + 1, sentAt: undefined } : { ...state, sentAt: firstSentAt });
    return isOver ? [{ session, turn: state.turn, sentAt: firstSentAt, endedAt }] : [];
  });
}

const thinkTimeMs = 250;

/** Latencies of turns from their due instants: by the schedule for the first, by the previous turn and the think time for later ones. */
function effectiveOf(served: readonly Served[], sessionsPerSecond: number): number[] {
  const endOfLast = new Map<number, number>();
  return turnsOf(served).map(({ session, turn, endedAt }) => {
    const scheduled = ((session - 1) * 1000) / sessionsPerSecond;
    const due = turn === 1 ? scheduled : (endOfLast.get(session) ?? NaN) + thinkTimeMs;
    endOfLast.set(session, endedAt);
    return endedAt - due;
  });
}

/** Replies of a distribution, every twentieth of them a failure that is retried; creations take 5 ms. */
function failingNowAndThen(draw: () => number): ServiceModel {
  const random = randomOf(11);
  return (operation) => {
    if (operation === 'create') return { afterMs: 5 };
    return random() < 0.05 ? { afterMs: draw() / 2, status: 503 } : { afterMs: draw() };
  };
}

const uniform = randomUniform.source(randomOf(1));
const exponential = randomExponential.source(randomOf(2));
const lognormal = randomLogNormal.source(randomOf(3));
const short = lognormal(Math.log(40), 0.2);
const long = lognormal(Math.log(3000), 0.1);
const coin = uniform(0, 1);
const agent = lognormal(Math.log(200), 0.6);

const models: readonly (readonly [string, () => number, number])[] = [
  ['a constant 50 ms', () => 50, 500],
  ['a uniform law', uniform(20, 400), 500],
  ['an exponential law', () => exponential(1 / 150)(), 500],
  ['two laws, one reply in fifty from the slow one', () => (coin() < 0.02 ? long() : short()), 500],
  // Long enough for p99.99 and for intervals to have been merged in pairs.
  ['a lognormal law over a run of eleven minutes', agent, 13_500],
];

test.each(models)(
  'published percentiles equal the percentiles of the known values of %s',
  async (_, draw, sessions) => {
    const sessionsPerSecond = 20.7;
    const { result, served } = await runVirtually(
      {
        sessions,
        turns: 5,
        load: { sessionsPerSecond },
        thinkTime: `${String(thinkTimeMs)}ms` as '250ms',
        retry: { maxAttempts: 20, base: '80ms', factor: 1.5, jitter: 'none' },
      },
      failingNowAndThen(draw),
    );
    const lengthOf = ({ sentAt, endedAt }: { sentAt: number; endedAt: number }): number => endedAt - sentAt;
    const messages = served.filter(({ operation }) => operation === 'message');
    const turns = turnsOf(served);
    const effective = effectiveOf(served, sessionsPerSecond);
    expect(turns).toHaveLength(sessions * 5);
    expect(messages.length).toBeGreaterThan(sessions * 5 * 1.03);

    const { latency, intervals } = result;
    expect(departures(latency.attempt, messages.map(lengthOf))).toEqual([]);
    expect(departures(latency.attempt.ok, messages.filter(({ status }) => status === 200).map(lengthOf))).toEqual([]);
    expect(departures(latency.attempt.failed, messages.filter(({ status }) => status === 503).map(lengthOf))).toEqual(
      [],
    );
    expect(departures(latency.turn, turns.map(lengthOf))).toEqual([]);
    expect(departures(latency.effective, effective)).toEqual([]);
    expect(
      departures(
        latency.lateness,
        turns.map(() => 0),
      ),
    ).toEqual([]);
    expect(departuresOfIntervals(intervals, 'attempt', messages.map(lengthOf))).toEqual([]);
    expect(departuresOfIntervals(intervals, 'turn', turns.map(lengthOf))).toEqual([]);
    expect(departuresOfIntervals(intervals, 'effective', effective)).toEqual([]);
    if (sessions > 10_000) {
      expect(latency.turn.p9999Ms).not.toBeNull();
      expect(intervals[0]?.lengthMs).toBe(2000);
    }
  },
);

test('percentiles that are 0.3 % off would be noticed', async () => {
  const { result, served } = await runVirtually(
    { sessions: 1400, turns: 5, load: { sessionsPerSecond: 20 } },
    failingNowAndThen(agent),
  );
  const wrong = served
    .filter(({ operation }) => operation === 'message')
    .map(({ sentAt, endedAt }) => (endedAt - sentAt) * 1.003);
  expect(departures(result.latency.attempt, wrong)).toHaveLength(3 + 6);
});
