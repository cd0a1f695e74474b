/** Four significant digits: more than a chart shows, in half the bytes. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A time on an axis, to the microsecond. */
export function roundedMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}
