import { randomExponential, randomGamma } from 'd3-random';
import { ms, type Ms } from '../base/time.ts';
import type { Arrivals, Segment } from '../plan/plan.ts';
import type { Random } from '../base/random.ts';
import type { TraceSource } from '../trace/trace.ts';
import { owns, type Shard } from '../plan/shard.ts';

/**
 * Yields the instants at which sessions are due, as offsets from the start. The schedule is absolute: no instant is
 * computed from the previous one, so it does not drift. Levels of the segments are sessions per second.
 *
 * The process runs in units of expected sessions (operational time): session n is due when the area under the rate
 * reaches its mark; marks are 1 apart (constant, from 0) or a gamma gap of mean 1 apart.
 */
export function* arrivalOffsets(
  { segments, arrivals }: { segments: readonly Segment[]; arrivals: Arrivals },
  random: Random,
): Generator<Ms, void> {
  const marks = marksOf(arrivals, random);
  let mark = marks();
  let areaBefore = 0;
  for (const segment of segments) {
    const area = areaOf(segment);
    while (mark < areaBefore + area) {
      yield ms(segment.startMs + offsetOfArea(segment, mark - areaBefore));
      mark = marks();
    }
    areaBefore += area;
  }
}

function marksOf(arrivals: Arrivals, random: Random): () => number {
  if (arrivals.kind === 'constant') {
    let next = 0;
    return () => next++;
  }
  const k = arrivals.burstiness;
  const gap = k === 1 ? randomExponential.source(random)(1) : randomGamma.source(random)(k, 1 / k);
  let mark = 0;
  return () => (mark += gap());
}

/** Returns the expected sessions of a whole segment. */
function areaOf({ startMs, endMs, from, to }: Segment): number {
  if (endMs === null) return from > 0 ? Infinity : 0;
  return ((from + to) / 2) * ((endMs - startMs) / 1000);
}

/**
 * Returns the time from the start of a segment until the area under its line is `area`, in milliseconds: the root of
 * from*t + slope*t^2/2 = area in the form that stays exact where the slope is 0.
 */
function offsetOfArea({ startMs, endMs, from, to }: Segment, area: number): number {
  if (area === 0) return 0;
  const slope = endMs === null ? 0 : (to - from) / ((endMs - startMs) / 1000);
  return (2000 * area) / (from + Math.sqrt(Math.max(0, from * from + 2 * slope * area)));
}

/** Yields the due instants of a trace's sessions, as offsets from the start, read on demand. */
export function* traceOffsets(trace: Pick<TraceSource, 'count' | 'startAt'>): Generator<Ms, void> {
  for (let index = 0; index < trace.count; index++) yield ms(trace.startAt(index).atMs);
}

/** A session of the schedule: its number, from 1, and when it is due, since the start. */
export interface Arrival {
  number: number;
  offset: Ms;
}

/** Arrivals of a shard: every shard follows the schedule of the whole run and takes only its own session numbers. */
export function* ownArrivals(offsets: Iterable<Ms>, shard: Shard): Generator<Arrival, void> {
  let number = 0;
  for (const offset of offsets) {
    number += 1;
    if (owns(shard, number)) yield { number, offset };
  }
}
