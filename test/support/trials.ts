/** True if everything is tested, as in `npm run test:long`. */
export const isWhole = process.env['MONTE_CARLO'] === 'whole';

/** The number of trials of a Monte-Carlo test: all of them in `npm run test:long`, else a tenth, and 30 at least. */
export function trials(whole: number): number {
  return isWhole ? whole : Math.min(whole, Math.max(30, Math.ceil(whole / 10)));
}

/** Probability beyond three standard errors of a normal distribution, on one side. */
const beyond = 0.00135;

/** Minimum number of successes in `count` trials that is not surprising if each succeeds with probability `p`. */
export function minOf(count: number, p: number): number {
  return count - maxOf(count, 1 - p);
}

/** The greatest such number: the binomial distribution has at most 0.135 % above it. */
export function maxOf(count: number, p: number): number {
  let below = 0;
  for (let successes = 0; successes < count; successes++) {
    below += probabilityOf(successes, count, p);
    if (below >= 1 - beyond) return successes;
  }
  return count;
}

function probabilityOf(successes: number, count: number, p: number): number {
  let logarithm = successes * Math.log(p) + (count - successes) * Math.log1p(-p);
  for (let i = 1; i <= successes; i++) logarithm += Math.log((count - successes + i) / i);
  return Math.exp(logarithm);
}
