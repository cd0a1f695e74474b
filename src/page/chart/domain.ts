import { extent, nice } from 'd3-array';
import type { RangesBlock } from '../../report/page/page.ts';
import { logarithmic } from './area.ts';

/** A value and how far its interval reaches; `null`: it has none. */
export interface Spread {
  value: number;
  low: number | null;
  high: number | null;
}

/** How many times the reach of a typical interval an axis goes beyond what has to be seen: bars stay legible. */
const patience = 4;

/**
 * What an axis shows of spreads: `core` whole, and intervals as far as one extreme of them does not flatten the
 * others. What leaves it is to be drawn with an arrow. What is not finite does not count. `null`: nothing to show.
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

/** How many times as far from a reference as is typical a value has to be for its axis to do without it. */
const farTimes = 200;

/** The values of spreads without those so far from a reference that nothing else could be told apart beside them. */
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

/** A domain with air at both ends; one of a single value gets some width. */
export function airy([min, max]: readonly [number, number], share = 0.04): [number, number] {
  const width = max - min;
  const air = width > 0 ? width * share : Math.abs(min) * 0.1 || 1;
  return [min - air, max + air];
}

/** A domain of some width at least, about the same middle. */
function atLeast([min, max]: readonly [number, number], width: number): [number, number] {
  const missing = Math.max(0, width - (max - min)) / 2;
  return [min - missing, max + missing];
}

/** Values that differ by less, of the highest, would not be told apart on an axis from 0 on. */
const nearShare = 0.25;
/** Less than this is no difference. */
const roundingShare = 1e-9;

/**
 * The domain of a vertical axis: from 0 on, but where values are so close to each other that their differences would
 * not be seen; those of noise stay small there too. Ends are round.
 */
export function baselined([min, max]: readonly [number, number]): [number, number] {
  const width = (max - min) / max;
  const isNear = min > 0 && width > roundingShare && width < nearShare;
  const [from, to] = isNear
    ? airy(atLeast([min, max], (nearShare / 2) * max), 0.2)
    : [Math.min(0, min), Math.max(0, max)];
  const [niceFrom, niceTo] = nice(from, to > from ? to : from + 1, 5);
  return [isNear ? Math.max(0, niceFrom) : niceFrom, niceTo];
}

export type Ranges = Pick<RangesBlock, 'rows' | 'scale' | 'reference'>;

/** How wide an axis without a reference is, of its highest value. */
const plainShare = 0.25;

/** From where to where the axis of a forest plot goes: its reference, the margins about it, values, and intervals. */
export function rangesDomain(ranges: Ranges): [number, number] {
  const isLog = ranges.scale === 'log';
  const domain = robustDomain(spreadsOf(ranges), coreOf(ranges)) ?? [0, 1];
  // Without a reference nothing says how much is much: small differences stay small.
  const width = isLog ? Math.log10(1 + plainShare) : plainShare * Math.abs(domain[1]);
  const [min, max] = airy(ranges.reference === null ? atLeast(domain, width) : domain);
  return isLog ? [10 ** min, 10 ** max] : [min, max];
}

/** All that has to be seen, as it is spaced. */
function coreOf({ rows, scale, reference }: Ranges): number[] {
  const spreads = spreadsOf({ rows, scale, reference });
  if (reference === null) return spreads.map(({ value }) => value);
  const margins = rows.flatMap(({ margin }) => (margin === null ? [] : [reference - margin, reference + margin]));
  const [zero, ...about] = [reference, ...margins].flatMap((each) => spaced(each, scale) ?? []);
  if (zero === undefined) return spreads.map(({ value }) => value);
  const margin = Math.max(0, ...about.map((each) => Math.abs(each - zero)));
  return [zero, ...about, ...nearValues(spreads, zero, margin)];
}

/** Values and intervals as they are spaced; those that have no logarithm are left out on a logarithmic axis. */
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
