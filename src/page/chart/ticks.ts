import { ticks } from 'd3-array';

/** Round values of a linear axis. */
export function linearTicks([least, most]: readonly [number, number], count: number): number[] {
  return ticks(least, most, Math.max(2, count));
}

/** Which values of a decade are named: the densest set that fits is taken. */
const mantissas = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]];

/** Values of a logarithmic axis, no two nearer than `gap` shares of its length. A part of a decade has even steps. */
export function logTicks([least, most]: readonly [number, number], gap: number): number[] {
  const choices = mantissas.map((each) =>
    decades(least, most).flatMap((decade) => each.map((factor) => factor * decade)),
  );
  const within = choices.map((values) => values.filter((value) => value >= least && value <= most));
  const nearest = Math.log(most / least) * gap;
  const isAiry = (values: readonly number[]): boolean =>
    values.every((value, index) => index === 0 || Math.log(value / (values[index - 1] ?? value)) >= nearest);
  const fitting = within.find(isAiry) ?? within.at(-1) ?? [];
  return fitting.length >= 2 ? fitting : linearTicks([least, most], Math.min(5, 1 / gap));
}

function decades(least: number, most: number): number[] {
  const [first, last] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${String(first + index)}`));
}

const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** Steps in which a time axis is read: of a clock, not of ten. */
export const durationSteps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 4, 6, 12, 24, 48, 96, 192].map((count) => count * hour),
];

/** Instants from `fromMs` to `toMs` in the smallest step of which no more than `count` fit. */
export function durationTicks([fromMs, toMs]: readonly [number, number], count: number): number[] {
  const step = durationSteps.find((each) => (toMs - fromMs) / each <= Math.max(1, count)) ?? toMs - fromMs;
  if (!(step > 0)) return [fromMs];
  const first = Math.ceil(fromMs / step);
  return Array.from({ length: Math.floor(toMs / step) - first + 1 }, (_, index) => (first + index) * step);
}

const tails = [99, 99.9, 99.99, 99.999, 99.9999];

/** The percentiles that are named as far as an axis goes: sets of them, from the densest. */
export function percentileTicks([least, most]: readonly [number, number]): number[][] {
  const sets = [
    [0, 50, 75, 90, ...tails],
    [0, 50, 90, ...tails],
    [50, 90, ...tails],
    [90, ...tails],
    [99, 99.99],
    [50],
  ];
  return sets.map((set) => set.filter((each) => each >= least && each <= most));
}
