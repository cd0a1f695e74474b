import { expect, test } from 'vitest';
import { witness, type ServiceModel } from '../../test/support/virtual-run.ts';
import { later, ms, instant } from '../base/time.ts';
import { randomOf } from '../base/random.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { followForecast, forecastRest } from './forecast-rest.ts';
import { createRecorder } from './recorder.ts';
import { planFor } from '../../test/support/synthetic-run.ts';

/** Replies of 100 ms to a second, some of them failures. */
function service(failedShare = 0): ServiceModel {
  const random = randomOf(11);
  return (operation) => ({
    afterMs: operation === 'create' ? 20 : 100 + 900 * random() ** 2,
    status: operation === 'create' ? 201 : random() < failedShare ? 503 : 200,
    data: { cost: 0.01 },
  });
}

/** Forecasts during a run: at `atMs`, a remaining time of `restMs`. */
async function forecasts(scenario: Partial<Scenario>, distribution: ServiceModel) {
  const told: { atMs: number; restMs: number | undefined; shown: number | undefined }[] = [];
  const { result } = await witness(scenario, distribution, {
    atMs: 0,
    forMs: 0,
    watch: (recorder, { resolved, clock }) => {
      const follow = followForecast((live) => forecastRest(live, resolved));
      const look = (): void => {
        const live = recorder.live(clock.now());
        told.push({ atMs: live.elapsedMs, restMs: forecastRest(live, resolved), shown: follow(live).restMs });
        if (told.length < 400) clock.wakeAt(later(clock.now(), ms(1000)), look);
      };
      clock.wakeAt(later(clock.now(), ms(1000)), look);
    },
  });
  return { told, durationMs: result.run.durationMs };
}

const turns = { min: 2, max: 6 } as const;
const always = { stopWhen: { noSuccess: false, targetGone: false } } as const;

test.each<[string, Partial<Scenario>, number?]>([
  ['closed load, by sessions', { sessions: 150, turns, thinkTime: '1s', load: { concurrency: 10 } }],
  ['closed load, all sessions alike', { sessions: 100, turns: 4, thinkTime: '2s', load: { concurrency: 10 } }],
  ['closed load, no think time', { sessions: 400, turns, load: { concurrency: 5 } }],
  ['closed load, all sessions at once', { sessions: 20, turns: 20, thinkTime: '2s', load: { concurrency: 20 } }],
  [
    'closed load with a long ramp-up',
    { sessions: 250, turns, thinkTime: '1s', load: { concurrency: 20, rampUp: '40s' } },
  ],
  ['closed load, by duration', { duration: '60s', turns, thinkTime: '2s', load: { concurrency: 10 } }],
  [
    'closed load, by duration and short of grace',
    { duration: '40s', turns: 12, thinkTime: '2s', gracePeriod: '3s', load: { concurrency: 10 } },
  ],
  [
    'closed load that fails a lot',
    { sessions: 200, turns, thinkTime: '1s', retry: 'none', load: { concurrency: 10 }, ...always },
    0.2,
  ],
  ['open load, by sessions', { sessions: 150, turns, thinkTime: '1s', load: { sessionsPerSecond: 3 } }],
  [
    'open load, by duration',
    { duration: '60s', turns, thinkTime: '1s', load: { sessionsPerSecond: 3, arrivals: 'poisson' } },
  ],
  [
    'open load that rises all the time',
    { sessions: 190, turns, thinkTime: '1s', load: { stages: [{ duration: '100s', sessionsPerSecond: 4 }] } },
  ],
  [
    'open load that falls from one level to another',
    {
      turns,
      thinkTime: '1s',
      load: {
        stages: [
          { duration: '10s', sessionsPerSecond: 6 },
          { duration: '80s', sessionsPerSecond: 1 },
        ],
      },
      sessions: 250,
    },
  ],
  [
    'open load, kept waiting',
    { sessions: 120, turns, thinkTime: '1s', load: { sessionsPerSecond: 10, maxConcurrency: 10 } },
  ],
  [
    'a cap on turns',
    { sessions: 1000, turns, thinkTime: '1s', load: { concurrency: 10, rampUp: '20s' }, maxTurns: 400 },
  ],
  ['a cap on sessions', { duration: '10m', turns, thinkTime: '1s', load: { concurrency: 10 }, maxSessions: 120 }],
  [
    'a cap on the cost',
    {
      duration: '10m',
      turns,
      thinkTime: '1s',
      load: { concurrency: 10 },
      maxCost: 4,
      cost: (data) => Number(data['cost']),
    },
  ],
  ['a longest duration', { sessions: 5000, turns, thinkTime: '1s', load: { concurrency: 10 }, maxDuration: '45s' }],
])('%s: the rest is forecast and shown within a quarter from the first third on', async (_, scenario, failedShare) => {
  const { told, durationMs } = await forecasts(scenario, service(failedShare));
  const judged = told.filter(({ atMs }) => atMs >= durationMs / 3 && atMs < durationMs);
  expect(judged.length).toBeGreaterThan(10);
  // The remaining time is shown in whole seconds, so the last values need not be within a quarter.
  const wrong = judged.filter(({ atMs, restMs = NaN, shown = NaN }) => {
    const left = durationMs - atMs;
    return [restMs, shown].some((rest) => !(Math.abs(rest - left) <= Math.max(2500, left / 4)));
  });
  expect(wrong.map(({ atMs, restMs, shown }) => [atMs, restMs, shown, durationMs - atMs])).toEqual([]);
});

