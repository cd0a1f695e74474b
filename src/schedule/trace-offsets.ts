import { ms, type Ms } from '../base/time.ts';
import type { TraceSource } from '../trace/trace.ts';

/** The instants at which the sessions of a trace are due, as offsets from the start, read as they are asked for. */
export function* traceOffsets(trace: Pick<TraceSource, 'count' | 'startAt'>): Generator<Ms, void> {
  for (let index = 0; index < trace.count; index++) yield ms(trace.startAt(index).atMs);
}
