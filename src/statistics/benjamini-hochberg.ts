/**
 * The p-values of a family, adjusted so that calling those of at most q makes at most a share q of the calls false
 * (Benjamini and Hochberg, 1995). In the order given.
 */
export function adjustForFamily(ps: readonly number[]): number[] {
  const order = ps.map((_, index) => index).sort((a, b) => (ps[b] ?? 0) - (ps[a] ?? 0));
  const adjusted = [...ps];
  let least = 1;
  order.forEach((index, above) => {
    least = Math.min(least, ((ps[index] ?? 1) * ps.length) / (ps.length - above));
    adjusted[index] = least;
  });
  return adjusted;
}
