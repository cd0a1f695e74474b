import { later, type Instant } from '../base/time.ts';
import type { Segment } from '../plan/plan.ts';
import type { Dealt, ScheduleStage } from './stage.ts';
import { slotChanges } from './slots.ts';

/**
 * Closed load: every slot runs one session after another. A session is due when its slot is free: when the slot opens,
 * or when the session before it in the slot has ended. Resolves once all sessions that were started have ended.
 */
export async function runClosed(stage: ScheduleStage, segments: readonly Segment[]): Promise<Dealt> {
  const { plan, brake, sleeper, startedAt, takeSession, play } = stage;
  const endsAt = later(startedAt, stage.lengthMs);
  const chains: Promise<void>[] = [];
  const dealt: Dealt = { count: 0 };
  let slots = 0;
  let open = 0;

  const start = (due: Instant): Promise<Instant> => {
    dealt.count += 1;
    if (dealt.count === plan.sessions) brake.apply('drain');
    return play(dealt.count, due);
  };

  const runSlot = async (opened: Instant): Promise<void> => {
    let free = opened;
    while (!brake.reached('drain') && free < endsAt && open <= slots && takeSession()) free = await start(free);
    open -= 1;
  };

  for (const { offsetMs, slots: count } of slotChanges(segments)) {
    const at = later(startedAt, offsetMs);
    if (at >= endsAt || !(await sleeper.sleepUntil(at, 'drain'))) break;
    slots = count;
    for (; open < slots && !brake.reached('drain'); open++) chains.push(runSlot(at));
  }
  await Promise.all(chains);
  return dealt;
}
