import type { ShiftPoint, Localization } from '../document/comparison.ts';

/** A quantile, and the minimum shift that counts as a move. */
export interface ShiftedQuantile extends ShiftPoint {
  quantile: number;
  margin: number;
}

/**
 * Returns the part of the turn latency distribution that moved. A quantile has moved if its change exceeds its margin and its confidence interval, if any, does not contain zero.
 *
 * - `none`: nothing moved.
 * - `tail`: p95 or a higher quantile moved; the median did not, or less than a third as far, or in the other direction.
 * - `middle`: the middle half moved; p95 and higher did not, or less than a third as far, or in the other direction.
 * - `whole`: anything else, mainly every quantile by about the same factor.
 */
export function shapeOf(
  quantiles: readonly ShiftedQuantile[],
  positions: readonly ShiftPoint[] = [],
): Pick<Localization, 'shape' | 'summary'> {
  const shape = shapeText(quantiles);
  const words = quantiles.length === 0 ? unmeasuredText(positions) : wordsOf(shape, quantiles);
  const figures = shiftText(quantiles);
  return { shape, summary: figures === '' ? `${words}.` : `${words}: ${figures}.` };
}

/** Percentiles of all turns are those of a window; the medians by position are those of whole runs, and may be known without them. */
function unmeasuredText(positions: readonly ShiftPoint[]): string {
  const known = positions.some(({ change }) => change !== null);
  return `Too few turns for percentiles of all turns${known ? '; the medians by position are those of the whole runs' : ''}`;
}

const sentences: Readonly<Record<Localization['shape'], string>> = {
  none: 'No part of the turn latency distribution moved beyond noise and margin',
  tail: 'Only the tail of the turn latencies moved',
  middle: 'The middle of the turn latencies moved, the tail did not',
  whole: 'All turn latencies moved',
};

/** Quantiles that could not be measured are not reported as unchanged. */
function wordsOf(shape: Localization['shape'], quantiles: readonly ShiftedQuantile[]): string {
  if (quantiles.some(isOfTail)) return sentences[shape];
  const moved = quantiles.filter(hasMoved);
  if (moved.length === 0)
    return 'No measurable turn latency moved beyond noise and margin; the tail could not be measured';
  const what = moved.some(isOfMiddle)
    ? 'The middle of the turn latencies'
    : `The latencies around ${moved.map(({ name }) => name).join(', ')}`;
  return `${what} moved; the tail could not be measured`;
}

const isOfTail = ({ quantile }: ShiftedQuantile): boolean => quantile >= 0.95;
const isOfMiddle = ({ quantile }: ShiftedQuantile): boolean => quantile >= 0.25 && quantile <= 0.75;

/** Ratio below which two shifts are different movements. */
const third = 1 / 3;

function shapeText(quantiles: readonly ShiftedQuantile[]): Localization['shape'] {
  const moved = quantiles.filter(hasMoved);
  if (moved.length === 0) return 'none';
  const tail = largest(moved.filter(isOfTail));
  const middle = largest(moved.filter(isOfMiddle));
  const median = largest(moved.filter(({ quantile }) => quantile === 0.5));
  if (tail !== 0 && median / tail < third) return 'tail';
  if (middle !== 0 && tail / middle < third) return 'middle';
  return 'whole';
}

function hasMoved({ change, ci95, margin }: ShiftedQuantile): boolean {
  if (change === null || Math.abs(Math.log1p(change)) < Math.log1p(margin)) return false;
  return ci95 === null || ci95.low > 0 || ci95.high < 0;
}

/** Returns the largest shift in either direction, as a logarithm; 0 without points. */
const largest = (points: readonly ShiftPoint[]): number =>
  points
    .map(({ change }) => Math.log1p(change ?? 0))
    .reduce((max, shift) => (Math.abs(shift) > Math.abs(max) ? shift : max), 0);

/** Formats the median and the highest known quantile up to p99. */
function shiftText(quantiles: readonly ShiftedQuantile[]): string {
  const known = quantiles.filter(({ change }) => change !== null);
  const median = known.find(({ quantile }) => quantile === 0.5);
  const tail = known.findLast(({ quantile }) => quantile > 0.5 && quantile <= 0.99);
  return [median, tail].flatMap((point) => (point ? [`${point.name} ${percent(point.change ?? 0)}`] : [])).join(', ');
}

function percent(change: number): string {
  const size = Math.abs(change) * 100;
  const digits = size >= 99.95 ? size.toFixed(0) : size.toFixed(1);
  return `${Number(digits) === 0 ? '' : change < 0 ? '−' : '+'}${digits} %`;
}
