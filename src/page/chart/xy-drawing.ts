import { acrossOf, areaOf, leftPx, rightPx, upwardsOf, type Area } from './area.ts';
import { xScale, yScale, type Scale } from './scales.ts';
import { placeLabels, type PlacedLabel } from './fitting.ts';
import { arrowPath, bandPath, linePath, markerPath, stepPath, whiskerPath, type Dot } from './shapes.ts';
import { valueText } from './values.ts';
import { nearLimits, placeLimits, type PlacedLimit } from './limits.ts';
import type { Limit, LinesBlock, Unit, Tone } from '../../report/page/page.ts';
import type { Spread } from './domain.ts';

/** A whole chart in pixels. */
export interface DrawnXy {
  area: Area;
  height: number;
  x: Scale;
  y: Scale;
  /** The axis on the right; `null`: there is none. */
  right: Scale | null;
  series: readonly DrawnSeries[];
  marks: readonly PlacedLabel[];
  /** Marks whose names stand below the chart: they are numbered in it. Empty: all stand in it. */
  listed: readonly string[];
  /** Heads of arrows where intervals go beyond the axis. */
  arrows: string;
  limits: readonly DrawnLimit[];
  /** Remark on the axes; empty without one. */
  note: string;
}

/** Limit on the left axis, drawn from the left edge up to a value of the horizontal axis. */
export interface XyLimit extends Limit {
  untilX: number;
}

export interface DrawnLimit extends PlacedLimit {
  untilPx: number;
}

interface XyInput {
  block: Pick<LinesBlock, 'x' | 'unit' | 'rightUnit' | 'form' | 'marks'> & {
    series: readonly XySeries[];
    limits?: readonly XyLimit[];
  };
  /** The points of each series; none for a hidden one. */
  shown: readonly (readonly XyPoint[])[];
  width: number;
  isLog: boolean;
}

const plotHeight = 260;
const lanePx = 15;
/** How far whiskers of one place stand beside each other. */
const besidePx = 6;
/** Labels below, and the name of the axis. */
const belowPx = 44;

export function drawXy({ block, shown, width, isLog }: XyInput): DrawnXy {
  const endPx = block.rightUnit === undefined ? rightPx : leftPx;
  const across = acrossOf(areaOf({ width, top: 0, height: 0, endPx }));
  const xs = [...block.series.flatMap(({ points }) => points.map(({ x }) => x)), ...block.marks.map((mark) => mark.x)];
  const x = xScale(block.x, xs, across);
  const { marks, listed } = placeMarks(block.marks, x, across);
  const lanes = Math.max(0, ...marks.map(({ lane }) => lane + 1));
  const area = areaOf({ width, top: 10 + lanes * lanePx, height: plotHeight, endPx });
  const limits = block.limits ?? [];
  const max = Math.max(0, ...shown.flatMap((points) => points.map(({ y }) => y)));
  // Some room above a limit, for its label.
  const near = nearLimits(limits, max, isLog).map(({ value }) => ({
    value: value * (isLog ? 1.4 : 1.12),
    low: null,
    high: null,
  }));
  const scaleOf = (axis: 'right' | undefined, unit: Unit): Scale =>
    yScale(
      { unit, isLog },
      [...spreadsOf(block.series, shown, axis), ...(axis === undefined ? near : [])],
      upwardsOf(area),
    );
  const y = scaleOf(undefined, block.unit);
  const right = block.rightUnit === undefined ? null : scaleOf('right', block.rightUnit);
  const visible = block.series.map((each, index) => ({ ...each, points: shown[index] ?? [] }));
  const whiskered = visible.filter((each) => isWhiskered(each, block.form));
  const asideOf = (each: XySeries): number =>
    whiskered.includes(each) ? (whiskered.indexOf(each) - (whiskered.length - 1) / 2) * besidePx : 0;
  const series = visible.map((each, index) =>
    drawSeries(each, {
      x,
      y: axisOf(each, y, right),
      endPx: area.right,
      form: block.form,
      index,
      asidePx: asideOf(each),
    }),
  );
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

const axisOf = ({ axis }: XySeries, left: Scale, right: Scale | null): Scale =>
  axis === 'right' && right !== null ? right : left;

/** What an axis has to show: the visible points of its series. */
function spreadsOf(
  series: readonly XySeries[],
  shown: readonly (readonly XyPoint[])[],
  axis: 'right' | undefined,
): Spread[] {
  return series
    .flatMap((each, index) => (each.axis === axis ? (shown[index] ?? []) : []))
    .map(({ y, low, high }) => ({ value: y, low, high }));
}

function placeMarks(marks: LinesBlock['marks'], x: Scale, across: { fromPx: number; toPx: number }) {
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

export interface XyPoint {
  x: number;
  y: number;
  low: number | null;
  high: number | null;
}

export interface XySeries {
  label: string;
  tone: Tone;
  /** Where it differs from that of the chart. */
  form?: LinesBlock['form'];
  /** Which axis its values are on; the left one unless it says so. */
  axis?: 'right';
  points: readonly XyPoint[];
}

/** A series in pixels: its dots, and the paths that they make; an empty path is not drawn. */
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
  /** Where the area ends. */
  endPx: number;
  form: LinesBlock['form'];
  /** Which series it is: it decides its sign. */
  index: number;
  /** How far it stands aside, so that its whiskers hide none of another series. */
  asidePx: number;
}

/** More points than these get a band rather than a whisker each. */
const maxWhiskers = 40;
/** On a line signs only tell which it is: they need not stand at every point. */
const betweenSignsPx = 28;

/** Whether each point shows its interval by a whisker of its own. */
function isWhiskered({ form, points }: XySeries, block: LinesBlock['form']): boolean {
  const own = form ?? block;
  return own !== 'step' && hasIntervals(points) && (own === 'points' || points.length <= maxWhiskers);
}

const hasIntervals = (points: readonly XyPoint[]): boolean =>
  points.some(({ low, high }) => low !== null && high !== null);

/** Whether it has signs. A step has none, unless there is nothing else to see. */
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

/** Places a series. */
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
