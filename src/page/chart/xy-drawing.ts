import { acrossOf, areaOf, leftPx, rightPx, upwardsOf, type Area, type Span } from './area.ts';
import { xScale, yScale, type Scale } from './scales.ts';
import { placeLabels, type PlacedLabel } from './fitting.ts';
import { arrowPath, bandPath, linePath, markerPath, stepPath, whiskerPath, type Dot } from './shapes.ts';
import { valueText } from './values.ts';
import { nearLimits, placeLimits, type PlacedLimit } from './limits.ts';
import type { Limit, LinesBlock, Unit } from '../../report/page/page.ts';
import type { Spread } from './domain.ts';

export interface DrawnXy {
  area: Area;
  height: number;
  x: Scale;
  y: Scale;
  /** Right axis; null if there is none. */
  right: Scale | null;
  series: readonly DrawnSeries[];
  marks: readonly PlacedLabel[];
  /** Labels of marks that are numbered in the chart and listed below it; empty if all fit into the chart. */
  listed: readonly string[];
  /** Arrow heads for intervals that exceed the axis. */
  arrows: string;
  limits: readonly DrawnLimit[];
  /** Remark on the axes; empty if there is none. */
  note: string;
}

/** Limit on the left axis, drawn from the left edge up to a value of the horizontal axis. */
export interface XyLimit extends Limit {
  untilX: number;
}

export interface DrawnLimit extends PlacedLimit {
  untilPx: number;
}

/** Lines without their texts, and limits on them. */
export type XyBlock = Omit<LinesBlock, 'type' | 'id' | 'title' | 'description'> & { limits?: readonly XyLimit[] };

interface XyInput {
  block: XyBlock;
  /** Points of each series; empty for hidden ones. */
  shown: readonly (readonly XyPoint[])[];
  width: number;
  isLog: boolean;
}

const plotHeight = 260;
const lanePx = 15;
/** Horizontal distance between whiskers with the same x. */
const besidePx = 6;
/** Height of the tick labels and the axis title. */
const belowPx = 44;

export function drawXy({ block, shown, width, isLog }: XyInput): DrawnXy {
  const endPx = block.rightUnit === undefined ? rightPx : leftPx;
  const across = acrossOf(areaOf({ width, top: 0, height: 0, endPx }));
  const xs = [...block.series.flatMap(({ points }) => points.map(({ x }) => x)), ...block.marks.map((mark) => mark.x)];
  const x = xScale(block.x, xs, across);
  const { marks, listed } = placeMarks(block.marks, x, { ...across, toPx: across.toPx + endPx - rightPx });
  const lanes = Math.max(0, ...marks.map(({ lane }) => lane + 1));
  const area = areaOf({ width, top: 10 + lanes * lanePx, height: plotHeight, endPx });
  const limits = block.limits ?? [];
  const max = Math.max(0, ...shown.flatMap((points) => points.map(({ y }) => y)));
  // Some room above a limit, for its label.
  const room = isLog ? 1.4 : 1.12;
  const near = nearLimits(limits, max, isLog).map(({ value }) => ({ value: value * room, low: null, high: null }));
  const scaleOf = (axis: 'right' | undefined, unit: Unit): Scale => {
    const spreads = [...spreadsOf(block.series, shown, axis), ...(axis === undefined ? near : [])];
    return yScale({ unit, isLog }, spreads, upwardsOf(area));
  };
  const y = scaleOf(undefined, block.unit);
  const right = block.rightUnit === undefined ? null : scaleOf('right', block.rightUnit);
  const visible = block.series.map((each, index) => ({ ...each, points: shown[index] ?? [] }));
  const whiskered = visible.filter((each) => isWhiskered(each, block.form));
  const asideOf = (each: XySeries): number =>
    whiskered.includes(each) ? (whiskered.indexOf(each) - (whiskered.length - 1) / 2) * besidePx : 0;
  const series = visible.map((each, index) => {
    const ownY = each.axis === 'right' && right !== null ? right : y;
    return drawSeries(each, { x, y: ownY, endPx: area.right, form: block.form, index, asidePx: asideOf(each) });
  });
  const height = area.bottom + (block.x.form === 'text' || block.x.title === '' ? belowPx - 18 : belowPx);
  return {
    area,
    height,
    x,
    y,
    right,
    series,
    marks,
    listed,
    arrows: arrowsOf(series, area),
    limits: drawnLimits(limits, { x, y, area }),
    note: noteOf(y, block.unit, isLog) + (right === null ? '' : noteOf(right, block.rightUnit ?? block.unit, isLog)),
  };
}

