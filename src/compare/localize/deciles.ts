import type { OpenRun } from '../figures/open-run.ts';
import type { RunReading } from '../document/run-figure.ts';
import type { RunPart } from '../figures/run-part.ts';

/** The parts of the measured time, by name. */
export const tenths = Array.from({ length: 10 }, (_, tenth) => `${String(tenth * 10)}-${String(tenth * 10 + 10)} %`);

/** The mean latency of ok turns in each tenth of the measured time; `null` with fewer intervals than tenths. */
export function meanByTenths({ parts, lengthMs }: OpenRun): RunReading[] | null {
  if (parts.length < tenths.length) return null;
  const sums = tenths.map(() => ({ count: 0, sumMs: 0 }));
  let startMs = 0;
  for (const part of parts) {
    const middle = (startMs + part.lengthMs / 2) / lengthMs;
    const sum = sums[Math.min(tenths.length - 1, Math.floor(middle * tenths.length))];
    if (sum !== undefined) add(sum, part);
    startMs += part.lengthMs;
  }
  return sums.map(readingOf);
}

function add(sum: { count: number; sumMs: number }, { series }: RunPart): void {
  const { count = 0, sumMs = 0 } = series.get('turn.ok') ?? {};
  sum.count += count;
  sum.sumMs += sumMs;
}

function readingOf({ count, sumMs }: { count: number; sumMs: number }): RunReading {
  if (count === 0 || sumMs === 0) return { missing: 'no_data', detail: 'no values' };
  const value = sumMs / count;
  return { figure: { level: Math.log(value), withinVariance: null, value, count } };
}
