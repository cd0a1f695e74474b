import { randomOf } from '../../base/random.ts';

/** Which of `count` are taken: `sample` of them, each with the same probability (selection sampling, Knuth's algorithm S). */
export function drawSample(count: number, sample: number, seed: number): ReadonlySet<number> {
  const random = randomOf(seed);
  const drawn = new Set<number>();
  for (let index = 0; index < count && drawn.size < sample; index++)
    if (random() * (count - index) < sample - drawn.size) drawn.add(index);
  return drawn;
}
