import { extent } from 'd3-array';
import type { LinesBlock, Unit } from '../../report/page/page.ts';
import { instantText, tickText, valueText } from '../chart/values.ts';
import type { Span } from '../chart/area.ts';
import { baselined, robustDomain, type Spread } from './domain.ts';
import { dropTouching, thinTexts, type Tick } from './fitting.ts';
import { logarithmic, placeOn, straight, towardsTail, type Place } from './place.ts';
import { durationTicks, linearTicks, logTicks, percentileTicks } from '../chart/ticks.ts';

/** An axis as it is drawn. */
export interface Scale {
  place: Place;
  ticks: readonly Tick[];
  /** What it shows, from end to end. */
  domain: readonly [number, number];
}

/** The axis across, for values of it. */
export function xScale(x: LinesBlock['x'], values: readonly number[], span: Span): Scale {
  return makers[x.form](x, extentOf(values), span);
}

type Maker = (x: LinesBlock['x'], domain: [number, number], span: Span) => Scale;
const makers: Readonly<Record<LinesBlock['x']['form'], Maker>> = {
  number: (_, domain, span) => {
    const place = placeOn(inset(span, 10), domain);
    const ticks = linearTicks(domain, lengthOf(span) / 80);
    // Between two whole numbers nothing is counted.
    const named = domain.every(Number.isInteger) ? ticks.filter(Number.isInteger) : ticks;
    return { place, domain, ticks: ticksAt(named, place, (value) => valueText(value, 'count')) };
  },
  log: (_, values, span) => {
    const domain = upwards(values);
    const place = placeOn(inset(span, 10), domain, logarithmic);
    return { place, domain, ticks: dropTouching(ticksAt(logTicks(domain, 30 / lengthOf(span)), place, countTick)) };
  },
  durationMs: (_, domain, span) => {
    const place = placeOn(span, domain);
    return {
      place,
      domain,
      ticks: dropTouching(ticksAt(durationTicks(domain, lengthOf(span) / 70), place, instantText)),
    };
  },
  percentile: (_, domain, span) => {
    const place = placeOn(inset(span, 4), domain, towardsTail);
    const sets = percentileTicks(domain).map((values) => ticksAt(values, place, percentileText));
    return { place, domain, ticks: sets.find((ticks) => dropTouching(ticks).length === ticks.length) ?? [] };
  },
  text: ({ labels }, _, span) => {
    const domain: [number, number] = [-0.5, Math.max(1, labels.length) - 0.5];
    const place = placeOn(span, domain);
    return { place, domain, ticks: thinTexts(labels.map((label, index) => ({ at: place(index), label }))) };
  },
};

/** A logarithmic axis begins above zero. */
const upwards = ([least, most]: [number, number]): [number, number] =>
  least > 0 ? [least, most] : [Math.min(1, most > 0 ? most : 1), Math.max(1, most)];

const countTick = (value: number): string => valueText(value, 'count');

/** `p99.9`. */
export function percentileText(percentile: number): string {
  return `p${String(Number(percentile.toFixed(5)))}`;
}

/** The axis upwards: linear from 0 where that leaves differences to be seen, or logarithmic. */
export function yScale({ unit, isLog }: { unit: Unit; isLog: boolean }, spreads: readonly Spread[], span: Span): Scale {
  return isLog ? logScale(unit, spreads, span) : linearScale(unit, spreads, span);
}

function linearScale(unit: Unit, spreads: readonly Spread[], span: Span): Scale {
  const core = spreads.map(({ value }) => value);
  const domain = baselined(robustDomain(spreads, core) ?? [0, 1]);
  const place = placeOn(span, domain, straight);
  return {
    place,
    domain,
    ticks: ticksAt(linearTicks(domain, lengthOf(span) / 45), place, (value) => tickText(value, unit)),
  };
}

function logScale(unit: Unit, spreads: readonly Spread[], span: Span): Scale {
  const [least = 1, most = 10] = extent(spreads.map(({ value }) => value).filter((value) => value > 0));
  const domain: [number, number] = [least / 1.1, most * 1.1];
  const place = placeOn(span, domain, logarithmic);
  return {
    place,
    domain,
    ticks: ticksAt(logTicks(domain, 22 / lengthOf(span)), place, (value) => tickText(value, unit)),
  };
}

function ticksAt(values: readonly number[], place: Place, text: (value: number) => string): Tick[] {
  return values.map((value) => ({ at: place(value), label: text(value) }));
}

const lengthOf = ({ fromPx, toPx }: Span): number => Math.abs(toPx - fromPx);
const inset = ({ fromPx, toPx }: Span, byPx: number): Span => ({ fromPx: fromPx + byPx, toPx: toPx - byPx });

function extentOf(values: readonly number[]): [number, number] {
  const [least = 0, most = 1] = extent(values);
  return [least, most];
}
