import type { LoadUnit } from '../document/step.ts';

/** Loads as they are tried: whole sessions, or a rate of three digits. */
export function roundLoad(load: number, by: LoadUnit): number {
  return by === 'concurrency' ? Math.max(1, Math.round(load)) : Number(load.toPrecision(3));
}

/** Whether an interval is as narrow as was asked for, or as it can be. */
export function isNarrow({ low, high }: { low: number; high: number }, width: number, by: LoadUnit): boolean {
  return high <= low * (1 + width) * (1 + 1e-9) || (by === 'concurrency' && high - low <= 1);
}
