import { normalCdf } from '../statistics/gamma.ts';
import type { QuantityFit } from './document/fit.ts';
import { bicOf, type Candidate, distanceOf, judgeFit, type Seen } from './judge-fit.ts';
import { type TurnDistribution, turnModel } from './models/model.ts';
import type { TurnCount } from './observe/sample.ts';

/** Fits turns per session: the fewest parameters by Schwarz' criterion; with much data, by closeness. `counts` rise. */
export function fitTurns(counts: readonly TurnCount[]): QuantityFit {
  const count = counts.reduce((sum, { sessions }) => sum + sessions, 0);
  const sum = counts.reduce((before, { turns, sessions }) => before + turns * sessions, 0);
  const seen: Seen = { unit: 'turns', count, zeros: 0, sorted: spread(counts), resolution: 1, mean: sum / count };
  const [first, last] = [counts[0]?.turns ?? 1, counts.at(-1)?.turns ?? 1];
  if (first === last) return judgeFit(candidate({ kind: 'constant', value: first }, 1, counts), seen);
  const ranges = weighTurns(counts);
  const tried = [
    candidate({ kind: 'uniform', min: first, max: last }, 2, counts),
    candidate({ kind: 'normal', ...fitRoundedNormal(counts) }, 2, counts),
    candidate({ kind: 'weights', ranges }, 2 * ranges.length, counts),
  ];
  return judgeFit(choose(tried, seen), seen, tried);
}

/** With millions of sessions, any rounded curve differs significantly from the data: a simple one this close is accepted. */
const nearEnough = 0.01;

function choose(tried: readonly Candidate[], seen: Seen): Candidate {
  const byCriterion = [...tried].sort((a, b) => bicOf(a, seen.count) - bicOf(b, seen.count));
  const [best] = byCriterion;
  if (best === undefined) throw new Error('no distribution was tried');
  const simpler = byCriterion.find(
    (each) => each.parameters < best.parameters && distanceOf(each.model, seen) <= nearEnough,
  );
  return simpler ?? best;
}

function candidate(distribution: TurnDistribution, parameters: number, counts: readonly TurnCount[]): Candidate {
  const model = turnModel(distribution);
  const logLikelihood = counts.reduce(
    (sum, { turns, sessions }) => sum + sessions * Math.log(Math.max(1e-300, model.cdf(turns) - model.cdf(turns - 1))),
    0,
  );
  return { distribution, model, parameters, logLikelihood };
}

/** Fits the normal distribution whose draws, rounded and at least 1, have the maximum likelihood, by a search with shrinking steps. */
function fitRoundedNormal(counts: readonly TurnCount[]): { mean: number; sd: number } {
  const total = counts.reduce((sum, { sessions }) => sum + sessions, 0);
  const mean = counts.reduce((sum, { turns, sessions }) => sum + turns * sessions, 0) / total;
  const variance = counts.reduce((sum, { turns, sessions }) => sum + sessions * (turns - mean) ** 2, 0) / total;
  let best = { mean, logSd: Math.log(Math.max(0.1, Math.sqrt(Math.max(0, variance - 1 / 12)))) };
  let value = likelihoodOf(best, counts);
  for (let step = 0.5; step > 1e-4;) {
    const width = step * Math.exp(best.logSd);
    const near = [
      { ...best, mean: best.mean + width },
      // The scenario's mean is at least 1.
      { ...best, mean: Math.max(1, best.mean - width) },
      { ...best, logSd: best.logSd + step },
      { ...best, logSd: best.logSd - step },
    ].map((each) => ({ each, value: likelihoodOf(each, counts) }));
    const better = near.reduce((left, right) => (right.value > left.value ? right : left));
    if (better.value > value) [best, value] = [better.each, better.value];
    else step /= 2;
  }
  return { mean: best.mean, sd: Math.exp(best.logSd) };
}

function likelihoodOf({ mean, logSd }: { mean: number; logSd: number }, counts: readonly TurnCount[]): number {
  const sd = Math.exp(logSd);
  return counts.reduce((sum, { turns, sessions }) => {
    const below = turns === 1 ? 0 : normalCdf((turns - 0.5 - mean) / sd);
    return sum + sessions * Math.log(Math.max(1e-300, normalCdf((turns + 0.5 - mean) / sd) - below));
  }, 0);
}

/** Maximum number of values from which quantiles are computed. */
const maxSpread = 20_000;

/** Lists the values that were counted; of very many, a proportional selection. */
function spread(counts: readonly TurnCount[]): number[] {
  const total = counts.reduce((sum, { sessions }) => sum + sessions, 0);
  const scale = Math.min(1, maxSpread / total);
  const values: number[] = [];
  let before = 0;
  for (const { turns, sessions } of counts) {
    before += sessions;
    const upTo = Math.round(before * scale);
    while (values.length < upTo) values.push(turns);
  }
  return values;
}

/** A range of numbers of turns and the sessions within. */
interface WeightedRange {
  min: number;
  max: number;
  weight: number;
}

/**
 * Fits ranges of equally likely numbers to the counts: those with the maximum likelihood less half of
 * Schwarz' penalty for two parameters per range, found by dynamic programming. `counts` are sorted.
 */
export function weighTurns(counts: readonly TurnCount[]): WeightedRange[] {
  const cells = thin(counts);
  const total = cells.reduce((sum, { weight }) => sum + weight, 0);
  const before = [0];
  for (const { weight } of cells) before.push((before.at(-1) ?? 0) + weight);
  const penalty = Math.log(total);
  const best = [0];
  const starts = [0];
  for (let end = 1; end <= cells.length; end++) {
    best[end] = -Infinity;
    for (let start = 0; start < end; start++) {
      const weight = (before[end] ?? 0) - (before[start] ?? 0);
      const width = (cells[end - 1]?.max ?? 0) - (cells[start]?.min ?? 0) + 1;
      const value = (best[start] ?? 0) + weight * Math.log(weight / total / width) - penalty;
      if (value > (best[end] ?? 0)) [best[end], starts[end]] = [value, start];
    }
  }
  const ranges: WeightedRange[] = [];
  for (let end = cells.length; end > 0; end = starts[end] ?? 0) {
    const start = starts[end] ?? 0;
    const weight = (before[end] ?? 0) - (before[start] ?? 0);
    ranges.unshift({ min: cells[start]?.min ?? 1, max: cells[end - 1]?.max ?? 1, weight });
  }
  return ranges;
}

/** Returns the finest ranges: each number by itself up to 64, beyond that within about a sixteenth of each other, so that they are few. */
function thin(counts: readonly TurnCount[]): WeightedRange[] {
  const cells: WeightedRange[] = [];
  for (const { turns, sessions } of counts) {
    const last = cells.at(-1);
    if (last !== undefined && turns > 64 && turns < last.min * (1 + 1 / 16)) {
      last.max = turns;
      last.weight += sessions;
    } else cells.push({ min: turns, max: turns, weight: sessions });
  }
  return cells;
}
