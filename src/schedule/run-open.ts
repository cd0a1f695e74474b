import { later, type Ms, between } from '../base/time.ts';
import type { Load } from '../plan/plan.ts';
import { keyOf, randomOf } from '../base/random.ts';
import { openAdmission } from './admission.ts';
import { arrivalOffsets, traceOffsets, ownArrivals, type Arrival } from './arrivals.ts';
import { Pace } from './pace.ts';
import type { Dealt, ScheduleContext, NotStarted } from './schedule-context.ts';

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

/**
 * Counts the sessions that had become due before now, of those that are still to come: by retry policy, and those of the warm-up apart, since each belongs to its own due instant. Whatever their number, no
 * more is kept than two counts per policy.
 */
function countOverdue(
  { plan, clock, startedAt, lengthMs, policyOf }: ScheduleContext,
  { dealt, arrivals }: { dealt: number; arrivals: Iterable<Arrival> },
): NotStarted[] {
  const now = clock.now();
  const groups = new Map<string, NotStarted>();
  let left = (plan.sessions ?? Infinity) - dealt;
  for (const { number, offset } of arrivals) {
    const due = later(startedAt, offset);
    if (due >= now || offset >= lengthMs || left === 0) break;
    const policy = policyOf(number);
    const isWarmUp = between(startedAt, due) < plan.warmUpMs;
    const key = `${String(policy)} ${String(isWarmUp)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { count: 1, policy, becameDue: true, due });
    else group.count += 1;
    left -= 1;
  }
  return [...groups.values()];
}
