import { ms, type Ms } from '../base/time.ts';
import type { Segment } from '../plan/plan.ts';
import { shareOf, wholeRun, type Shard } from '../plan/shard.ts';

/** From an offset on, the number of sessions that may run at a time. */
interface SlotChange {
  offsetMs: Ms;
  slots: number;
}

/**
 * When slots open and close under closed load, each change by one slot at most, except at jumps. While the level is between
 * k-1 and k there are k slots, so a ramp from 0 opens its first slot at once. A shard has its part of the slots.
 */
export function* slotChanges(segments: readonly Segment[], shard: Shard = wholeRun): Generator<SlotChange, void> {
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