test('conversations that end long before their bound are forecast by their observed numbers of turns', async () => {
  const { told, durationMs } = await forecasts(
    {
      sessions: 200,
      turns: 40,
      thinkTime: '1s',
      load: { concurrency: 10 },
      messages: { first: 'Hi', next: (_, { session, turn }) => (turn.number > 2 + (session.number % 5) ? null : 'On') },
    },
    service(),
  );
  const { atMs, restMs = NaN } = told.find((each) => each.atMs >= durationMs / 2) ?? { atMs: NaN };
  expect(Math.abs(restMs / (durationMs - atMs) - 1)).toBeLessThan(0.25);
});

const fresh = createRecorder({ plan: planFor(), startedAt: instant(0) }).live(instant(0));

/** Progress per second, by forecasts of the end (undefined: none yet). */
function told(ends: readonly (number | undefined)[]) {
  const follow = followForecast(({ elapsedMs }) => {
    const end = ends[elapsedMs / 1000];
    return end === undefined ? undefined : Math.max(0, end - elapsedMs);
  });
  return ends.map((_, second) => follow({ ...fresh, elapsedMs: second * 1000 }));
}

test('the time left is not given while one forecast contradicts the next', () => {
  const rests = told([undefined, 600_000, 8000, 90_000, 40_000, 60_000, 60_000, 60_000]).map(({ restMs }) => restMs);
  expect(rests.slice(0, 7)).toEqual(Array(7).fill(undefined));
  expect(rests[7]).toBe(53_000);
});

test('a shown forecast moves by steps, and converges to the truth', () => {
  const steady = Array<number>(10).fill(60_000);
  const ends = told([...steady, ...Array<number>(20).fill(40_000)]).map(({ restMs = NaN }, i) => restMs + i * 1000);
  const steps = ends.slice(3).map((end, index) => Math.abs(end - (ends[index + 2] ?? NaN)));
  expect(Math.max(...steps)).toBeLessThan(8000);
  expect(Math.abs((ends.at(-1) ?? NaN) - 40_000)).toBeLessThan(500);
});

test('the completed share never falls, and is absent while nothing is known', () => {
  const shares = told([60_000, 60_000, 60_000, 60_000, 90_000, 120_000, 120_000, 60_000]).map(
    ({ doneShare }) => doneShare,
  );
  expect(shares[0]).toBe(0);
  expect(shares.at(-1)).toBeGreaterThan(0);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
});
