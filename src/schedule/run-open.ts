import { later, type Ms } from '../base/time.ts';
import type { Load } from '../plan/plan.ts';
import { keyOf, randomOf } from '../base/random.ts';
import { openAdmission } from './admission.ts';
import { arrivalOffsets } from './arrivals.ts';
import { ownArrivals, type Arrival } from './own-arrivals.ts';
import { countOverdue } from './count-overdue.ts';
import { Pace } from './pace.ts';
import type { Dealt, ScheduleContext } from './schedule-context.ts';
import { traceOffsets } from './trace-offsets.ts';

/**
 * Open load: sessions are due at the instants of an arrival process. One that is due while `maxConcurrency` are live
 * waits, and those behind it with it, or is dropped. Resolves once all sessions that were started have ended.
 */
export async function runOpen(context: ScheduleContext, load: Extract<Load, { model: 'open' }>): Promise<Dealt> {
  const { plan, shard, clock, stopSignal, sleeper, startedAt, observer } = context;
  const admission = openAdmission(context, load.maxConcurrency ?? Infinity);
  const arrivals = ownArrivals(offsetsOf(context, load), shard);
  const pace = new Pace(startedAt);
  const dealt: Dealt = { count: 0 };

  for (const arrival of arrivals) {
    const { number, offset } = arrival;
    if (offset >= context.lengthMs) break;
    const due = later(startedAt, offset);
    const wasWaiting = due < clock.now();
    const overdue = (): Dealt['overdue'] =>
      countOverdue(context, { dealt: dealt.count, arrivals: withFirst(arrival, arrivals) });
    const isDue = await sleeper.sleepUntil(pace.next(due, clock.now()), 'drain');
    const isFull = admission.isFull();
    if (isDue && isFull && load.whenFull === 'drop') observer.sessionDropped(due, context.policyOf(number));
    else if (isDue && !context.takeSession()) {
      // A cap ends the run before this session: it is no longer due. A cap that halts the run leaves others waiting.
      if (wasWaiting && stopSignal.reached('halt')) dealt.overdue = overdue();
      break;
    } else if (!isDue || !(await admission.start(number, due))) {
      dealt.overdue = overdue();
      break;
    } else if (isFull) pace.waitedForPlace();
    dealt.count += 1;
    if (dealt.count === plan.sessions) break;
  }
  if (dealt.count === plan.sessions) stopSignal.apply('drain');
  await sleeper.sleepUntil(later(startedAt, context.lengthMs), 'drain');
  await admission.allEnded();
  return dealt;
}

/** When sessions are due: as recorded, or as drawn from the seed. */
function offsetsOf({ plan, trace }: ScheduleContext, load: Extract<Load, { model: 'open' }>): Iterable<Ms> {
  if (load.trace === undefined) return arrivalOffsets(load, randomOf(plan.seed, keyOf('arrivals')));
  if (trace === undefined) throw new Error('a plan that replays a trace was given none');
  return traceOffsets(trace);
}

function* withFirst(first: Arrival, rest: Iterable<Arrival>): Generator<Arrival, void> {
  yield first;
  yield* rest;
}
