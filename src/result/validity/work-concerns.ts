import type { Books } from '../books/books.ts';
import { degradedIf, invalidIf, type Concern, graded } from './rule.ts';
import { percentiles } from '../percentiles/percentiles.ts';
import { formatCount, formatMs, formatShare } from '../../base/format.ts';
import type { Stop } from '../sections/run-facts.ts';
import type { Unanswered } from '../sections/outcomes.ts';

/** Number of turns that a p99 needs; with these, a run can be judged regardless of the length of the warm-up. */
const enough = percentiles.find(({ percent }) => percent === 99)?.floor ?? 0;

/**
 * Reports a concern if the warm-up contains nearly all of a run: after it no session was started and no turn sent, or under
 * a tenth of the turns finished, and too few for a p99.
 */
export function findMostlyWarmUp({ sessions, turns, warmUp }: Pick<Books, 'sessions' | 'turns' | 'warmUp'>): Concern {
  const all = turns.ok + turns.failed;
  const measured = all - warmUp.turns.ok - warmUp.turns.failed;
  if (all === measured) return undefined;
  return (
    invalidIf(
      turns.sent === warmUp.turns.sent && sessions.started === warmUp.sessions.started,
      `all ${String(all)} finished turns were in the warm-up: nothing was measured`,
    ) ??
    degradedIf(
      measured > 0 && measured < all / 10 && measured < enough,
      `only ${String(measured)} of ${String(all)} finished turns were measured: the others were in the warm-up`,
    )
  );
}

const remedyForCap =
  'Raise the cap, or lower the concurrency: too much was in flight or waiting for its retry when the cap was reached.';

/**
 * Reports a concern if the figures exclude the worst cases, because too many turns or creations had no answer when the run
 * ended. A cap ends a run without further retries, so its remedy is the cap.
 */
export function findUnanswered(
  operations: string,
  { count, share, maxWaitMs }: Unanswered['turns'],
  stop: Stop['kind'] | undefined,
): Concern {
  if (share === null) return undefined;
  const all = Math.round(count / share);
  const waited = maxWaitMs === null ? '' : `, after up to ${formatMs(maxWaitMs)}`;
  const message = `${formatCount(count)} of ${formatCount(all)} ${operations} (${formatShare(share)}) had no answer when the run ended${waited}: no latency figure includes them`;
  const found = graded(share, { degraded: 0.01, invalid: 0.05 }, message);
  return found && stop === 'cap' ? { ...found, remedy: remedyForCap } : found;
}
