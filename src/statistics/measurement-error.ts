/**
 * A distribution as ranges with a weight each, spread evenly within its range. Weights sum to 1. Ranges ascend and do not
 * overlap; ranges of a difference of delays may be below zero. Unit: milliseconds.
 */
export interface Binned {
  from: Float64Array;
  to: Float64Array;
  weights: Float64Array;
}

/** Ends of the quantile ranges that represent delays: finer towards the tail, which decides high percentiles. */
const quantileEnds = [
  ...Array.from({ length: 9 }, (_, at) => at / 10),
  ...Array.from({ length: 9 }, (_, at) => 0.9 + at / 100),
  ...Array.from({ length: 10 }, (_, at) => 0.99 + at / 1000),
  1,
];

/** Width of a range whose values are all equal. */
const minWidth = 1e-6;

/** Returns the distribution with these quantiles (from 0 to 1), which are requested in ascending order. */
export function binQuantiles(quantileAt: (quantile: number) => number): Binned {
  const ends = Float64Array.from(quantileEnds, (end) => quantileAt(end));
  return {
    from: ends.slice(0, -1),
    to: ends.slice(1).map((end, at) => Math.max(end, (ends[at] ?? 0) + minWidth)),
    weights: Float64Array.from(quantileEnds.slice(1), (end, at) => end - (quantileEnds[at] ?? 0)),
  };
}

/** Returns the distribution of the sum of independent delays, one of each distribution. */
export function sumOfDelays(a: Binned, b: Binned): Binned {
  return binQuantiles(quantilesOf(combine(a, b, 1)));
}

/** Returns the distribution of the difference of two independent delays: symmetric, with both tails as fine as one of a delay. */
export function differenceOfDelays(delay: Binned): Binned {
  const { from, to, weights } = binQuantiles(quantilesOf(combine(delay, delay, -1).filter(([value]) => value >= 0)));
  const mirrored = (values: Float64Array): number[] => Array.from(values, (value) => -value).toReversed();
  return {
    from: Float64Array.from([...mirrored(to), ...from]),
    to: Float64Array.from([...mirrored(from), ...to]),
    weights: Float64Array.from([...weights.toReversed(), ...weights], (weight) => weight / 2),
  };
}

/** Returns the distribution of a delay of which a share is of the second kind. */
export function mixtureOf(a: Binned, b: Binned, shareOfB: number): Binned {
  if (shareOfB <= 0) return a;
  if (shareOfB >= 1) return b;
  const pairsOf = (of: Binned, share: number): Pair[] =>
    Array.from(middlesOf(of), (value, at): Pair => [value, share * (of.weights[at] ?? 0)]);
  const pairs = [...pairsOf(a, 1 - shareOfB), ...pairsOf(b, shareOfB)].sort(([x], [y]) => x - y);
  return binQuantiles(quantilesOf(pairs));
}

type Pair = readonly [value: number, weight: number];

/** Returns the sums or differences of the middles of all ranges, in ascending order. */
function combine(a: Binned, b: Binned, sign: 1 | -1): Pair[] {
  const [ofA, ofB] = [middlesOf(a), middlesOf(b)];
  return Array.from(ofA, (value, i) =>
    Array.from(ofB, (other, j): Pair => [value + sign * other, (a.weights[i] ?? 0) * (b.weights[j] ?? 0)]),
  )
    .flat()
    .sort(([x], [y]) => x - y);
}

const middlesOf = ({ from, to }: Binned): Float64Array => from.map((low, at) => (low + (to[at] ?? low)) / 2);

/** Returns the quantiles of weighted values; to be requested in ascending order. */
function quantilesOf(pairs: readonly Pair[]): (quantile: number) => number {
  const total = pairs.reduce((sum, [, weight]) => sum + weight, 0);
  let [at, below] = [0, 0];
  return (quantile) => {
    for (; at < pairs.length - 1 && below + (pairs[at]?.[1] ?? 0) < quantile * total; at++)
      below += pairs[at]?.[1] ?? 0;
    return pairs[at]?.[0] ?? 0;
  };
}

