import type { RangesBlock } from '../../report/page/page.ts';
import { airy, atLeast, nearValues, robustDomain, type Spread } from './domain.ts';
import { logarithmic } from './place.ts';

export type Ranges = Pick<RangesBlock, 'rows' | 'scale' | 'reference'>;

/** How wide an axis without a reference is, of its highest value. */
const plainShare = 0.25;

/** From where to where the axis of a forest plot goes: its reference, the margins about it, values, and intervals. */
export function rangesDomain(ranges: Ranges): [number, number] {
  const isLog = ranges.scale === 'log';
  const domain = robustDomain(spreadsOf(ranges), coreOf(ranges)) ?? [0, 1];
  // Without a reference nothing says how much is much: small differences stay small.
  const width = isLog ? Math.log10(1 + plainShare) : plainShare * Math.abs(domain[1]);
  const [least, most] = airy(ranges.reference === null ? atLeast(domain, width) : domain);
  return isLog ? [10 ** least, 10 ** most] : [least, most];
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
