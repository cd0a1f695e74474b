import { sumCounters, type Counters } from '../../record/counters.ts';
import { groupBy } from '../../base/group-by.ts';
import type { PartitionTally, Snapshot } from '../../record/snapshot.ts';
import { mergeTallies, type Tally } from '../../record/tally.ts';
import type { MeasuredPart } from '../percentiles/percentile-intervals.ts';

/** What a section of the result is made from: a part of a run, added up. */
export interface Figures {
  tally: Tally;
  /** Its counters with the zeros. */
  counters: Counters;
}

/** Adds tallies up. */
export function addTallies(parts: readonly Tally[]): Figures {
  const tally = mergeTallies(parts);
  return { tally, counters: sumCounters([tally.counters]) };
}

/** Their counters alone: to add series up takes milliseconds. */
export function addCountersOf(parts: readonly Pick<Tally, 'counters'>[]): Counters {
  return sumCounters(parts.map(({ counters }) => counters));
}

/** The measured part of a run, interval by interval, those in which nothing happened included. */
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

/** How long was measured: the run without its warm-up, in milliseconds. */
export function measuredMs({ elapsedMs, warmUpMs }: Snapshot): number {
  return Math.max(0, elapsedMs - warmUpMs);
}
