import type { LinesBlock, Tone } from '../../report/page/page.ts';
import type { Scale } from './xy-scales.ts';
import { bandPath, linePath, markerPath, stepPath, whiskerPath, type Dot } from './shapes.ts';

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
  /** Which series it is, and how many there are. */
  index: number;
  count: number;
}

/** More points than these get a band rather than a whisker each. */
const mostWhiskers = 40;
/** More points than these get no sign each. */
const mostMarkers = 60;

/** Places a series. Those with whiskers stand a little beside each other, so that none hides another's. */
export function drawSeries(series: XySeries, { x, y, endPx, form, index, count }: Surroundings): DrawnSeries {
  const { points } = series;
  const own = series.form ?? form;
  const hasIntervals = points.some(({ low, high }) => low !== null && high !== null);
  const isWhiskered = hasIntervals && own !== 'step' && (own === 'points' || points.length <= mostWhiskers);
  const aside = isWhiskered ? (index - (count - 1) / 2) * 6 : 0;
  const dots = points.map((point) => ({
    x: x.place(point.x) + aside,
    y: y.place(point.y),
    low: point.low === null ? null : y.place(point.low),
    high: point.high === null ? null : y.place(point.high),
  }));
  const hasMarkers = own === 'points' || (own === 'line' && points.length <= mostMarkers) || points.length === 1;
  return {
    dots,
    line: own === 'points' ? '' : own === 'step' ? stepPath(dots, endPx) : linePath(dots),
    band: hasIntervals && !isWhiskered ? bandPath(dots) : '',
    whiskers: isWhiskered ? whiskerPath(dots) : '',
    markers: hasMarkers ? dots.map((dot) => markerPath(index, dot, 3.5)).join('') : '',
  };
}
