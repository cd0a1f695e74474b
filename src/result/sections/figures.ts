import { sumCounters, type Counters } from '../../record/counters.ts';
import { groupBy } from '../../base/group-by.ts';
import type { PartitionTally, Snapshot } from '../../record/snapshot.ts';
import { mergeTallies, type Tally } from '../../record/tally.ts';
import type { MeasuredPart } from '../percentiles/percentile-intervals.ts';

export interface Figures {
  tally: Tally;
  counters: Counters;
}

export function addTallies(parts: readonly Tally[]): Figures {
  const tally = mergeTallies(parts);
  return { tally, counters: sumCounters([tally.counters]) };
}

/** Sums counters only: adding series takes milliseconds. */
export function addCountersOf(parts: readonly Pick<Tally, 'counters'>[]): Counters {
  return sumCounters(parts.map(({ counters }) => counters));
}

/** Returns the measured part of the run by interval, including those without events. */
export function measuredParts(
  { levels, intervals }: Snapshot,
  isWanted: (tally: PartitionTally) => boolean = () => true,
): MeasuredPart[] {
  const tallies = groupBy(
    intervals.filter((tally) => !tally.warmUp && isWanted(tally)),
    ({ startMs }) => String(startMs),
  );
  const measured = levels.filter(({ warmUp }) => !warmUp);
  const lengths = new Map(measured.map((each) => [String(each.startMs), each.lengthUs / 1000]));
  return [...new Set([...lengths.keys(), ...tallies.keys()])]
    .toSorted((a, b) => Number(a) - Number(b))
    .map((startMs) => ({ lengthMs: lengths.get(startMs) ?? 0, tallies: tallies.get(startMs) ?? [] }));
}

export function measuredMs({ elapsedMs, warmUpMs }: Snapshot): number {
  return Math.max(0, elapsedMs - warmUpMs);
}
