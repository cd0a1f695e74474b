import { sumCounters, type Counters } from '../record/counters.ts';
import type { Snapshot } from '../record/snapshot.ts';
import { mergeTallies, type Tally } from '../record/tally.ts';

/** What a section of the result is made from: a part of a run, added up. */
export interface Figures {
  tally: Tally;
  /** Its counters with the zeros. */
  counters: Counters;
}

/** Adds tallies up. */
export function figuresOf(parts: readonly Tally[]): Figures {
  const tally = mergeTallies(parts);
  return { tally, counters: sumCounters([tally.counters]) };
}

/** How long was measured: the run without its warm-up, in milliseconds. */
export const measuredMs = ({ elapsedMs, warmUpMs }: Snapshot): number => Math.max(0, elapsedMs - warmUpMs);
