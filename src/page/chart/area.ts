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
