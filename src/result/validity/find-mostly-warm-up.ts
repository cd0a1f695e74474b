import type { Books } from '../books/books.ts';
import { degradedIf, invalidIf, type Concern } from './concern.ts';
import { percentiles } from '../percentiles/percentiles.ts';

/** This number of turns has a p99: it can be judged whatever the length of the warm-up. */
const enough = percentiles.find(({ percent }) => percent === 99)?.floor ?? 0;

/**
 * Whether a warm-up holds nearly all of a run: behind it no session was started and no turn sent, or under a tenth of
 * the turns finished, and too few for a p99.
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
