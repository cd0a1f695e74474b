import { mean } from './mean.ts';

/** How strongly a series comes back to its mean. */
export interface Reversion {
  /** Of the regression of each value on the one before it, with a constant. */
  phi: number;
  /** n (1 - phi): about the number of relaxation times that the series is long. */
  statistic: number;
}

/**
 * The coefficient test of Dickey and Fuller (1979), with a constant: whether a series comes back to its mean, rather
 * than walks. Of a random walk `statistic` is near 5 however long it is, since phi is then estimated too low, and above
 * 20.7 in 1 of 100 (Fuller, 1976, table 8.5.1). Of a series with a relaxation time it grows with the series. `null`:
 * nothing varies, or there are fewer than 4 values.
 */
export function dickeyFuller(values: readonly number[]): Reversion | null {
  if (values.length < 4) return null;
  const [before, after] = [values.slice(0, -1), values.slice(1)];
  const [centre, shifted] = [mean(before), mean(after)];
  let [squares, products] = [0, 0];
  before.forEach((value, at) => {
    squares += (value - centre) ** 2;
    products += (value - centre) * ((after[at] ?? 0) - shifted);
  });
  if (squares === 0) return null;
  const phi = products / squares;
  return { phi, statistic: before.length * (1 - phi) };
}
