import { randomNormal } from 'd3-random';
import { randomOf } from '../../src/base/random.ts';

/** A first-order autoregressive series with steps of variance 1; `phi` 1: a random walk, 0: noise. */
export function seriesOf(phi: number, { length, seed }: { length: number; seed: number }): number[] {
  const draw = randomNormal.source(randomOf(seed))();
  let value = 0;
  return Array.from({ length }, () => (value = phi * value + draw()));
}
