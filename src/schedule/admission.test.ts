import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { wholeRun } from '../plan/shard.ts';
import { settle } from '../plan/settle.ts';
import { instant, ms, type Instant } from '../base/time.ts';
import { openAdmission } from './admission.ts';
import { StopSignal } from './stop/stop-controller.ts';
import { Sleeper } from './sleeper.ts';

/** A session waits for the place of another, which ends; so many promises later the run is told to drain. */
async function drainAfter(promises: number) {
  const clock = new VirtualClock();
  const stopSignal = new StopSignal();
  const played: number[] = [];
  let endFirst: (at: Instant) => void = () => undefined;
  const { plan } = settle({ name: 'x', messages: ['hi'], sessions: 9 }, { flags: {}, environment: {} });
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

test('a session is started or refused, never both, whenever a drain meets the end of another', async () => {
  const outcomes: boolean[] = [];
  for (let promises = 0; promises < 20; promises++) {
    const { hasStarted, wasPlayed } = await drainAfter(promises);
    expect([promises, wasPlayed]).toEqual([promises, hasStarted]);
    outcomes.push(hasStarted);
  }
  expect([outcomes[0], outcomes.at(-1)]).toEqual([false, true]);
});
