import { nameOrLength } from '../../base/excerpt.ts';
import type { Seen } from '../rule.ts';
import type { ApiRule } from './api-talk.ts';
import type { StreamEvent } from './stream-event.ts';

type Given = Pick<ApiRule, 'id' | 'rule' | 'expected'>;

/** A rule on the events of a streamed reply: all of them are looked at in order. */
export function streamRule(section: string, given: Given, look: (events: readonly StreamEvent[]) => Seen): ApiRule {
  return { ...given, section, try: async (talk) => look(await talk.events()) };
}

/** What is seen where a fault is worded, or that there is none. */
export function orderly(fault: string | undefined, seen = 'in order'): Seen {
  return { isKept: fault === undefined, seen: fault ?? seen };
}

/** Whether the end comes once, and last; in words what is wrong, `undefined`: nothing. */
export function endFault(events: readonly StreamEvent[], isEnd: (event: StreamEvent) => boolean): string | undefined {
  const ends = events.filter(isEnd).length;
  if (ends !== 1)
    return ends === 0 ? `it never came; the last event is ${nameOf(events.at(-1))}` : `it came ${String(ends)} times`;
  const last = events.at(-1);
  return last !== undefined && isEnd(last) ? undefined : `${nameOf(last)} came after it`;
}

/** An event in words. */
export function nameOf(event: StreamEvent | undefined): string {
  if (event === undefined) return 'missing';
  return event.kind === '' ? `"${nameOrLength(event.data, 40)}"` : event.kind;
}
