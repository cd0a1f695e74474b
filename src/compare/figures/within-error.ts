import { batchError } from './batch-error.ts';
import type { OpenRun } from './open-run.ts';
import type { Stretch } from './stretch.ts';

/**
 * The standard error of a sum over a run by the run's own scatter; `null` with too few stretches. `excess` holds what
 * each stretch adds beyond its share.
 */
export const withinError = ({ stretches }: OpenRun, excess: readonly number[]): number | null =>
  batchError(evenOut(excess, stretches));

/**
 * Batches are made of equal numbers of intervals and should be of equal length in time: a short interval, such as the
 * last one of a run, goes with its neighbour.
 */
function evenOut(sums: readonly number[], stretches: readonly Stretch[]): number[] {
  const longest = stretches.reduce((most, { lengthMs }) => Math.max(most, lengthMs), 0);
  const even: number[] = [];
  let carried = 0;
  sums.forEach((sum, at) => {
    const isShort = (stretches[at]?.lengthMs ?? 0) < longest / 2;
    const last = even.length - 1;
    if (!isShort) {
      even.push(sum + carried);
      carried = 0;
    } else if (last < 0) carried += sum;
    else even[last] = (even[last] ?? 0) + sum;
  });
  return even;
}
