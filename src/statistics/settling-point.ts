import { mean } from './averages.ts';

/** The last tenth, and three values at least, say too little of their spread. */
const leastKept = 3;

/**
 * How many values of a series to leave out at its start, so that the rest is steady: what minimises the standard error
 * of the mean of the rest (MSER; White, 1997), `most` of them at the most. More than half of them: it has not settled yet.
 */
export function settlingPoint(values: readonly number[], most = values.length): number {
  const keep = Math.max(leastKept, Math.ceil(values.length / 10));
  let [count, sum, squares] = [0, 0, 0];
  let best = { at: 0, error: Infinity };
  const centre = values.at(-1) ?? 0;
  for (let at = values.length - 1; at >= 0; at--) {
    const value = (values[at] ?? 0) - centre;
    count++;
    sum += value;
    squares += value * value;
    if (count < keep || at > most) continue;
    const error = Math.max(0, squares - (sum * sum) / count) / count ** 2;
    if (error <= best.error) best = { at, error };
  }
  return best.at;
}

/** Means of neighbours; what is left over at the start joins no group. */
export function groupMeans(values: readonly number[], size: number): number[] {
  const left = values.length % size;
  return Array.from({ length: Math.floor(values.length / size) }, (_, group) => {
    const from = left + group * size;
    let sum = 0;
    for (let at = from; at < from + size; at++) sum += values[at] ?? 0;
    return sum / size;
  });
}

/** How strongly a series comes back to its mean. */
interface Reversion {
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
