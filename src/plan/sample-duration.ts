import { randomExponential, randomLogNormal, randomUniform } from 'd3-random';
import { ms, type Ms } from '../base/time.ts';
import type { SettledDurationLaw } from '../scenario/duration-law.ts';
import type { Random } from './random.ts';

/** Draws lengths of time by a law, in milliseconds, from the given stream. */
export function sampleDuration(law: SettledDurationLaw, random: Random): () => Ms {
  return drawer(law, random) as () => Ms;
}

function drawer(law: SettledDurationLaw, random: Random): () => number {
  switch (law.kind) {
    case 'constant':
      return () => law.ms;
    case 'uniform':
      return randomUniform.source(random)(law.minMs, law.maxMs);
    case 'lognormal':
      return law.medianMs === 0 ? () => 0 : randomLogNormal.source(random)(Math.log(law.medianMs), law.sigma);
    case 'exponential':
      return law.meanMs === 0 ? () => 0 : randomExponential.source(random)(1 / law.meanMs);
  }
}

/** The mean of a law, in milliseconds. */
export function meanOf(law: SettledDurationLaw): Ms {
  switch (law.kind) {
    case 'constant':
      return law.ms;
    case 'uniform':
      return ms((law.minMs + law.maxMs) / 2);
    case 'lognormal':
      return ms(law.medianMs * Math.exp(law.sigma ** 2 / 2));
    case 'exponential':
      return law.meanMs;
  }
}
