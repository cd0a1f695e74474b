import type { LinesBlock, Tone } from '../../report/page/page.ts';
import type { Scale } from './xy-scales.ts';
import { bandPath, linePath, markerPath, stepPath, whiskerPath, type Dot } from '../chart/shapes.ts';

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
export interface DrawnSeries {
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
const mostWhiskers = 40;
/** On a line signs only tell which it is: they need not stand at every point. */
const betweenSignsPx = 28;

/** Whether each point shows its interval by a whisker of its own. */
export function isWhiskered({ form, points }: XySeries, block: LinesBlock['form']): boolean {
  const own = form ?? block;
  return own !== 'step' && hasIntervals(points) && (own === 'points' || points.length <= mostWhiskers);
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
export function drawSeries(series: XySeries, { x, y, endPx, form, index, asidePx }: Surroundings): DrawnSeries {
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
