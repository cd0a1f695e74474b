import { batchError, batchesOf } from './batch-error.ts';

/** A run in parts: intervals, as a rule. */
interface Parts {
  parts: readonly { lengthMs: number }[];
}

/**
 * The standard error of a sum over a run by the run's own scatter; `null` with too few segments. `excess` holds what
 * each segment adds beyond its share.
 */
export function withinError(run: Parts, excess: readonly number[]): number | null {
  return withinScatter(run, excess)?.error ?? null;
}

/** The same with its degrees of freedom: one less than the batches. */
export function withinScatter({ parts }: Parts, excess: readonly number[]): { error: number; degrees: number } | null {
  const even = evenOut(excess, parts);
  const error = batchError(even);
  return error === null ? null : { error, degrees: batchesOf(even.length) - 1 };
}

/**
 * Batches are made of equal numbers of intervals and should be of equal length in time: a short interval, such as the
 * last one of a run, goes with its neighbour.
 */
function evenOut(sums: readonly number[], parts: Parts['parts']): number[] {
  const longest = parts.reduce((most, { lengthMs }) => Math.max(most, lengthMs), 0);
  const even: number[] = [];
  let carried = 0;
  sums.forEach((sum, at) => {
    const isShort = (parts[at]?.lengthMs ?? 0) < longest / 2;
    const last = even.length - 1;
    if (!isShort) {
      even.push(sum + carried);
      carried = 0;
    } else if (last < 0) carried += sum;
    else even[last] = (even[last] ?? 0) + sum;
  });
  return even;
}
