import { later, type Instant } from '../base/time.ts';
import type { Segment } from '../plan/plan.ts';
import { numberIn } from '../plan/shard.ts';
import type { Dealt, ScheduleContext } from './schedule-context.ts';
import { slotChanges } from './slots.ts';

/**
 * Closed load: every slot runs one session after another. A session is due when its slot is free: when the slot opens,
 * when the session before it in the slot has ended, or, where the target refuses everything, in its turn. Resolves once all sessions that were started have ended.
 */
export async function runClosed(context: ScheduleContext, segments: readonly Segment[]): Promise<Dealt> {
  const { plan, shard, stopSignal, sleeper, throttle, startedAt, takeSession, play } = context;
  const endsAt = later(startedAt, context.lengthMs);
  const chains: Promise<void>[] = [];
  const dealt: Dealt = { count: 0 };
  let slots = 0;
  let open = 0;

  const start = (due: Instant): Promise<Instant> => {
    dealt.count += 1;
    if (dealt.count === plan.sessions) stopSignal.apply('drain');
    return play(numberIn(shard, dealt.count), due);
  };

  const runSlot = async (opened: Instant): Promise<void> => {
    let free = opened;
    for (;;) {
      const due = throttle.isHolding ? await throttle.pass() : free;
      if (due === undefined || stopSignal.reached('drain') || due >= endsAt || open > slots || !takeSession()) break;
      free = await start(due);
    }
    open -= 1;
  };

  for (const { offsetMs, slots: count } of slotChanges(segments, shard)) {
    const at = later(startedAt, offsetMs);
    if (at >= endsAt || !(await sleeper.sleepUntil(at, 'drain'))) break;
    slots = count;
    for (; open < slots && !stopSignal.reached('drain'); open++) chains.push(runSlot(at));
  }
  await Promise.all(chains);
  return dealt;
}
