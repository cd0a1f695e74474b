import { formatCount, formatMs, formatShare } from '../../base/format.ts';
import { graded, type Concern } from './concern.ts';
import type { Unanswered } from '../sections/unanswered.ts';

/** Whether the figures leave out the worst, because too many turns or creations had no answer when the run ended. */
export function findUnanswered(what: string, { count, share, longestWaitMs }: Unanswered['turns']): Concern {
  if (share === null) return undefined;
  const all = Math.round(count / share);
  const waited = longestWaitMs === null ? '' : `, after up to ${formatMs(longestWaitMs)}`;
  const message = `${formatCount(count)} of ${formatCount(all)} ${what} (${formatShare(share)}) had no answer when the run ended${waited}: no latency figure includes them`;
  return graded(share, { degraded: 0.01, invalid: 0.05 }, message);
}
