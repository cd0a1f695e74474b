import { randomExponential, randomLogNormal, randomUniform } from 'd3-random';
import { ms, type Ms } from '../base/time.ts';
import type { SettledDistribution } from '../scenario/duration-distribution.ts';
import type { Random } from '../base/random.ts';

/** Draws lengths of time from a distribution, in milliseconds, from the given stream. */
export function sampleDuration(distribution: SettledDistribution, random: Random): () => Ms {
  return drawer(distribution, random) as () => Ms;
}

function drawer(distribution: SettledDistribution, random: Random): () => number {
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

/** The mean of a distribution, in milliseconds. */
export function meanOf(distribution: SettledDistribution): Ms {
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
