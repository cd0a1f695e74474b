import { expect, test } from 'vitest';
import type { LoadOptions } from '../../src/scenario/scenario.ts';
import { departures } from '../support/truth-percentiles.ts';
import { runVirtually, type ServiceModel } from '../support/virtual-run.ts';

const perSecond = 700;
const sessions = 10 * perSecond;
const places = 10;
const creationMs = 1;
const replyMs = 10;
const stalledFrom = 3000;
const stalledUntil = 5000;

/** Answers after a constant time, but what would end between 3 s and 5 s is answered after these. */
const stallingModel: ServiceModel = (operation, at) => ({
  afterMs: operation === 'create' ? creationMs : replyEnd(at) - at,
});
const replyEnd = (begins: number): number => {
  const isStalled = begins + replyMs >= stalledFrom && begins < stalledUntil;
  return (isStalled ? stalledUntil : begins) + replyMs;
};

const dues = Array.from({ length: sessions }, (_, n) => (n * 1000) / perSecond);

/** Ends of turns if ten slots serve the longest waiting turn first; a slot is taken from `begins` on. */
function endsByPlaces(arrivals: readonly number[], endOf: (begins: number) => number): number[] {
  const freeAt = new Array<number>(places).fill(0);
  return arrivals.map((arrival) => {
    const place = freeAt.indexOf(Math.min(...freeAt));
    return (freeAt[place] = endOf(Math.max(arrival, freeAt[place] ?? 0)));
  });
}

const bounds: readonly (readonly [string, LoadOptions, readonly number[]])[] = [
  ['no bound', {}, dues.map((due) => replyEnd(due + creationMs))],
  [
    'a bound on turns in flight',
    { maxTurnsInFlight: places },
    endsByPlaces(
      dues.map((due) => due + creationMs),
      replyEnd,
    ),
  ],
  [
    'a bound on live sessions',
    { maxConcurrency: places },
    endsByPlaces(dues, (begins) => replyEnd(begins + creationMs)),
  ],
];

test.each(bounds)(
  'effective percentiles of a stall of 2 s are those computed from the schedule, with %s',
  async (_, bound, ends) => {
    const load = { sessionsPerSecond: perSecond, ...bound };
    const { result, served } = await runVirtually({ sessions, load }, stallingModel);
    const expected = ends.map((end, n) => end - (dues[n] ?? NaN));
    expect(departures(result.latency.effective, expected)).toEqual([]);
    expect(result.latency.effective.p95Ms).toBeGreaterThan(800);
    const attempts = served.filter(({ operation }) => operation === 'message');
    expect(
      departures(
        result.latency.attempt,
        attempts.map(({ sentAt, endedAt }) => endedAt - sentAt),
      ),
    ).toEqual([]);
  },
);

test('with as many turns in flight as there are places, to attempt the stall is as if it had hardly been', async () => {
  const load = { sessionsPerSecond: perSecond, maxTurnsInFlight: places };
  const { result } = await runVirtually({ sessions, load }, stallingModel);
  expect(result.latency.attempt.p99Ms).toBeCloseTo(replyMs, 1);
  expect(result.latency.attempt.maxMs).toBeGreaterThan(stalledUntil - stalledFrom);
  expect(result.latency.effective.p75Ms).toBeGreaterThan(100 * replyMs);
});
