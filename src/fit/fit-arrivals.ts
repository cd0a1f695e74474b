import { gammaShape, gammaShapeError, gammaTails } from '../statistics/gamma.ts';
import type { ArrivalFit, FitNote, QuantityFit } from './document/fit.ts';
import { type Candidate, judgeFit } from './judge-fit.ts';
import { modelOf } from './models/model.ts';
import type { ArrivalBin, ArrivalCounts } from './observe/arrival-counts.ts';

/** Minimum number of gaps for an estimate of the burstiness. */
const minGaps = 100;
/** Maximum variance of a timer's gaps, relative to their squared mean. */
const maxConstantVariance = 0.01;
/** Maximum distance of ln k from 0 for Poisson arrivals: the difference would not be visible. */
const maxPoissonDistance = 0.05;

/** Fits the arrival process: its rate over time, and the evenness of its gaps relative to that rate. */
export function fitArrivals(
  counts: ArrivalCounts,
  lengthMs: number,
  isBinned: boolean,
): { arrivals: ArrivalFit; notes: FitNote[] } {
  const rate = isBinned ? fitRate(counts, lengthMs) : null;
  // A steady rate has one mean gap, whose estimate is more precise than each bin's.
  const pools = rate?.varies === true ? counts.bins : [pooled(counts.bins)];
  const evenness = evennessOf(counts, pools);
  const about = {
    sessions: counts.sessions,
    lengthMs,
    sessionsPerSecond: (1000 * (counts.sessions - 1)) / lengthMs,
    rate,
    dispersion: counts.dispersion?.value ?? null,
  };
  if (evenness === undefined)
    return {
      arrivals: { ...about, process: 'poisson', burstiness: null, interval: null, by: null, gaps: null },
      notes: ['few_arrivals'],
    };
  const { k, error, by } = evenness;
  const process = processOf(evenness);
  const isCoarse = by === 'counts';
  const arrivals: ArrivalFit = {
    ...about,
    process,
    burstiness: Math.min(k, 1e6),
    interval: { low: Math.max(0, k - 1.96 * error), high: Math.min(1e6, k + 1.96 * error) },
    by,
    gaps: isCoarse ? null : judgeGaps(counts, pools, { process, k }),
  };
  return { arrivals, notes: isCoarse ? ['coarse_clock'] : areClustered(counts, k) ? ['clusters'] : [] };
}

interface Evenness {
  k: number;
  /** Standard error. */
  error: number;
  by: NonNullable<ArrivalFit['by']>;
}

function processOf({ k, error }: Evenness): ArrivalFit['process'] {
  if (1 / k <= maxConstantVariance) return 'constant';
  return Math.abs(Math.log(k)) < maxPoissonDistance || Math.abs(k - 1) < 2.58 * error ? 'poisson' : 'gamma';
}

/** Estimates the gamma shape of gaps, each divided by the mean of its pool; `undefined` if there are too few gaps. */
function evennessOf(counts: ArrivalCounts, pools: readonly ArrivalBin[]): Evenness | undefined {
  const used = pools.filter(({ gaps, sum }) => gaps >= 2 && sum > 0);
  const gaps = used.reduce((total, pool) => total + pool.gaps, 0);
  if (gaps < minGaps) return undefined;
  const meanGap = used.reduce((total, pool) => total + pool.sum, 0) / gaps;
  const moments = byMoments(counts, used, gaps);
  // Equal gaps of a timer do not indicate a coarse clock, even if the resolution seems to equal the gap.
  if (counts.zeros === 0 && 1 / moments.k <= maxConstantVariance) return moments;
  if (counts.resolutionMs > maxResolution * meanGap) return byCounts(counts);
  return counts.zeros > 0 ? moments : byLikelihood(used, gaps);
}

/** Maximum resolution of a clock that still shows the gaps, as a share of the mean gap. */
const maxResolution = 0.5;

function byLikelihood(pools: readonly ArrivalBin[], gaps: number): Evenness {
  const spread = pools.reduce((sum, pool) => sum + pool.gaps * Math.log(pool.sum / pool.gaps) - pool.sumLog, 0) / gaps;
  // Estimating the mean of a pool removes about one gap's share of the spread.
  const k = gammaShape(spread / (1 - pools.length / gaps));
  return { k, error: k === Infinity ? 0 : gammaShapeError(k, gaps), by: 'likelihood' };
}

