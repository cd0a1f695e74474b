import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { describe, expect, test, vi } from 'vitest';
import { instant, later, ms } from '../base/time.ts';
import { machineClock, systemClock } from './clock.ts';

const wakeAt = (at: number): Promise<number> =>
  new Promise((resolve) => systemClock.wakeAt(instant(at), () => resolve(systemClock.now())));

describe('the real clock', () => {
  test('never wakes anyone early, however the delays fall', async () => {
    const due = Array.from({ length: 200 }, (_, index) => systemClock.now() + index / 7);
    const woken = await Promise.all(due.map(wakeAt));
    due.forEach((at, index) => expect(woken[index]).toBeGreaterThanOrEqual(at));
  });

  test('does not wake early when the event loop was busy at the time of the call', async () => {
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

  test('does not fire cancelled timers, due or past', async () => {
    let woken = 0;
    const cancels = [-1, 0.5, 3].map((delay) => systemClock.wakeAt(later(systemClock.now(), ms(delay)), () => woken++));
    for (const cancel of cancels) cancel();
    await wakeAt(systemClock.now() + 6);
    expect(woken).toBe(0);
  });

  test('supports instants beyond the longest timer', async () => {
    let woken = false;
    const onWarning = vi.fn(); // Node emits a warning if a delay is too long for a timer, and uses 1 ms instead.
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

/** Runs a process that prints the median difference of an expression to the shared clock, in milliseconds. */
async function differenceOf(expression: string, before = ''): Promise<number> {
  const input = fileURLToPath(new URL('clock.ts', import.meta.url));
  const { output } = await build({ input, platform: 'node', write: false, output: { format: 'esm' } });
  const code = `const now = performance.now.bind(performance);
    ${before}
    ${output[0].code}
    const hrtimeMs = () => Number(process.hrtime.bigint()) / 1e6;
    const differences = Array.from({ length: 201 }, () => ${expression} - hrtimeMs());
    console.log(differences.sort((a, b) => a - b)[100]);`;
  return Number((await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])).stdout);
}

describe("the machine's clock", () => {
  test('agrees between processes within 0.3 milliseconds', async () => {
    const differences = await Promise.all([1, 2, 3].map(() => differenceOf('machineClock.now()')));
    for (const difference of differences) expect(Math.abs(difference)).toBeLessThan(0.3);
  });

  test('has an offset to the clock of a process that interruptions between two readings do not change', async () => {
    const interrupted = `let readings = 0;
      performance.now = () => {
        const at = now();
        if (++readings % 7 === 0 || readings > 40) while (now() < at + 5);
        return at;
      };`;
    expect(Math.abs(await differenceOf('now() + machineOffsetMs', interrupted))).toBeLessThan(0.3);
  });

  test('advances with the real clock', () => {
    const [before, machine] = [systemClock.now(), machineClock.now()];
    const passedMs = machineClock.now() - machine;
    expect(passedMs).toBeGreaterThanOrEqual(0);
    expect(passedMs).toBeLessThanOrEqual(systemClock.now() - before);
  });
});
