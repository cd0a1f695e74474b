/** The upper tail of a distribution on positive numbers and its density, both at `x`. */
interface Distribution {
  tail: (x: number) => number;
  density: (x: number) => number;
}

/**
 * The value that a distribution exceeds with this probability, to about 1e-13. Newton's method on the logarithm of the tail over
 * the logarithm of x: for Student's and Fisher's distributions this curve falls ever more steeply, so that the method
 * converges from any start, after at most one step too far.
 */
export function upperQuantile(probability: number, { tail, density }: Distribution): number {
  const target = Math.log(probability);
  let log = 0;
  for (let step = 0; step < mostSteps; step++) {
    const x = Math.exp(log);
    const above = tail(x);
    const change = ((Math.log(above) - target) * above) / (x * density(x));
    // Limits each step up: where the tail underflows to 0, the method cannot return.
    log += Math.min(change, Math.LN2);
    if (Math.abs(change) < 1e-14) break;
  }
  return Math.exp(log);
}

const mostSteps = 1500;
