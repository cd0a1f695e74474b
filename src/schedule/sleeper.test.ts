import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { instant } from '../base/time.ts';
import { Sleeper } from './sleeper.ts';
import { StopSignal } from './stop/stop-controller.ts';

/** Drains a run at an instant; returns the results of sleeps until these instants. The timer of the drain is the older one. */
async function sleepsAt(instants: readonly number[], drainAt: number): Promise<boolean[]> {
  const clock = new VirtualClock();
  const stopSignal = new StopSignal();
  const sleeper = new Sleeper(clock, stopSignal);
  clock.wakeAt(instant(drainAt), () => stopSignal.apply('drain'));
  const sleeps = Promise.all(instants.map((at) => sleeper.sleepUntil(instant(at), 'drain')));
  await clock.run(drainAt);
  return sleeps;
}

test('a sleep that a drain ends has reached its instant if that has passed', async () => {
  expect(await sleepsAt([8, 10, 11], 10)).toEqual([true, true, false]);
});
