import type { SeriesDrift } from '../sections/drift.ts';
import type { DriftSeries } from '../metrics/drift-series.ts';
import { findCrossing, type Limit, levelScales } from './find-crossing.ts';
import type { Followed } from './follow-series.ts';

/** Significance level: by simulation, two or three of a hundred runs without a drift report one, over all series and shapes. */
const alpha = 0.03;
/** Minimum step or fall that is reported, relative; for a share absolute. */
const minJump = { relative: 0.05, share: 0.005 };

/** Judges the course of a series. `p`: p of the trend, adjusted for its family. */
export function judgeSeries(
  series: DriftSeries,
  followed: Followed,
  { p, limits }: { p: number; limits: readonly Limit[] },
): SeriesDrift {
  const scale = levelScales[series.unit];
  const { trend, hours, segments, endLevel } = followed;
  const shape = shapeOf(series, followed, p);
  const change = (shift: number): number => scale.changeOf(shift, startLevel(followed));
  return {
    ...tooShortSeries(series, null),
    verdict: shape === null ? 'none' : 'drift',
    shape,
    segments,
    p,
    overall: change(trend.slope * hours),
    direction: shape === null ? null : directionOf(series, shape, followed),
    perHour: { value: change(trend.slope), low: change(trend.low), high: change(trend.high) },
    step: shape === 'step' ? stepOf(followed, change) : null,
    sawtooth: shape === 'sawtooth' ? sawtoothOf(followed, change) : null,
    crossing: shape === 'trend' ? findCrossing({ level: endLevel, slope: trend.slope }, limits, series.unit) : null,
  };
}

export function tooShortSeries({ name, subject, unit }: DriftSeries, reason: string | null): SeriesDrift {
  return {
    name,
    subject,
    unit,
    verdict: 'too_short',
    reason,
    direction: null,
    shape: null,
    segments: 0,
    perHour: null,
    p: null,
    overall: null,
    first: null,
    last: null,
    step: null,
    sawtooth: null,
    crossing: null,
  };
}

/** Returns the shape that best describes a significant drift; `null` if there is none. */
function shapeOf(series: DriftSeries, followed: Followed, p: number): SeriesDrift['shape'] {
  const { sawtooth, step, trend } = followed;
  const scale = levelScales[series.unit];
  const change = (shift: number): number => Math.abs(scale.changeOf(shift, startLevel(followed)));
  const min = series.unit === 'share' ? minJump.share : minJump.relative;
  if (sawtooth !== undefined && change(sawtooth.depth) >= min) return 'sawtooth';
  // For the generator's memory only steady growth counts, because memory reaches its final size in steps.
  const isTrend = p <= alpha && isLarge(series, followed);
  if (series.subject === 'generator') return isTrend && trend.slope > 0 ? 'trend' : null;
  if (step !== undefined && change(step.shift) >= min) return 'step';
  return isTrend ? 'trend' : null;
}

function isLarge({ unit, min }: DriftSeries, followed: Followed): boolean {
  const scale = levelScales[unit];
  const start = startLevel(followed);
  const shift = followed.endLevel - start;
  const absolute = Math.abs(scale.valueOf(followed.endLevel) - scale.valueOf(start));
  return Math.abs(scale.changeOf(shift, start)) >= min.change && absolute >= min.absolute;
}

const startLevel = ({ endLevel, trend, hours }: Followed): number => endLevel - trend.slope * hours;

/** Returns the direction; a sawtooth is always for the worse, whatever its overall direction. */
function directionOf(
  { worse }: DriftSeries,
  shape: NonNullable<SeriesDrift['shape']>,
  { step, trend }: Followed,
): SeriesDrift['direction'] {
  const shift = shape === 'step' ? (step?.shift ?? 0) : trend.slope;
  return shape === 'sawtooth' || shift > 0 === (worse === 'higher') ? 'worse' : 'better';
}

type ChangeOf = (shift: number) => number;

function stepOf({ step }: Followed, change: ChangeOf): SeriesDrift['step'] {
  if (step === undefined) return null;
  const { atMs, shift, low, high } = step;
  return { atMs, change: change(shift), low: change(low), high: change(high) };
}

function sawtoothOf({ sawtooth }: Followed, change: ChangeOf): SeriesDrift['sawtooth'] {
  if (sawtooth === undefined) return null;
  const { falls, everyMs, depth } = sawtooth;
  return { falls: falls.length, everyMs, depth: -change(-depth) };
}
