/** The width of intervals while a run is short, in milliseconds. */
export const shortestIntervalMs = 1000;

/** How many intervals are kept at most. */
export const maxIntervals = 600;

/** Entries in a list of intervals: with a warm-up each may have two, and those of a document may not be much more. */
export const maxIntervalEntries = 3 * maxIntervals;

/** The width of the intervals of a run of this length: 1 s, doubled as often as it takes to need no more than 600. */
export function widthFor(elapsedMs: number): number {
  let width = shortestIntervalMs;
  while (elapsedMs > width * maxIntervals) width *= 2;
  return width;
}

/** The start of the interval that an instant falls in, both in milliseconds since the run's start. */
export function startOf(elapsedMs: number, width: number): number {
  return Math.max(0, Math.floor(elapsedMs / width) * width);
}
