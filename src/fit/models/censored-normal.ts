import { normalCdf, normalDensity } from '../../statistics/normal.ts';

/** What is known of values of which some are only known to be below `bound`. */
interface Censored {
  /** Of the values that are known: their number, mean and variance (over their number). */
  known: number;
  mean: number;
  variance: number;
  below: number;
  bound: number;
}

/** Mean and standard deviation of a normal distribution by maximum likelihood (the EM algorithm; closed form where nothing is below). */
export function fitCensoredNormal({ known, mean, variance, below, bound }: Censored): { mean: number; sd: number } {
  let [m, sd] = [mean, Math.sqrt(variance)];
  if (below === 0 || sd === 0) return { mean: m, sd };
  const share = below / (below + known);
  for (let step = 0; step < 500; step++) {
    const z = (bound - m) / sd;
    const hazard = normalDensity(z) / Math.max(1e-300, normalCdf(z));
    const hiddenMean = m - sd * hazard;
    const hiddenVariance = sd * sd * Math.max(0, 1 - z * hazard - hazard * hazard);
    const nextMean = share * hiddenMean + (1 - share) * mean;
    const next = Math.sqrt(
      share * (hiddenVariance + (hiddenMean - nextMean) ** 2) + (1 - share) * (variance + (mean - nextMean) ** 2),
    );
    const moved = Math.abs(next - sd) + Math.abs(nextMean - m);
    [m, sd] = [nextMean, next];
    if (moved < 1e-9 * sd) break;
  }
  return { mean: m, sd };
}
