import { formatCount, formatMs, formatShare } from '../../base/format.ts';
import { graded, type Concern } from './concern.ts';
import type { Stop } from '../sections/stop.ts';
import type { Unanswered } from '../sections/unanswered.ts';

const remedyForCap =
  'Raise the cap, or lower the concurrency: too much was in flight or waiting for its retry when the cap was reached.';

/**
 * Whether the figures leave out the worst, because too many turns or creations had no answer when the run ended. A cap
 * ends a run by keeping back what would have been retried, so its remedy is the cap.
 */
export function findUnanswered(
  what: string,
  { count, share, longestWaitMs }: Unanswered['turns'],
  stop: Stop['kind'] | undefined,
): Concern {
  if (share === null) return undefined;
  const all = Math.round(count / share);
  const waited = longestWaitMs === null ? '' : `, after up to ${formatMs(longestWaitMs)}`;
  const message = `${formatCount(count)} of ${formatCount(all)} ${what} (${formatShare(share)}) had no answer when the run ended${waited}: no latency figure includes them`;
  const found = graded(share, { degraded: 0.01, invalid: 0.05 }, message);
  return found && stop === 'cap' ? { ...found, remedy: remedyForCap } : found;
}