/** Estimates k as 1 over the squared coefficient of variation, less the variance of rounding two instants (Sheppard). */
function byMoments({ resolutionMs }: ArrivalCounts, pools: readonly ArrivalBin[], gaps: number): Evenness {
  const squares = pools.reduce((sum, pool) => {
    const mean = pool.sum / pool.gaps;
    const variance = (pool.sumSquared - pool.gaps * mean * mean) / (pool.gaps - 1) - resolutionMs ** 2 / 6;
    return sum + (pool.gaps * variance) / (mean * mean);
  }, 0);
  const k = 1 / Math.max(1e-6, squares / gaps);
  // For a gamma distribution, the variance of k by moments is 2 k (k + 1) / n.
  return { k, error: Math.sqrt((2 * k * (k + 1)) / gaps), by: 'moments' };
}

function byCounts({ dispersion }: ArrivalCounts): Evenness | undefined {
  if (dispersion === undefined) return undefined;
  const k = 1 / Math.max(1e-6, dispersion.value);
  return { k, error: (k * dispersion.error) / dispersion.value, by: 'counts' };
}

/** Independent gaps of shape k give counts a dispersion of 1 / k: a larger one means that sessions start in clusters. */
function areClustered({ dispersion }: ArrivalCounts, k: number): boolean {
  if (dispersion === undefined) return false;
  const over = dispersion.value - 1 / k;
  return over > Math.max(0.1, 0.5 / k) && over > 4 * dispersion.error;
}

function judgeGaps(
  counts: ArrivalCounts,
  pools: readonly ArrivalBin[],
  { process, k }: { process: ArrivalFit['process']; k: number },
): QuantityFit {
  const means = pools.map(({ sum, gaps }) => sum / Math.max(1, gaps));
  const sorted = counts.kept
    .map(({ gapMs, bin }) => gapMs / (means[means.length === 1 ? 0 : bin] ?? 1))
    .filter((gap) => Number.isFinite(gap))
    .sort((a, b) => a - b);
  const shape = { constant: k, poisson: 1, gamma: k }[process];
  const fitted: Candidate['distribution'] =
    process === 'constant' ? { kind: 'constant', value: 1 } : { kind: 'gamma', mean: 1, burstiness: shape };
  const gaps = pools.reduce((sum, pool) => sum + pool.gaps, 0);
  const meanGap = pools.reduce((sum, pool) => sum + pool.sum, 0) / gaps;
  const resolution = pools.length === 1 ? counts.resolutionMs / meanGap : 0;
  const seen = { unit: 'expected sessions' as const, count: gaps, zeros: counts.zeros, sorted, resolution, mean: 1 };
  return judgeFit({ distribution: fitted, model: modelOf(fitted), parameters: 1, logLikelihood: 0 }, seen);
}

function pooled(bins: readonly ArrivalBin[]): ArrivalBin {
  const pool: ArrivalBin = { sessions: 0, gaps: 0, sum: 0, sumLog: 0, sumSquared: 0 };
  for (const bin of bins) for (const key of Object.keys(pool) as (keyof ArrivalBin)[]) pool[key] += bin[key];
  return pool;
}

/** Thresholds for a varying rate in the fitted scenario: maximum p, and minimum variation. */
const alpha = 0.001;
const minVariation = 0.1;

/**
 * Tests whether the rate varies between bins by more than arrivals of this dispersion would at a steady rate. Compares the
 * dispersion of bins with the dispersion of neighbouring windows, which slow changes do not affect.
 */
export function fitRate(counts: ArrivalCounts, lengthMs: number): NonNullable<ArrivalFit['rate']> {
  const { bins, binMs, sessions } = counts;
  const spans = bins.map((_, index) => Math.min(binMs, lengthMs - index * binMs));
  // An end of a trace with almost no sessions is not evidence of a rate.
  const judged = bins.flatMap(({ sessions: seen }, index) => {
    const expected = (sessions * (spans[index] ?? 0)) / lengthMs;
    return expected >= minExpected ? [{ seen, expected }] : [];
  });
  const chiSquared = judged.reduce((sum, { seen, expected }) => sum + (seen - expected) ** 2 / expected, 0);
  const dispersion = Math.max(0.02, counts.dispersion?.value ?? 1);
  const degrees = Math.max(1, judged.length - 1);
  const p = gammaTails(degrees / 2, chiSquared / dispersion / 2).above;
  const expected = judged.reduce((sum, each) => sum + each.expected, 0);
  const variation = Math.sqrt(Math.max(0, chiSquared - degrees * dispersion) / Math.max(1, expected));
  return {
    binMs,
    perSecond: bins.map(({ sessions: seen }, index) => (1000 * seen) / Math.max(1, spans[index] ?? 0)),
    variation,
    p,
    varies: p < alpha && variation >= minVariation,
  };
}

const minExpected = 5;
