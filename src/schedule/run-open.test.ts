import { expect, test } from 'vitest';
import { instant, ms, type Instant } from '../base/time.ts';
import { Pace, openAdmission } from './run-open.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { wholeRun } from '../plan/shard.ts';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import { StopSignal } from './stop/stop-controller.ts';
import { Sleeper } from './sleeper.ts';

/** When sessions that are due every `gapMs` start, if the generator stands still from `stall.from` for `stall.forMs`. */
function startsWith(gapMs: number, stall: { from: number; forMs: number }, count: number): number[] {
  const pace = new Pace(instant(0));
  let now = 0;
  return Array.from({ length: count }, (_, n) => {
    now = Math.max(now, pace.next(instant(n * gapMs), instant(now)));
    if (now >= stall.from && now < stall.from + stall.forMs) now = stall.from + stall.forMs;
    return now;
  });
}

test('a short stall is compensated at once', () => {
  const starts = startsWith(50, { from: 1000, forMs: 90 }, 100);
  expect(starts.map((start, n) => start - n * 50).filter((late) => late > 0)).toEqual([90, 40]);
});

test('a long stall is caught up at a tenth above the pace, except for the first 100 ms', () => {
  const starts = startsWith(10, { from: 1000, forMs: 1000 }, 1500);
  const startsIn = (from: number, to: number): number => starts.filter((start) => start >= from && start < to).length;
  expect(startsIn(2000, 2001)).toBeLessThanOrEqual(13);
  for (let from = 2200; from < 8000; from += 1000) expect(startsIn(from, from + 1000)).toBeLessThanOrEqual(111);
  expect((starts.at(-1) ?? 0) - 14_990).toBe(0);
});

test('once sessions that waited for a slot have started, the next one starts when it is due, however long they waited', () => {
  const pace = new Pace(instant(0));
  const start = (due: number, now: number): number => pace.next(instant(due), instant(now));
  expect([start(0, 0), start(10, 0)]).toEqual([0, 10]);
  // The bound is reached: the second one waits until 900, and so does the third after it.
  pace.waitedForPlace();
  expect(start(300, 900)).toBe(900);
  // A slot is free, and no session waits: the next one is due 40 ms after the end of the queue.
  expect(start(940, 900)).toBe(940);
  expect(start(1240, 940)).toBe(1240);
});

/** A session waits for the slot of another, which ends; after this number of promises the run drains. */
async function drainAfter(promises: number) {
  const clock = new VirtualClock();
  const stopSignal = new StopSignal();
  const played: number[] = [];
  let endFirst: (at: Instant) => void = () => undefined;
  const { plan } = resolveScenario({ name: 'x', messages: ['hi'], sessions: 9 }, { flags: {}, environment: {} });
  const admission = openAdmission(
    {
      plan,
      shard: wholeRun,
      clock,
      stopSignal,
      sleeper: new Sleeper(clock, stopSignal),
      startedAt: instant(0),
      lengthMs: ms(9),
      observer: { sessionDropped: () => undefined, sessionsNotStarted: () => undefined },
      takeSession: () => true,
      throttle: { isHolding: false, pass: () => Promise.resolve(undefined) },
      policyOf: () => 0,
      endOfDuration: () => undefined,
      play: (number) => {
        played.push(number);
        return number === 1 ? new Promise((resolve) => (endFirst = resolve)) : Promise.resolve(instant(2));
      },
    },
    1,
  );
  await admission.start(1, instant(0));
  await clock.run(1);
  const second = admission.start(2, instant(0));
  await clock.run(2);
  endFirst(instant(2));
  for (let passed = 0; passed < promises; passed++) await Promise.resolve();
  stopSignal.apply('drain');
  const hasStarted = await second;
  await clock.run(3);
  return { hasStarted, wasPlayed: played.includes(2) };
}

test('a session is started or refused, never both, if a drain coincides with the end of another', async () => {
  const outcomes: boolean[] = [];
  for (let promises = 0; promises < 20; promises++) {
    const { hasStarted, wasPlayed } = await drainAfter(promises);
    expect([promises, wasPlayed]).toEqual([promises, hasStarted]);
    outcomes.push(hasStarted);
  }
  expect([outcomes[0], outcomes.at(-1)]).toEqual([false, true]);
});
