import { randomExponential, randomLogNormal, randomNormal, randomUniform } from 'd3-random';
import { ms, type Ms } from '../base/time.ts';
import type { ResolvedDistribution } from '../scenario/duration-distribution.ts';
import type { Random } from '../base/random.ts';
import type { ResolvedTurns } from '../scenario/turn-options.ts';

/** Draws durations from a distribution, in milliseconds, from the given stream. */
export function sampleDuration(distribution: ResolvedDistribution, random: Random): () => Ms {
  return drawer(distribution, random) as () => Ms;
}

function drawer(distribution: ResolvedDistribution, random: Random): () => number {
  switch (distribution.kind) {
    case 'constant':
      return () => distribution.ms;
    case 'uniform':
      return randomUniform.source(random)(distribution.minMs, distribution.maxMs);
    case 'lognormal':
      return distribution.medianMs === 0
        ? () => 0
        : randomLogNormal.source(random)(Math.log(distribution.medianMs), distribution.sigma);
    case 'exponential':
      return distribution.meanMs === 0 ? () => 0 : randomExponential.source(random)(1 / distribution.meanMs);
  }
}

/** Returns the mean of a distribution, in milliseconds. */
export function meanOf(distribution: ResolvedDistribution): Ms {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms;
    case 'uniform':
      return ms((distribution.minMs + distribution.maxMs) / 2);
    case 'lognormal':
      return ms(distribution.medianMs * Math.exp(distribution.sigma ** 2 / 2));
    case 'exponential':
      return distribution.meanMs;
  }
}

type Range = Extract<ResolvedTurns, { kind: 'weights' }>['ranges'][number];

/** Draws the number of turns of a session. */
export function drawTurns(distribution: ResolvedTurns, random: Random): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.turns;
    case 'uniform':
      return drawWithin(distribution, random);
    case 'normal':
      return Math.max(1, Math.round(randomNormal.source(random)(distribution.mean, distribution.sd)()));
    case 'weights': {
      const { ranges } = distribution;
      let left = random() * weightOf(ranges);
      const drawn = ranges.find(({ weight }) => (left -= weight) < 0) ?? ranges.at(-1);
      if (drawn === undefined) throw new Error('a weighted distribution has at least one range');
      return drawWithin(drawn, random);
    }
  }
}

const drawWithin = ({ min, max }: Omit<Range, 'weight'>, random: Random): number =>
  min + Math.floor(random() * (max - min + 1));

const weightOf = (ranges: readonly Range[]): number => ranges.reduce((sum, { weight }) => sum + weight, 0);

/** Returns the mean number of turns per session, for forecasts. */
export function meanTurns(distribution: ResolvedTurns): number {
  if (distribution.kind === 'normal') return distribution.mean;
  const ranges = rangesOf(distribution);
  const total = weightOf(ranges);
  return ranges.reduce((sum, { min, max, weight }) => sum + (weight * (min + max)) / 2 / total, 0);
}

/** Returns the mean number of a session's turns whose number is at most `last`. */
export function turnsUpTo(distribution: ResolvedTurns, last: number): number {
  const ranges = rangesOf(distribution);
  const total = weightOf(ranges);
  return ranges.reduce((sum, range) => sum + (range.weight / total) * meanOfBounded(range, last), 0);
}

/** Returns the largest number of turns that a session can have. */
export function maxTurns(distribution: ResolvedTurns): number {
  return distribution.kind === 'normal' ? Infinity : Math.max(...rangesOf(distribution).map(({ max }) => max));
}

/** Returns the largest turn number of a session, or infinity: results of tools are sent in further turns. */
export function maxTurnNumber({ turns, tools }: Readonly<{ turns: ResolvedTurns; tools: object }>): number {
  return Object.keys(tools).length > 0 ? Infinity : maxTurns(turns);
}

/** Returns a distribution as ranges; a normal one becomes the uniform one with its mean and standard deviation. */
function rangesOf(distribution: ResolvedTurns): readonly Range[] {
  switch (distribution.kind) {
    case 'constant':
      return [{ min: distribution.turns, max: distribution.turns, weight: 1 }];
    case 'uniform':
      return [{ ...distribution, weight: 1 }];
    case 'normal': {
      const reach = distribution.sd * Math.sqrt(3);
      const min = Math.max(1, Math.round(distribution.mean - reach));
      return [{ min, max: Math.max(min, Math.round(distribution.mean + reach)), weight: 1 }];
    }
    case 'weights':
      return distribution.ranges;
  }
}

/** Returns the mean of min(turns, last) if all numbers of turns in the range are equally likely. */
function meanOfBounded({ min, max }: Range, last: number): number {
  if (last >= max) return (min + max) / 2;
  if (last < min) return last;
  const below = last - min + 1;
  return ((below * (min + last)) / 2 + (max - last) * last) / (max - min + 1);
}
