import type { TurnCount } from './observe/turn-tally.ts';

/** A range of numbers of turns and the sessions within. */
export interface WeightedRange {
  min: number;
  max: number;
  weight: number;
}

/**
 * The ranges, each with equally likely numbers in it, that describe the counts best: the greatest likelihood less half of
 * Schwarz' penalty for two parameters a range, found by dynamic programming. `counts` rise.
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

/** The finest ranges: each number by itself up to 64, beyond that within about a sixteenth of each other, so that they are few. */
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
