import type { SettledTurns } from '../scenario/turn-options.ts';

type Range = Extract<SettledTurns, { kind: 'weights' }>['ranges'][number];

/** Returns the mean number of a session's turns whose number is at most `last`. */
export function turnsUpTo(distribution: SettledTurns, last: number): number {
  const ranges = rangesOf(distribution);
  const total = ranges.reduce((sum, { weight }) => sum + weight, 0);
  return ranges.reduce((sum, range) => sum + (range.weight / total) * meanOfBounded(range, last), 0);
}

/** Returns the largest number of turns that a session can have. */
export function mostTurns(distribution: SettledTurns): number {
  return distribution.kind === 'normal' ? Infinity : Math.max(...rangesOf(distribution).map(({ max }) => max));
}

/** A normal distribution is represented by the uniform one with its mean and standard deviation. */
function rangesOf(distribution: SettledTurns): readonly Range[] {
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

/** The mean of min(turns, last) if every number of turns in the range is as likely. */
function meanOfBounded({ min, max }: Range, last: number): number {
  if (last >= max) return (min + max) / 2;
  if (last < min) return last;
  const below = last - min + 1;
  return ((below * (min + last)) / 2 + (max - last) * last) / (max - min + 1);
}