/** Cumulative distribution: the share of values at or below each limit, linear between limits. */
interface Cumulative {
  limits: Float64Array;
  shares: Float64Array;
}

/** Returns the lowest value that a share of the values does not exceed. */
function quantileOf({ limits, shares }: Cumulative, quantile: number): number {
  const at = placeOf(shares, quantile, 'from');
  if (at === 0) return limits[0] ?? 0;
  if (at === limits.length) return limits.at(-1) ?? 0;
  const [low, high] = [shares[at - 1] ?? 0, shares[at] ?? 0];
  const [start, end] = [limits[at - 1] ?? 0, limits[at] ?? 0];
  return start + ((quantile - low) / (high - low)) * (end - start);
}

/** Returns the share of the values at or below a limit. */
function shareAt({ limits, shares }: Cumulative, limit: number): number {
  const at = placeOf(limits, limit, 'above');
  if (at === 0 || at === limits.length) return at === 0 ? 0 : 1;
  const [start = 0, end = 0] = [limits[at - 1], limits[at]];
  const [low = 0, high = 0] = [shares[at - 1], shares[at]];
  return low + ((limit - start) / (end - start)) * (high - low);
}

/** Returns the place of the first of ascending numbers from a value on, or above it; their number if there is none. */
function placeOf(ascending: Float64Array, value: number, side: 'from' | 'above'): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const each = ascending[middle] ?? 0;
    if (each > value || (side === 'from' && each === value)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Rounds of the removal: enough for delays of up to the spread of the values; more rounds amplify chance. */
const rounds = 10;
/** Standard errors within which chance is allowed for: of the share below a percentile, and of the number of values that the delay moves above it. */
const sampling = 1.5;
/** Factor on the estimate of the mean: the delays are a sample, too, and independent of the values only nearly. */
const safety = 1.65;
/** Number of quantiles whose estimates are averaged: one alone depends on the chance of a few values. */
const neighbours = 9;
/** Factor on the likely limit: delays occur in groups, too. */
const likelySafety = 2;
/** Factor on the bound that holds without a model of the values: the largest delays are a sample, too. */
const boundSafety = 1.25;

/**
 * Returns a function that estimates by how much a measured quantile (from 0 to 1) may exceed the true one, never negative, if
 * the measurement added independent delays to `count` values. The mean is the larger of two estimates, near the quantile: (a) how much
 * the delay would add again, which is too small if the delay made the tail; (b) the quantile less that of the distribution with the
 * delay removed. The delay moves values above the quantile by chance: their number has the variance of its mean, and each moves
 * the quantile by the space between two values. The sum does not exceed the bound that holds for any values: a quantile p is at
 * most d above the quantile p · P(delay ≤ d).
 */
export function measurementErrors(measured: Binned, delay: Binned, count: number): (quantile: number) => number {
  const { observed, delayed, restored, misfit } = removeDelay(measured, delay);
  const isIndependent = misfit <= maxMisfit;
  const meanDelay = meanSizeOf(delay);
  return (quantile) => {
    const reach = sampling * Math.sqrt((quantile * (1 - quantile)) / count);
    if (!isIndependent) return boundSafety * maxDelayOf(delay);
    const near = Array.from(
      { length: neighbours },
      (_, at) => quantile + reach * ((2 * at) / (neighbours - 1) - 1),
    ).map((each) => Math.min(1, Math.max(0, each)));
    const values = near.map((each) => quantileOf(observed, each));
    const added = near.map((each, at) => quantileOf(delayed, each) - (values[at] ?? 0));
    const removed = near.map((each, at) => (values[at] ?? 0) - quantileOf(restored, each));
    const shift = safety * Math.max(0, mean(added), mean(removed));
    const space = reach === 0 ? 0 : (quantileOf(observed, quantile) - (values[0] ?? 0)) / (reach * count);
    const estimate = shift + sampling * Math.sqrt(Math.max(shift, meanDelay) * space);
    const most = Math.min(estimate, boundSafety * boundAt(observed, delay, Math.min(1, quantile + reach)));
    return likelySafety * likelyAt({ observed, restored }, delay, { quantile, count, most: most / likelySafety });
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the mean of the delays without their sign. */
function meanSizeOf(delay: Binned): number {
  return middlesOf(delay).reduce((sum, value, at) => sum + Math.abs(value) * (delay.weights[at] ?? 0), 0);
}

/**
 * Maximum distance between the measured shares and those of the restored values with the delay: beyond it, the delay cannot be
 * independent of the values (a process that is always suspended when replies arrive), and each value may contain the largest.
 */
const maxMisfit = 0.15;

/** Returns the 99th percentile of the delay. */
function maxDelayOf({ to, weights }: Binned): number {
  let below = 0;
  return to.find((_, at) => (below += weights[at] ?? 0) >= 0.99) ?? 0;
}

function boundAt(observed: Cumulative, delay: Binned, quantile: number): number {
  const value = quantileOf(observed, quantile);
  let [below, bound] = [0, Infinity];
  delay.to.forEach((most, at) => {
    below += delay.weights[at] ?? 0;
    bound = Math.min(bound, value - quantileOf(observed, quantile * below) + Math.max(0, most));
  });
  return bound;
}

/**
 * Returns what the delay adds to a quantile at most in 95 of 100 runs, or `most` if that is less. At least as many true values are
 * below x - d as measured ones are below x, but for those that a delay of more than d moved above x, of which a likely number is
 * allowed for: if that is still less than the share of the quantile, the true one is above x - d. Plain loops, because the end of a
 * run spends most of its time here.
 */
function likelyAt(
  { observed, restored }: Record<'observed' | 'restored', Cumulative>,
  { to, weights }: Binned,
  { quantile, count, most }: { quantile: number; count: number; most: number },
): number {
  const value = quantileOf(observed, quantile);
  const highest = observed.limits.findLastIndex((each) => each <= value);
  let least = most;
  for (let each = 0; each < to.length; each++) {
    const allowed = Math.max(0, to[each] ?? 0);
    for (let at = highest; at >= 0; at--) {
      const limit = observed.limits[at] ?? 0;
      const added = value - limit + allowed;
      if (added >= least) break;
      const share = observed.shares[at] ?? 0;
      if (share > quantile) continue;
      const below = shareAt(restored, limit - allowed);
      let moved = 0;
      for (let longer = 0; longer < to.length; longer++) {
        const delay = to[longer] ?? 0;
        if (delay > allowed) moved += (weights[longer] ?? 0) * (below - shareAt(restored, limit - delay));
      }
      if (share + likelyCount(moved * count) / count > quantile) continue;
      least = added;
      break;
    }
  }
  return least;
}

/** Returns the number that a Poisson variable with this mean does not exceed in 95 of 100 cases. */
function likelyCount(mean: number): number {
  if (mean > 50) return mean + 1.645 * Math.sqrt(mean);
  let [probability, sum, events] = [Math.exp(-mean), Math.exp(-mean), 0];
  while (sum < 0.95) {
    probability *= mean / ++events;
    sum += probability;
  }
  return events;
}

/** Number of limits below and above the measured values, for shares that the delay moves there. */
const outerLimits = 12;

/**
 * Adds the delay to a distribution again, and removes it, by the iteration of Van Cittert (1931) on shares, kept ascending and
 * within 0 and 1: each round adds what the distribution with the delay still lacks of the measured one. Working on shares
 * instead of densities keeps chance from building a tail.
 */
function removeDelay(
  measured: Binned,
  delay: Binned,
): Record<'observed' | 'delayed' | 'restored', Cumulative> & { misfit: number } {
  // A delay that every value has is a shift.
  const least = Math.max(0, delay.from[0] ?? 0);
  const delays = middlesOf(delay).map((each) => each - least);
  const observed = cumulativeOf(joined(measured), Math.max(...delays.map(Math.abs)));
  const addDelay = delaying(observed.limits, delays, delay.weights);
  const delayed = addDelay(observed.shares);
  let [shares, expected] = [observed.shares, delayed];
  for (let round = 0; round < rounds; round++) {
    shares = ascending(shares.map((share, at) => share + (observed.shares[at] ?? 0) - (expected[at] ?? 0)));
    expected = addDelay(shares);
  }
  const moved = (by: number): Float64Array => observed.limits.map((limit) => limit + by);
  return {
    observed,
    delayed: { limits: moved(least), shares: delayed },
    restored: { limits: moved(-least), shares },
    misfit: Math.max(...observed.shares.map((share, at) => Math.abs(share - (expected[at] ?? 0)))),
  };
}

/**
 * Returns ascending shares near these, between 0 and 1: the middle of the lowest ones above all shares before and of the highest
 * ones below all shares after, so that chance moves them to neither side.
 */
function ascending(shares: Float64Array): Float64Array {
  const upper = shares.slice();
  const lower = shares.slice();
  for (let at = 1; at < shares.length; at++) upper[at] = Math.max(upper[at - 1] ?? 0, upper[at] ?? 0);
  for (let at = shares.length - 2; at >= 0; at--) lower[at] = Math.min(lower[at + 1] ?? 1, lower[at] ?? 1);
  return upper.map((share, at) => Math.min(1, Math.max(0, (share + (lower[at] ?? 0)) / 2)));
}

/** Returns the ranges without spaces between them: that there was no value is chance, and the rarer range could have had it. */
function joined({ from, to, weights }: Binned): Binned {
  const [starts, ends] = [from.slice(), to.slice()];
  for (let at = 1; at < starts.length; at++) {
    const [end = 0, start = 0] = [ends[at - 1], starts[at]];
    if ((weights[at - 1] ?? 0) < (weights[at] ?? 0)) ends[at - 1] = start;
    else starts[at] = end;
  }
  return { from: starts, to: ends, weights };
}

/** Takes ranges without spaces between them, and adds limits up to `reach` below and above. */
function cumulativeOf({ from, to, weights }: Binned, reach: number): Cumulative {
  const [first, last] = [from[0] ?? 0, to.at(-1) ?? 0];
  const outer = Array.from({ length: outerLimits }, (_, at) => (reach * (at + 1)) / outerLimits);
  const limits = [...outer.map((each) => first - each).toReversed(), first];
  const shares = [...outer.map(() => 0), 0];
  let sum = 0;
  weights.forEach((weight, bin) => {
    limits.push(to[bin] ?? 0);
    shares.push((sum += weight));
  });
  limits.push(...outer.map((each) => last + each));
  shares.push(...outer.map(() => 1));
  return { limits: Float64Array.from(limits), shares: Float64Array.from(shares, (share) => Math.min(1, share)) };
}

/** Returns a function that adds delays to the shares at these limits. The places of all limits less all delays are found once. */
function delaying(limits: Float64Array, delays: Float64Array, weights: Float64Array) {
  const count = limits.length;
  const places = new Int32Array(count * delays.length);
  const parts = new Float64Array(count * delays.length);
  delays.forEach((delay, row) => {
    let at = 0;
    limits.forEach((limit, column) => {
      const value = limit - delay;
      while (at < count && (limits[at] ?? 0) <= value) at++;
      places[row * count + column] = at;
      const [start = value, end = value] = [limits[at - 1], limits[at]];
      if (end > start) parts[row * count + column] = (value - start) / (end - start);
    });
  });
  return (shares: Float64Array): Float64Array => {
    const sum = new Float64Array(count);
    weights.forEach((weight, row) => {
      for (let column = 0, slot = row * count; column < count; column++, slot++) {
        const at = places[slot] ?? 0;
        const low = at === 0 ? 0 : (shares[at - 1] ?? 0);
        const high = at === count ? 1 : (shares[at] ?? 0);
        sum[column] = (sum[column] ?? 0) + weight * (at === 0 ? 0 : low + (parts[slot] ?? 0) * (high - low));
      }
    });
    return sum;
  };
}
