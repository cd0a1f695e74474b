import type { Plan } from '../../plan/plan.ts';
import type { Interval } from '../sections/intervals.ts';

/** Requested load and the live sessions over time. */
export interface OfferedLoad {
  load: Pick<Plan['load'], 'model'> & { segments?: readonly Segment[] };
  intervals: readonly Pick<Interval, 'startMs' | 'lengthMs' | 'warmUp' | 'sessions' | 'concurrency'>[];
}

export interface Segment {
  startMs: number;
  endMs: number | null;
  from: number;
  to: number;
}
