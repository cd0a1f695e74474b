import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { instant, ms } from '../../base/time.ts';
import { StopController } from './stop-controller.ts';
import { watchRun, type WatchedRun } from './watch-run.ts';
import { Watchdog } from './watchdog.ts';

const nothing = { maxDurationMs: null, stopWhen: { noSuccessMs: null, targetGoneMs: null }, abortGates: {} };

function watched(plan: Partial<WatchedRun['plan']>, failedGate: WatchedRun['failedGate'] = () => undefined) {
  const clock = new VirtualClock();
  const stopController = new StopController(clock, ms(1000));
  const watchdog = new Watchdog(plan.stopWhen ?? nothing.stopWhen);
  const stop = watchRun({
    plan: { ...nothing, ...plan },
    clock,
    startedAt: clock.now(),
    stopController,
    watchdog,
    failedGate,
  });
  return { clock, stopController, watchdog, stop };
}

describe('a run that is watched', () => {
  test('sets no timer if there is nothing to watch, and leaves none running', () => {
    expect(watched({}).clock.pending).toBe(0);
    const { clock, stop } = watched({
      maxDurationMs: ms(9),
      stopWhen: { noSuccessMs: ms(9), targetGoneMs: ms(9) },
      abortGates: { 'turn.p95': { afterMs: ms(0) } },
    });
    expect(clock.pending).toBe(3);
    stop();
    expect(clock.pending).toBe(0);
  });

  test('drains at its longest duration, and is cut when the grace period is over', async () => {
    const { clock, stopController } = watched({ maxDurationMs: ms(5000) });
    let cutAt = 0;
    stopController.stopSignal.when('cut', () => (cutAt = clock.now()));
    await clock.run(5500);
    expect([
      stopController.reason,
      stopController.stopSignal.reached('drain'),
      stopController.stopSignal.reached('halt'),
    ]).toEqual([{ kind: 'max_duration', why: 'maxDuration (5 s) was reached', atMs: 5000 }, true, false]);
    await clock.run();
    expect(cutAt).toBe(6000);
  });

  test('that is already in its grace period has no other reason to end', async () => {
    const { clock, stopController } = watched({ maxDurationMs: ms(5000) });
    await clock.run(4500);
    stopController.drain();
    await clock.run();
    expect(stopController.reason).toBeUndefined();
  });

  test('is examined every second, and halted if it makes no progress', async () => {
    const { clock, stopController, watchdog, stop } = watched({
      stopWhen: { noSuccessMs: ms(1500), targetGoneMs: null },
    });
    for (const endedAt of [instant(10), instant(1500)])
      watchdog.attemptEnded({
        operation: 'message',
        outcome: 'http_other',
        detail: 'x',
        exchange: { sentAt: instant(0), endedAt },
      });
    await clock.run(1999);
    expect(stopController.reason).toMatchObject({ kind: 'no_success' });
    expect([stopController.stopSignal.reached('halt'), stopController.stopSignal.reached('cut')]).toEqual([
      true,
      false,
    ]);
    stop();
  });

  test('has its gates judged every five seconds, and is halted by the first that fails', async () => {
    const judgedAt: number[] = [];
    const { clock, stopController, stop } = watched({ abortGates: { 'turn.p95': { afterMs: ms(0) } } }, () => {
      judgedAt.push(clock.now());
      return judgedAt.length === 3 ? 'it failed' : undefined;
    });
    await clock.run(14_999);
    expect([judgedAt, stopController.reason]).toEqual([[5000, 10_000], undefined]);
    await clock.run(15_000);
    expect([stopController.reason, stopController.stopSignal.reached('halt')]).toEqual([
      { kind: 'gate', why: 'it failed', atMs: 15_000 },
      true,
    ]);
    stop();
  });
});
