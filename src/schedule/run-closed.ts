import { between, later, ms, type Instant, type Ms } from '../base/time.ts';
import type { Segment } from '../plan/plan.ts';
import { numberIn, shareOf, type Shard } from '../plan/shard.ts';
import type { Dealt, ScheduleContext } from './schedule-context.ts';

/**
 * Runs closed load: every slot runs one session after another. A session is due when its slot is free: when the slot opens,
 * when the previous session of the slot has ended, or, if the target refuses everything, in its turn. Resolves after all
 * started sessions have ended.
 */
export async function runClosed(context: ScheduleContext, segments: readonly Segment[]): Promise<Dealt> {
  const { plan, shard, clock, stopSignal, sleeper, throttle, startedAt, takeSession, play } = context;
  const endsAt = later(startedAt, context.lengthMs);
  const chains: Promise<void>[] = [];
  const dealt: Dealt = { count: 0 };
  let yieldedAt = clock.now();
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

  /**
   * Yields to the event loop periodically while a ramp that has fallen behind opens slot after slot. Otherwise nothing
   * would be sent or received, and no timer would fire, until the ramp has caught up.
   */
  const breathe = async (due: Instant): Promise<void> => {
    const now = clock.now();
    if (due >= now) yieldedAt = due;
    else if (between(yieldedAt, now) >= breathlessMs) {
      await new Promise<void>((resolve) => clock.wakeAt(now, resolve));
      yieldedAt = clock.now();
    }
  };

  for (const { offsetMs, slots: count } of slotChanges(segments, shard)) {
    const at = later(startedAt, offsetMs);
    await breathe(at);
    if (at >= endsAt || !(await sleeper.sleepUntil(at, 'drain'))) break;
    slots = count;
    for (; open < slots && !stopSignal.reached('drain'); open++) chains.push(runSlot(at));
  }
  await Promise.all(chains);
  return dealt;
}

/** Maximum time for opening slots without yielding, in milliseconds. */
const breathlessMs = 10;

/** Maximum number of concurrent sessions from an offset on. */
interface SlotChange {
  offsetMs: Ms;
  slots: number;
}

/**
 * Yields the openings and closings of slots under closed load, each change by one slot at most, except at jumps. While the level is between
 * k-1 and k there are k slots, so a ramp from 0 opens its first slot at once. A shard has its part of the slots.
 */
function* slotChanges(segments: readonly Segment[], shard: Shard): Generator<SlotChange, void> {
  let slots = 0;
  for (const segment of segments) {
    for (const change of changesIn(segment)) {
      const dealt = shareOf(change.slots, shard);
      if (dealt === slots) continue;
      slots = dealt;
      yield { ...change, slots };
    }
  }
}

function* changesIn({ startMs, endMs, from, to }: Segment): Generator<SlotChange, void> {
  yield { offsetMs: startMs, slots: Math.ceil(from) };
  if (endMs === null || from === to) return;
  const at = (level: number): Ms => ms(startMs + ((level - from) / (to - from)) * (endMs - startMs));
  if (to > from) for (let level = Math.ceil(from); level < to; level++) yield { offsetMs: at(level), slots: level + 1 };
  else for (let level = Math.ceil(from) - 1; level >= to; level--) yield { offsetMs: at(level), slots: level };
}
