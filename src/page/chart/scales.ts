import { extent, ticks } from 'd3-array';
import { rightPx, type Span, type Projection, straight, logarithmic, towardsTail, placeOn } from './area.ts';
import type { LinesBlock, Unit } from '../../report/page/page.ts';
import { instantText, tickText, tickTexts, valueText } from './values.ts';
import { baselined, robustDomain, type Spread } from './domain.ts';
import { dropTouching, keepWithin, thinTexts, type Tick } from './fitting.ts';

export function linearTicks([min, max]: readonly [number, number], count: number): number[] {
  return ticks(min, max, Math.max(2, count));
}

/** Labelled values of a decade; the densest set that fits is used. */
const mantissas = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]];

/** Returns values for a logarithmic axis, at least `gap` of its length apart. Less than a decade gets even steps. */
export function logTicks([min, max]: readonly [number, number], gap: number): number[] {
  const choices = mantissas.map((each) => decades(min, max).flatMap((decade) => each.map((factor) => factor * decade)));
  const within = choices.map((values) => values.filter((value) => value >= min && value <= max));
  const nearest = Math.log(max / min) * gap;
  const isAiry = (values: readonly number[]): boolean =>
    values.every((value, index) => index === 0 || Math.log(value / (values[index - 1] ?? value)) >= nearest);
  const fitting = within.find(isAiry) ?? within.at(-1) ?? [];
  return fitting.length >= 2 ? fitting : linearTicks([min, max], Math.min(5, 1 / gap));
}

function decades(min: number, max: number): number[] {
  const [first, last] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${String(first + index)}`));
}

const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** Steps of a time axis, in clock units. */
export const durationSteps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 4, 6, 12, 24, 48, 96, 192].map((count) => count * hour),
];

/** Returns instants in the smallest step of which at most `count` fit. */
export function durationTicks([fromMs, toMs]: readonly [number, number], count: number): number[] {
  const step = durationSteps.find((each) => (toMs - fromMs) / each <= Math.max(1, count)) ?? toMs - fromMs;
  if (!(step > 0)) return [fromMs];
  const first = Math.ceil(fromMs / step);
  return Array.from({ length: Math.floor(toMs / step) - first + 1 }, (_, index) => (first + index) * step);
}

const tails = [99, 99.9, 99.99, 99.999, 99.9999];

/** Returns sets of percentiles within a domain, the densest first. */
export function percentileTicks([min, max]: readonly [number, number]): number[][] {
  const sets = [
    [0, 50, 75, 90, ...tails],
    [0, 50, 90, ...tails],
    [50, 90, ...tails],
    [90, ...tails],
    [99, 99.99],
    [50],
  ];
  return sets.map((set) => set.filter((each) => each >= min && each <= max));
}

export interface Scale {
  place: Projection;
  ticks: readonly Tick[];
  /** Lowest and highest visible value. */
  domain: readonly [number, number];
}

export function xScale(x: LinesBlock['x'], values: readonly number[], span: Span): Scale {
  return makers[x.form](x, extentOf(values), span);
}

type Maker = (x: LinesBlock['x'], domain: [number, number], span: Span) => Scale;
const makers: Readonly<Record<LinesBlock['x']['form'], Maker>> = {
  number: (_, domain, span) => {
    const place = placeOn(inset(span, 10), domain);
    const ticks = linearTicks(domain, lengthOf(span) / 80);
    // Counts are whole numbers.
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
    const instants = durationTicks(domain, lengthOf(span) / 70);
    return { place, domain, ticks: dropTouching(ticksAt(instants, place, instantText)) };
  },
  percentile: (_, domain, span) => {
    const place = placeOn(inset(span, 4), domain, towardsTail);
    const sets = percentileTicks(domain).map((values) => ticksAt(values, place, percentileText));
    return { place, domain, ticks: sets.find((ticks) => dropTouching(ticks).length === ticks.length) ?? [] };
  },
  text: ({ labels }, _, span) => {
    const domain: [number, number] = [-0.5, Math.max(1, labels.length) - 0.5];
    const place = placeOn(span, domain);
    const ticks = labels.map((label, index) => ({ at: place(index), label }));
    return { place, domain, ticks: thinTexts(keepWithin(ticks, span.toPx + rightPx)) };
  },
};

/** Raises the start of a logarithmic axis above zero. */
const upwards = ([min, max]: [number, number]): [number, number] =>
  min > 0 ? [min, max] : [Math.min(1, max > 0 ? max : 1), Math.max(1, max)];

const countTick = (value: number): string => valueText(value, 'count');

/** Formats a percentile: `p99.9`. */
export function percentileText(percentile: number): string {
  return `p${String(Number(percentile.toFixed(5)))}`;
}

/** Returns the vertical axis: logarithmic, or linear from 0 if differences stay visible. */
export function yScale({ unit, isLog }: { unit: Unit; isLog: boolean }, spreads: readonly Spread[], span: Span): Scale {
  return isLog ? logScale(unit, spreads, span) : linearScale(unit, spreads, span);
}

function linearScale(unit: Unit, spreads: readonly Spread[], span: Span): Scale {
  const core = spreads.map(({ value }) => value);
  const domain = baselined(robustDomain(spreads, core) ?? [0, 1], unit === 'share' ? 0.01 : 1);
  const place = placeOn(span, domain, straight);
  const values = linearTicks(domain, lengthOf(span) / 45);
  const texts = tickTexts(values, unit);
  return { place, domain, ticks: values.map((value, index) => ({ at: place(value), label: texts[index] ?? '' })) };
}

function logScale(unit: Unit, spreads: readonly Spread[], span: Span): Scale {
  const [min = 1, max = 10] = extent(spreads.map(({ value }) => value).filter((value) => value > 0));
  const domain: [number, number] = [min / 1.1, max * 1.1];
  const place = placeOn(span, domain, logarithmic);
  const values = logTicks(domain, 22 / lengthOf(span));
  return { place, domain, ticks: ticksAt(values, place, (value) => tickText(value, unit)) };
}

function ticksAt(values: readonly number[], place: Projection, text: (value: number) => string): Tick[] {
  return values.map((value) => ({ at: place(value), label: text(value) }));
}

const lengthOf = ({ fromPx, toPx }: Span): number => Math.abs(toPx - fromPx);
const inset = ({ fromPx, toPx }: Span, byPx: number): Span => ({ fromPx: fromPx + byPx, toPx: toPx - byPx });

function extentOf(values: readonly number[]): [number, number] {
  const [min = 0, max = 1] = extent(values);
  return [min, max];
}
