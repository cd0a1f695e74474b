/** Minimum width of intervals, in milliseconds. */
export const shortestIntervalMs = 1000;

export const maxIntervals = 600;

/** Maximum number of entries in a list of intervals: with a warm-up each may have two, plus some tolerance for documents. */
export const maxIntervalEntries = 3 * maxIntervals;

/** Returns the interval width for a run of this length: 1 s, doubled until at most 600 intervals are needed. */
export function widthFor(elapsedMs: number): number {
  let width = shortestIntervalMs;
  while (elapsedMs > width * maxIntervals) width *= 2;
  return width;
}

/** Returns the start of the interval of an instant, both in milliseconds since the start of the run. */
export function startOf(elapsedMs: number, width: number): number {
  return Math.max(0, Math.floor(elapsedMs / width) * width);
}
