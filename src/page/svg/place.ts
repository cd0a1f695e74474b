import type { Span } from '../chart/area.ts';

/** From a value to its place on an axis, in pixels. */
export type Place = (value: number) => number;

/** Bends values before they are placed evenly. */
export type Warp = (value: number) => number;

export const straight: Warp = (value) => value;

/** Values that have no logarithm are placed far below all others. */
export const logarithmic: Warp = (value) => Math.log10(Math.max(value, Number.MIN_VALUE));

/** HdrHistogram's axis: as much room from p90 to p99 as from p99 to p99.9. */
export const towardsTail: Warp = (percentile) => -Math.log10(1 - Math.min(percentile, leastTail) / 100);
const leastTail = 100 - 1e-7;

/** Places values from `least` to `most` over a span. */
export function placeOn({ fromPx, toPx }: Span, [least, most]: readonly [number, number], warp = straight): Place {
  const start = warp(least);
  const length = warp(most) - start;
  return (value) => (length === 0 ? (fromPx + toPx) / 2 : fromPx + ((warp(value) - start) / length) * (toPx - fromPx));
}
