import { normalCdf } from '../statistics/gamma.ts';
import type { FitUnit, QuantityFit } from './document/fit.ts';
import { bicOf, judgeFit, type Candidate, type Seen } from './judge-fit.ts';
import { fitCensoredNormal, modelOf, type OfLengths } from './models/model.ts';
import type { Sample } from './observe/sample.ts';

export const minValues = 30;

/**
 * Fits lengths of time or text: constant, or the likeliest of uniform, exponential and lognormal. Zeros count as below
 * half the clock's or unit's resolution.
 */
export function fitLengths(sample: Sample, unit: FitUnit): QuantityFit {
  const { resolution, count, zeros } = sample;
  const sorted = sample.sorted();
  const seen: Seen = { unit, count, zeros, sorted, resolution, mean: sample.sum / count };
  const constant = constantOf(sample);
  if (constant !== undefined) return judgeFit(constant, seen);
  const bound = resolution > 0 ? resolution / 2 : (sorted.find((value) => value > 0) ?? 1) / 2;
  const tried = [uniformOf(sample, bound), exponentialOf(sample, bound), lognormalOf(sample, bound)];
  const best = tried.reduce((left, right) => (bicOf(right, count) < bicOf(left, count) ? right : left));
  return judgeFit(best, seen, tried);
}

/** Returns a constant if no value differs from the mean by more than a hundredth, or by more than the clock's resolution. */
function constantOf({ min, max, sum, count, resolution }: Sample): Candidate | undefined {
  const mean = sum / count;
  if (max - min > Math.max(2 * resolution, 0.02 * mean)) return undefined;
  return candidate({ kind: 'constant', value: mean }, 1, 0);
}

const candidate = (distribution: OfLengths, parameters: number, logLikelihood: number): Candidate => ({
  distribution,
  model: modelOf(distribution),
  parameters,
  logLikelihood,
});

function uniformOf({ min, max, count, zeros }: Sample, bound: number): Candidate {
  const [from, width] = [Math.max(0, min), max - Math.max(0, min)];
  const hidden = zeros === 0 ? 0 : zeros * Math.log(bound / width);
  return candidate({ kind: 'uniform', min: from, max }, 2, hidden - (count - zeros) * Math.log(width));
}

function exponentialOf({ sum, count, zeros }: Sample, bound: number): Candidate {
  const mean = sum / count;
  const hidden = zeros === 0 ? 0 : zeros * Math.log(-Math.expm1(-bound / mean));
  return candidate({ kind: 'exponential', mean }, 1, hidden - (count - zeros) * Math.log(mean) - sum / mean);
}

function lognormalOf({ count, zeros, sumLog, sumLogSquared }: Sample, bound: number): Candidate {
  const known = count - zeros;
  const mean = sumLog / known;
  const variance = Math.max(1e-12, sumLogSquared / known - mean * mean);
  const fitted = fitCensoredNormal({ known, mean, variance, below: zeros, bound: Math.log(bound) });
  const squares = known * (variance + (mean - fitted.mean) ** 2);
  const seen = -sumLog - known * Math.log(fitted.sd * Math.sqrt(2 * Math.PI)) - squares / (2 * fitted.sd ** 2);
  const below = normalCdf((Math.log(bound) - fitted.mean) / fitted.sd);
  const hidden = zeros === 0 ? 0 : zeros * Math.log(Math.max(1e-300, below));
  return candidate({ kind: 'lognormal', median: Math.exp(fitted.mean), sigma: fitted.sd }, 2, seen + hidden);
}
