import { expect, test } from 'vitest';
import { instant, type Clock } from '../base/time.ts';
import { Sleeper } from './sleeper.ts';
import { StopSignal } from './stop/stop-controller.ts';

/** Drains a run at an instant, before the timers of a busy process; returns the results of sleeps until these instants. */
function sleepsAt(instants: readonly number[], drainAt: number): Promise<boolean[]> {
  let now = 0;
  const clock: Pick<Clock, 'now' | 'wakeAt'> = { now: () => instant(now), wakeAt: () => () => undefined };
  const stopSignal = new StopSignal();
  const sleeper = new Sleeper(clock, stopSignal);
  const sleeps = Promise.all(instants.map((at) => sleeper.sleepUntil(instant(at), 'drain')));
  now = drainAt;
  stopSignal.apply('drain');
  return sleeps;
}

test('a sleep whose instant passed before the drain has reached it', async () => {
  expect(await sleepsAt([8, 10, 11], 10)).toEqual([true, false, false]);
});
