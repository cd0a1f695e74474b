import type { DriftUnit } from '../metrics/drift-series.ts';

/** The scale on which a series is followed, and the inverse. */
interface LevelScale {
  /** `undefined` for a value outside the scale. */
  of: (value: number) => number | undefined;
  valueOf: (level: number) => number;
  /** What a shift from a level is as a change. */
  changeOf: (shift: number, from: number) => number;
}

/** An hour's change estimated from five minutes of noise can have an infinite interval, which JSON cannot express. */
const most = 1e6;
const bounded = (change: number): number => Math.min(most, Math.max(-most, change));

/** Logarithmic: its slope is a compound rate, and proportional noise is equally wide everywhere. */
const relative: LevelScale = {
  of: (value) => (value > 0 ? Math.log(value) : undefined),
  valueOf: (level) => Math.exp(level),
  changeOf: (shift) => bounded(Math.expm1(shift)),
};

/** Leaks grow by bytes: on a logarithmic scale their line would bend. */
const linear: LevelScale = {
  of: (value) => value,
  valueOf: (level) => level,
  changeOf: (shift, from) => bounded(shift / Math.max(from, 1)),
};

const absolute: LevelScale = { of: (value) => value, valueOf: (level) => level, changeOf: (shift) => shift };

const scales: Readonly<Record<DriftUnit, LevelScale>> = {
  ms: relative,
  perSecond: relative,
  share: absolute,
  bytes: linear,
};

export function levelScaleOf(unit: DriftUnit): LevelScale {
  return scales[unit];
}
