/** Where the marks of a chart are drawn, in pixels of its picture. */
export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A stretch of an axis in pixels; a vertical one has its start at the bottom. */
export interface Span {
  fromPx: number;
  toPx: number;
}

/** Left and right of the area, in all charts: an instant has one place in those over time. */
export const leftPx = 74;
export const rightPx = 25;

interface AreaSize {
  width: number;
  top: number;
  height: number;
  /** What stays free on the right; more where an axis is there. */
  endPx?: number;
}

/** The area of a picture that is `width` wide, `height` of it for the marks, below `top`. */
export function areaOf({ width, top, height, endPx = rightPx }: AreaSize): Area {
  return { left: leftPx, right: Math.max(leftPx + 40, width - endPx), top, bottom: top + height };
}

export function acrossOf({ left, right }: Area): Span {
  return { fromPx: left, toPx: right };
}

export function upwardsOf({ top, bottom }: Area): Span {
  return { fromPx: bottom, toPx: top };
}

/** From a value to its place on an axis, in pixels. */
export type Place = (value: number) => number;

/** Bends values before they are placed evenly. */
type Warp = (value: number) => number;

export const straight: Warp = (value) => value;

/** Values that have no logarithm are placed far below all others. */
export const logarithmic: Warp = (value) => Math.log10(Math.max(value, Number.MIN_VALUE));

/** HdrHistogram's axis: as much room from p90 to p99 as from p99 to p99.9. */
export const towardsTail: Warp = (percentile) => -Math.log10(1 - Math.min(percentile, tailEnd) / 100);
const tailEnd = 100 - 1e-7;

/** Places values from `least` to `most` over a span. */
export function placeOn({ fromPx, toPx }: Span, [min, max]: readonly [number, number], warp = straight): Place {
  const start = warp(min);
  const length = warp(max) - start;
  return (value) => (length === 0 ? (fromPx + toPx) / 2 : fromPx + ((warp(value) - start) / length) * (toPx - fromPx));
}
