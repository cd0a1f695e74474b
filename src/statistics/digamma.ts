/** The derivative of the logarithm of the gamma function, for positive numbers, to about 1e-13 (Abramowitz and Stegun 6.3.18). */
export function digamma(x: number): number {
  let [shifted, sum] = [x, 0];
  for (; shifted < from; shifted++) sum -= 1 / shifted;
  const r = 1 / (shifted * shifted);
  return (
    sum + Math.log(shifted) - 0.5 / shifted - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
  );
}

/** Its derivative (6.4.12). */
export function trigamma(x: number): number {
  let [shifted, sum] = [x, 0];
  for (; shifted < from; shifted++) sum += 1 / (shifted * shifted);
  const r = 1 / (shifted * shifted);
  return sum + (1 + 0.5 / shifted + r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r / 30)))) / shifted;
}

const from = 10;
