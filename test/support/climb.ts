import type { CeilingStep } from '../../src/calibrate/target-ceiling.ts';

/** Steps at 1, 2, 4, ... connections with these rates. */
export function climb(rates: readonly number[], over: Partial<CeilingStep> = {}): CeilingStep[] {
  return rates.map((turnsPerSecond, index) => ({
    connections: 2 ** index,
    turnsPerSecond,
    sent: 100,
    ok: 100,
    classes: { ok: 100 },
    cpuShare: 0.2,
    elapsedMs: 1000,
    example: null,
    ...over,
  }));
}
