import { z } from 'zod';
import { addSparse } from './add-sparse.ts';
import { readSparse } from './sparse-histogram.ts';
import { writeSparse } from './write-sparse.ts';

const count = z.int().min(0);

/**
 * One series as it is kept: the histogram in its encoded form, and beside it the figures that a histogram gives only
 * approximately.
 */
export const storedSeriesSchema = z.object({
  /** Read from the histogram. */
  count: count.min(1),
  /** Exact, in microseconds. */
  sumUs: count,
  minUs: count,
  maxUs: count,
  /** How many values lay beyond the longest duration and were recorded as that. */
  clamped: count,
  /** HDR V2, compressed, base64. */
  hdr: z.string(),
});

export type StoredSeries = z.infer<typeof storedSeriesSchema>;

/**
 * The series that holds all values of its parts; `undefined` when there are none. Exact, and the same in any order.
 * Throws `UnreadableHistogram` when a part's is none of ours.
 */
export function mergeSeries(parts: readonly (StoredSeries | undefined)[]): StoredSeries | undefined {
  const [first, ...rest] = parts.filter((part) => part !== undefined);
  if (first === undefined || rest.length === 0) return first;
  const merged = { ...first };
  for (const part of rest) {
    merged.sumUs += part.sumUs;
    merged.minUs = Math.min(merged.minUs, part.minUs);
    merged.maxUs = Math.max(merged.maxUs, part.maxUs);
    merged.clamped += part.clamped;
  }
  const sum = addSparse([first, ...rest].map(({ hdr }) => readSparse(hdr)));
  return { ...merged, count: sum.total, hdr: writeSparse(sum) };
}
