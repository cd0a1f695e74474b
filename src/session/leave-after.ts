import { keyOf, randomOf } from '../base/random.ts';
import type { Ms } from '../base/time.ts';
import type { Workload } from './session-context.ts';

const leaveKey = keyOf('abandon');

/** After how long the user of a turn leaves, drawn from the seed; `undefined`: the user stays. */
export function leaveAfter(
  { plan: { abandon }, script }: Pick<Workload, 'script'> & { plan: Pick<Workload['plan'], 'abandon'> },
  session: number,
  turn: number,
): Ms | undefined {
  if (abandon === null || randomOf(script.seed, leaveKey, turn, session)() >= abandon.share) return undefined;
  return abandon.afterMs;
}
