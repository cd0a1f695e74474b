import { describe, expect, test } from 'vitest';
import { instant } from '../../base/time.ts';
import { BusyShares } from './busy-shares.ts';

/** The shares of a run that was read twice per second, from the busy share of each half second. */
function sharesOf(cpu: readonly number[], loop = cpu): ReturnType<BusyShares['end']> {
  const usage = { at: instant(0), cpuMs: 0, loopBusyMs: 0 };
  const shares = new BusyShares({ ...usage });
  const readings = cpu.map((share, n) => {
    usage.cpuMs += share * 500;
    usage.loopBusyMs += (loop[n] ?? 0) * 500;
    return { ...usage, at: instant((n + 1) * 500) };
  });
  const last = readings.at(-1) ?? usage;
  readings.slice(0, -1).forEach((reading) => shares.add(reading));
  return shares.end(last);
}

const halfSeconds = (count: number, share: number): number[] => Array.from({ length: count }, () => share);

describe('the busy share of the generator', () => {
  test('is reported for the whole and for the busiest two seconds, which a mean would hide', () => {
    const { cpuShare, cpuShareMax } = sharesOf([
      ...halfSeconds(20, 0),
      ...halfSeconds(4, 0.98),
      ...halfSeconds(16, 0.1),
    ]);
    expect(cpuShare).toBeCloseTo((4 * 0.98 + 16 * 0.1) / 40, 6);
    expect(cpuShareMax).toBeCloseTo(0.98, 6);
  });

  test('detects a peak at the very end', () => {
    expect(sharesOf([...halfSeconds(20, 0.1), ...halfSeconds(4, 1)]).cpuShareMax).toBeCloseTo(1, 6);
  });

  test('ignores a single busy second at the start', () => {
    expect(sharesOf([...halfSeconds(2, 1), ...halfSeconds(20, 0.2)]).cpuShareMax).toBeCloseTo(0.6, 6);
  });

  test('equals the overall share if a run is shorter than a peak', () => {
    const { cpuShare, cpuShareMax } = sharesOf([1, 0.5]);
    expect([cpuShare, cpuShareMax]).toEqual([0.75, 0.75]);
  });

  test('distinguishes a busy event loop from CPU usage, since other processes may use the CPU', () => {
    const { cpuShareMax, eventLoopBusyMax } = sharesOf(halfSeconds(8, 0.5), halfSeconds(8, 1));
    expect([cpuShareMax, eventLoopBusyMax]).toEqual([0.5, 1]);
  });
});
