import { closenessOf, farthest } from './closeness.ts';
import type { Shown } from './step-runner.ts';

/** Where the load probably is at which the first objective breaks. */
export interface LimitEstimate {
  load: number;
  /** The standard error of its logarithm; Infinity: it is just somewhere in the bracket. */
  error: number;
}

interface Point {
  x: number;
  y: number;
  weight: number;
}

/** Steps this far beyond the bracket, as a factor, help to find the slope in it. */
const beyond = 1.35;
/** How wrong the straight line is, as a share of the distance from the limit. */
const bend = 0.3;
/** A quick step is over before its queue has gone up and down as it does: its own bounds do not know. */
const leastError = { probe: 1, quick: 1, full: 0.05 };
/** Nearer to an end than this part of the bracket it is not placed. */
const margin = 0.1;

/**
 * A line through what the steps around the bracket say, weighted by how much they say and how near they are; kept
 * within the bracket. Where there is no such line, between the ends of the bracket as near to each as that is to its limit.
 */
export function estimateLimit(shown: readonly Shown[], { low, high }: { low: number; high: number }): LimitEstimate {
  const near = shown.filter(({ step: { load } }) => load >= low / beyond && load <= high * beyond);
  const points = near.flatMap(({ step, certainty, isRising = false }): Point[] => {
    if (isRising && certainty !== 'full' && step.verdict === 'undecided') return [];
    const closeness = closenessOf(step);
    if (closeness === null || Math.abs(closeness.value) >= farthest) return [];
    const weight = 1 / (Math.max(closeness.error, leastError[certainty]) ** 2 + (bend * closeness.value) ** 2);
    return [{ x: Math.log(step.load), y: closeness.value, weight }];
  });
  const crossing = lineCrossing(points);
  const [from, to] = [Math.log(low), Math.log(high)];
  const width = to - from;
  const isKnown = crossing !== null && crossing.error < width;
  const wanted = isKnown ? crossing.x : from + width * nearnessOf(shown, { low, high });
  const x = Math.min(to - margin * width, Math.max(from + margin * width, wanted));
  return { load: Math.exp(x), error: isKnown ? crossing.error : Infinity };
}

/** How near the limit is to the lower end, from 0 to 1, by what the last steps of both ends say; half way without. */
function nearnessOf(shown: readonly Shown[], { low, high }: { low: number; high: number }): number {
  const [below, above] = [low, high].map((load) => {
    const last = shown.findLast(({ step }) => step.load === load);
    return Math.abs((last && closenessOf(last.step)?.value) ?? farthest);
  });
  return below === undefined || above === undefined || below + above === 0 ? 0.5 : below / (below + above);
}

/** Where the line is 0; `null`: there is none that rises. */
function lineCrossing(points: readonly Point[]): { x: number; error: number } | null {
  const weight = sumOf(points, (point) => point.weight);
  const centre = sumOf(points, (point) => point.weight * point.x) / weight;
  const level = sumOf(points, (point) => point.weight * point.y) / weight;
  const spread = sumOf(points, ({ x, weight: each }) => each * (x - centre) ** 2);
  const slope = sumOf(points, ({ x, y, weight: each }) => each * (x - centre) * y) / spread;
  if (!(slope > 0)) return null;
  const x = centre - level / slope;
  return { x, error: Math.sqrt(1 / weight + (x - centre) ** 2 / spread) / slope };
}

const sumOf = (points: readonly Point[], valueOf: (point: Point) => number): number =>
  points.reduce((sum, point) => sum + valueOf(point), 0);
