import { between, later, type Instant } from '../base/time.ts';
import type { Load } from '../plan/plan.ts';
import { keyOf, randomOf } from '../plan/random.ts';
import { openAdmission } from './admission.ts';
import { arrivalOffsets } from './arrivals.ts';
import { Pace } from './pace.ts';
import type { Dealt, ScheduleStage } from './stage.ts';

/**
 * Open load: sessions are due at the instants of an arrival process. One that is due while `maxConcurrency` are live
 * waits, and those behind it with it, or is dropped. Resolves once all sessions that were started have ended.
 */
export async function runOpen(stage: ScheduleStage, load: Extract<Load, { model: 'open' }>): Promise<Dealt> {
  const { plan, clock, brake, sleeper, startedAt, observer } = stage;
  const admission = openAdmission(stage, load.maxConcurrency ?? Infinity);
  const offsets = arrivalOffsets(load, randomOf(plan.seed, keyOf('arrivals')));
  const pace = new Pace(startedAt);
  const dealt: Dealt = { count: 0 };

  for (const offset of offsets) {
    if (offset >= stage.lengthMs) break;
    const due = later(startedAt, offset);
    const isDue = await sleeper.sleepUntil(pace.next(due, clock.now()), 'drain');
    const isFull = admission.isFull();
    if (isDue && isFull && load.whenFull === 'drop') observer.sessionDropped(due, stage.policyOf(dealt.count + 1));
    // A cap ends the run before this session: it is not due any more.
    else if (isDue && !stage.takeSession()) break;
    else if (!isDue || !(await admission.start(dealt.count + 1, due))) {
      dealt.overdue = countOverdue(due, stage, { offsets, left: (plan.sessions ?? Infinity) - dealt.count });
      break;
    } else if (isFull) pace.waitedForPlace();
    dealt.count += 1;
    if (dealt.count === plan.sessions) break;
  }
  if (dealt.count === plan.sessions) brake.apply('drain');
  await sleeper.sleepUntil(later(startedAt, stage.lengthMs), 'drain');
  await admission.allEnded();
  return dealt;
}

/** Counts the sessions that were due when the run was told to drain and had not been started: `first` and those after it. */
function countOverdue(
  first: Instant,
  { clock, startedAt, lengthMs }: ScheduleStage,
  { offsets, left }: { offsets: Iterable<number>; left: number },
): Dealt['overdue'] {
  const now = clock.now();
  if (first > now) return undefined;
  const until = Math.min(between(startedAt, now), lengthMs);
  let count = 1;
  for (const offset of offsets) {
    if (offset >= until || count >= left) break;
    count += 1;
  }
  return { count, first };
}
