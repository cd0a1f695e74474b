/** Plot area of a chart, in pixels. */
export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Extent of an axis in pixels; a vertical one starts at the bottom. */
export interface Span {
  fromPx: number;
  toPx: number;
}

/** Margins of the area, equal in all charts so that their time axes line up. */
export const leftPx = 74;
export const rightPx = 25;

interface AreaSize {
  width: number;
  top: number;
  height: number;
  /** Right margin; wider for a right axis. */
  endPx?: number;
}

/** Returns the area of a chart of this width: `height` pixels below `top`. */
export function areaOf({ width, top, height, endPx = rightPx }: AreaSize): Area {
  return { left: leftPx, right: Math.max(leftPx + 40, width - endPx), top, bottom: top + height };
}

export function acrossOf({ left, right }: Area): Span {
  return { fromPx: left, toPx: right };
}

export function upwardsOf({ top, bottom }: Area): Span {
  return { fromPx: bottom, toPx: top };
}

/** Maps a value to its position on an axis, in pixels. */
export type Projection = (value: number) => number;

/** Transforms values before linear placement. */
type Warp = (value: number) => number;

export const straight: Warp = (value) => value;

/** Maps a value to its logarithm; values without one are placed far below all others. */
export const logarithmic: Warp = (value) => Math.log10(Math.max(value, Number.MIN_VALUE));

/** Maps a percentile to HdrHistogram's axis: p90 to p99 is as long as p99 to p99.9. */
export const towardsTail: Warp = (percentile) => -Math.log10(1 - Math.min(percentile, tailEnd) / 100);
const tailEnd = 100 - 1e-7;

export function placeOn({ fromPx, toPx }: Span, [min, max]: readonly [number, number], warp = straight): Projection {
  const start = warp(min);
  const length = warp(max) - start;
  return (value) => (length === 0 ? (fromPx + toPx) / 2 : fromPx + ((warp(value) - start) / length) * (toPx - fromPx));
}
