import { describe, expect, test, vi } from 'vitest';
import { instant, later, ms } from '../base/time.ts';
import { systemClock } from './clock.ts';

const wakeAt = (at: number): Promise<number> =>
  new Promise((resolve) => systemClock.wakeAt(instant(at), () => resolve(systemClock.now())));

describe('the real clock', () => {
  test('never wakes anyone early, however the delays fall', async () => {
    const due = Array.from({ length: 200 }, (_, index) => systemClock.now() + index / 7);
    const woken = await Promise.all(due.map(wakeAt));
    due.forEach((at, index) => expect(woken[index]).toBeGreaterThanOrEqual(at));
  });

  test('does not wake early when the event loop was busy as the wake was asked for', async () => {
    await wakeAt(systemClock.now() + 1);
    const busyUntil = systemClock.now() + 15;
    while (systemClock.now() < busyUntil);
    const at = systemClock.now() + 10;
    expect(await wakeAt(at)).toBeGreaterThanOrEqual(at);
  });

  test('wakes at once for an instant that has passed, yet not within the call', async () => {
    let woken = false;
    systemClock.wakeAt(later(systemClock.now(), ms(-5)), () => (woken = true));
    expect(woken).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(woken).toBe(true);
  });

  test('does not wake canceled entries, due or past', async () => {
    let woken = 0;
    const cancels = [-1, 0.5, 3].map((delay) => systemClock.wakeAt(later(systemClock.now(), ms(delay)), () => woken++));
    for (const cancel of cancels) cancel();
    await wakeAt(systemClock.now() + 6);
    expect(woken).toBe(0);
  });

  test('can be asked for instants beyond the longest timer', async () => {
    let woken = false;
    const onWarning = vi.fn(); // Node warns when a delay is too long for a timer, and uses 1 ms instead.
    process.once('warning', onWarning);
    const cancel = systemClock.wakeAt(later(systemClock.now(), ms(2 ** 31 + 5)), () => (woken = true));
    await wakeAt(systemClock.now() + 5);
    cancel();
    process.removeListener('warning', onWarning);
    expect(woken).toBe(false);
    expect(onWarning).not.toHaveBeenCalled();
  });

  test('returns the wall time', () => {
    expect(Math.abs(systemClock.wallNow() - Date.now())).toBeLessThan(1000);
  });
});