function drawnLimits(limits: readonly XyLimit[], { x, y, area }: { x: Scale; y: Scale; area: Area }): DrawnLimit[] {
  const sorted = limits.toSorted((a, b) => b.value - a.value);
  const placed = placeLimits(sorted, { y: y.place, topPx: area.top, bottomPx: area.bottom });
  return placed.map((each, index) => ({
    ...each,
    untilPx: Math.min(area.right, x.place(Math.min(sorted[index]?.untilX ?? Infinity, x.domain[1]))),
  }));
}

/** Returns the values that an axis must show: the visible points of its series. */
function spreadsOf(
  series: readonly XySeries[],
  shown: readonly (readonly XyPoint[])[],
  axis: 'right' | undefined,
): Spread[] {
  return series
    .flatMap((each, index) => (each.axis === axis ? (shown[index] ?? []) : []))
    .map(({ y, low, high }) => ({ value: y, low, high }));
}

function placeMarks(marks: LinesBlock['marks'], x: Scale, across: Span) {
  const sorted = marks.toSorted((one, other) => one.x - other.x);
  const named = sorted.map((mark) => ({ at: x.place(mark.x), label: mark.label }));
  const placed = placeLabels(named, across);
  if (placed !== null) return { marks: placed, listed: [] };
  const numbered = named.map(({ at }, index): PlacedLabel => ({
    at,
    label: String(index + 1),
    lane: index % 2,
    anchor: 'start',
  }));
  return { marks: numbered, listed: sorted.map(({ label }) => label) };
}

function arrowsOf(series: readonly DrawnSeries[], { top, bottom }: Area): string {
  return series
    .flatMap(({ dots, whiskers, band }) => (whiskers === '' && band === '' ? [] : dots))
    .flatMap(({ x, low, high }) => [
      high !== null && high < top - 0.5 ? arrowPath({ x, y: top - 4 }, 'up') : '',
      low !== null && low > bottom + 0.5 ? arrowPath({ x, y: bottom + 4 }, 'down') : '',
    ])
    .join('');
}

function noteOf({ domain: [min] }: Scale, unit: LinesBlock['unit'], isLog: boolean): string {
  return min > 0 && !isLog ? `The vertical axis starts at ${valueText(min, unit)}, not at 0.` : '';
}

export type XySeries = LinesBlock['series'][number];
export type XyPoint = XySeries['points'][number];

/** A series in pixels: its points and their paths; empty paths are not drawn. */
interface DrawnSeries {
  dots: readonly Dot[];
  line: string;
  band: string;
  whiskers: string;
  markers: string;
}

interface Surroundings {
  x: Scale;
  y: Scale;
  /** Right end of the area. */
  endPx: number;
  form: LinesBlock['form'];
  /** Index of the series, which decides its marker. */
  index: number;
  /** Horizontal offset that keeps the whiskers of two series apart. */
  asidePx: number;
}

/** Maximum number of points with whiskers; more points get a band. */
const maxWhiskers = 40;
/** Distance of the markers on a line, which only identify it. */
const betweenSignsPx = 28;

/** Reports whether each point has a whisker for its interval. */
function isWhiskered({ form, points }: XySeries, block: LinesBlock['form']): boolean {
  const own = form ?? block;
  return own !== 'step' && hasIntervals(points) && (own === 'points' || points.length <= maxWhiskers);
}

const hasIntervals = (points: readonly XyPoint[]): boolean =>
  points.some(({ low, high }) => low !== null && high !== null);

/** Reports whether a series has markers; a step has them only if it is a single point. */
export function hasMarkers({ form, points }: XySeries, block: LinesBlock['form']): boolean {
  return (form ?? block) !== 'step' || points.length === 1;
}

function spaced(dots: readonly Dot[]): Dot[] {
  const kept: Dot[] = [];
  for (const dot of dots) {
    const last = kept.at(-1);
    if (last === undefined || Math.hypot(dot.x - last.x, dot.y - last.y) >= betweenSignsPx) kept.push(dot);
  }
  return kept;
}

function drawSeries(series: XySeries, { x, y, endPx, form, index, asidePx }: Surroundings): DrawnSeries {
  const { points } = series;
  const own = series.form ?? form;
  const hasWhiskers = isWhiskered(series, form);
  const dots = points.map((point) => ({
    x: x.place(point.x) + asidePx,
    y: y.place(point.y),
    low: point.low === null ? null : y.place(point.low),
    high: point.high === null ? null : y.place(point.high),
  }));
  const signed = own === 'line' && !hasWhiskers ? spaced(dots) : dots;
  return {
    dots,
    line: own === 'points' ? '' : own === 'step' ? stepPath(dots, endPx) : linePath(dots),
    band: hasWhiskers ? '' : bandPath(dots),
    whiskers: hasWhiskers ? whiskerPath(dots) : '',
    markers: hasMarkers(series, form) ? signed.map((dot) => markerPath(index, dot, 3.5)).join('') : '',
  };
}
