/** A number that can be drawn; null for one that is missing, or no number. */
export function finite(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isFinite(value) ? value : null;
}

/** Four significant digits: more than a chart shows, in half the bytes. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A time on an axis, to the microsecond. */
export function roundedMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}
