/** A value of a series over time, to four significant digits: more cannot be seen, and costs room. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
