import type { Ms } from '../base/time.ts';
import { owns, type Shard } from '../plan/shard.ts';

/** A session of the schedule: its number, from 1, and when it is due, since the start. */
export interface Arrival {
  number: number;
  offset: Ms;
}

/** The arrivals that a shard plays: every shard follows the one schedule of the whole run and takes its own numbers. */
export function* ownArrivals(offsets: Iterable<Ms>, shard: Shard): Generator<Arrival, void> {
  let number = 0;
  for (const offset of offsets) {
    number += 1;
    if (owns(shard, number)) yield { number, offset };
  }
}
