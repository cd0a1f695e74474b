/**
 * The quantile of Student's t law: the value that it stays below with this probability. Abramowitz and Stegun, Handbook
 * of Mathematical Functions, 26.7.5 (an expansion around the normal quantile). From 25 degrees of freedom on the error
 * is below 0.0005, that of the normal quantile, which is a four-hundredth of a per cent of a 95 % interval's width.
 */
export function tQuantile(probability: number, degrees: number): number {
  if (probability < 0.5) return -tQuantile(1 - probability, degrees);
  const z = normalQuantile(probability);
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return terms.reduce((sum, term, index) => sum + term / degrees ** (index + 1), z);
}

/** The same book, 26.2.23; from the median up. */
function normalQuantile(probability: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - probability));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - above / below;
}
