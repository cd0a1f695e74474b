import { extent, nice } from 'd3-array';
import type { RangesBlock } from '../../report/page/page.ts';
import { logarithmic } from './area.ts';

/** A value and the ends of its interval; null if there is none. */
export interface Spread {
  value: number;
  low: number | null;
  high: number | null;
}

/** Maximum overhang of an axis beyond its core, in typical intervals, so that bars stay legible. */
const patience = 4;

/**
 * Returns the domain of an axis: all of `core`, and intervals as far as one extreme of them does not flatten the others.
 * Bars that leave it get an arrow. Infinite values are ignored; null without a finite value.
 */
export function robustDomain(spreads: readonly Spread[], core: readonly number[]): [number, number] | null {
  const ends = spreads.flatMap(endsOf);
  const [min, max] = extent(core.filter(Number.isFinite));
  if (min === undefined) return null;
  const beyond = (value: number): number => Math.max(min - value, value - max, 0);
  const reaches = spreads.map((spread) => Math.max(0, ...endsOf(spread).map(beyond)));
  const limit = Math.max(patience * lowerMedian(reaches), max - min) || Infinity;
  return [Math.max(min - limit, Math.min(min, ...ends)), Math.min(max + limit, Math.max(max, ...ends))];
}

/** Distance from the reference, in typical distances, beyond which an axis omits a value. */
const farTimes = 200;

/** Returns the values, without those so far from the reference that all others would look equal. */
export function nearValues(spreads: readonly Spread[], reference: number, margin: number): number[] {
  const reach = (each: number): number => Math.abs(each - reference);
  const typical = lowerMedian(spreads.map((spread) => Math.max(...endsOf(spread).map(reach))));
  const far = farTimes * Math.max(typical, margin) || Infinity;
  return spreads.map(({ value }) => value).filter((value) => reach(value) <= far);
}

function lowerMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function endsOf({ value, low, high }: Spread): number[] {
  return [value, low, high].filter((each): each is number => each !== null && Number.isFinite(each));
}

/** Pads a domain at both ends; a single value gets some width. */
export function airy([min, max]: readonly [number, number], share = 0.04): [number, number] {
  const width = max - min;
  const air = width > 0 ? width * share : Math.abs(min) * 0.1 || 1;
  return [min - air, max + air];
}

/** Widens a domain to a minimum width around its middle. */
function atLeast([min, max]: readonly [number, number], width: number): [number, number] {
  const missing = Math.max(0, width - (max - min)) / 2;
  return [min - missing, max + missing];
}

/** Smallest difference, as a fraction of the highest value, that is visible on an axis from 0. */
const nearShare = 0.25;
/** Relative differences below this are rounding errors. */
const roundingShare = 1e-9;

/**
 * Returns the domain of a vertical axis: from 0, unless values are so close that their differences would be invisible.
 * Differences caused by noise stay small in any case. Ends are round. An axis of zeros ends at `emptyTo`.
 */
export function baselined([min, max]: readonly [number, number], emptyTo = 1): [number, number] {
  const width = (max - min) / max;
  const isNear = min > 0 && width > roundingShare && width < nearShare;
  const [from, to] = isNear
    ? airy(atLeast([min, max], (nearShare / 2) * max), 0.2)
    : [Math.min(0, min), Math.max(0, max)];
  const [niceFrom, niceTo] = nice(from, to > from ? to : from + emptyTo, 5);
  return [isNear ? Math.max(0, niceFrom) : niceFrom, niceTo];
}

export type Ranges = Pick<RangesBlock, 'rows' | 'scale' | 'reference'>;

/** Minimum width of an axis without a reference, as a fraction of its highest value. */
const plainShare = 0.25;

/** Returns the domain of a forest plot: its reference and margins, values and intervals. */
export function rangesDomain(ranges: Ranges): [number, number] {
  const isLog = ranges.scale === 'log';
  const domain = robustDomain(spreadsOf(ranges), coreOf(ranges)) ?? [0, 1];
  // Without a reference, small differences must not look large.
  const width = isLog ? Math.log10(1 + plainShare) : plainShare * Math.abs(domain[1]);
  const [min, max] = airy(ranges.reference === null ? atLeast(domain, width) : domain);
  return isLog ? [10 ** min, 10 ** max] : [min, max];
}

/** Returns the values that must be visible, in axis units. */
function coreOf({ rows, scale, reference }: Ranges): number[] {
  const spreads = spreadsOf({ rows, scale, reference });
  if (reference === null) return spreads.map(({ value }) => value);
  const margins = rows.flatMap(({ margin }) => (margin === null ? [] : [reference - margin, reference + margin]));
  const [zero, ...about] = [reference, ...margins].flatMap((each) => spaced(each, scale) ?? []);
  if (zero === undefined) return spreads.map(({ value }) => value);
  const margin = Math.max(0, ...about.map((each) => Math.abs(each - zero)));
  return [zero, ...about, ...nearValues(spreads, zero, margin)];
}

/** Returns values and intervals in axis units; a logarithmic axis omits those without a logarithm. */
function spreadsOf({ rows, scale }: Ranges): Spread[] {
  return rows.flatMap(({ value, low, high }) => {
    const at = spaced(value, scale);
    return at === null ? [] : [{ value: at, low: spaced(low, scale), high: spaced(high, scale) }];
  });
}

function spaced(value: number | null, scale: Ranges['scale']): number | null {
  if (value === null || scale === 'linear') return value;
  return value > 0 ? logarithmic(value) : null;
}
