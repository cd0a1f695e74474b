/** A scale on which values are compared, and the conversion back to published values. */
export interface Scale {
  /** The position of a value in its own unit; `count`: the values it is based on. */
  levelOf: (value: number, count: number) => number;
  /** A level in that unit; `count` as it was for the level. */
  valueOf: (level: number, count: number) => number;
  /** Converts a shift from a level into the published change. */
  changeOf: (from: number, shift: number) => number;
  /** Returns the shift from a level that amounts to a change; infinite if it is impossible. */
  shiftOf: (from: number, change: number) => number;
  /** The standard deviation of a level, where the measured value has this standard deviation as a share of itself. */
  deviationAt: (level: number, relative: number) => number;
}

/** Scale of durations and rates: a shift is a relative change. */
export const logScale: Scale = {
  levelOf: (value) => Math.log(value),
  valueOf: (level) => Math.exp(level),
  changeOf: (_, shift) => Math.expm1(shift),
  shiftOf: (_, change) => Math.log1p(change),
  deviationAt: (_, relative) => relative,
};

/** Scale of figures that are at least 1, such as attempts per turn: a shift is a change of the excess over 1. */
export const ratioScale: Scale = { ...logScale, deviationAt: (level, relative) => relative * -Math.expm1(-level) };

/**
 * `2 sqrt((e + 3/8) / n)`: its variance is about 1 / n for any share, and zero events have a level too. Few events at
 * different n have different levels for one share: compared runs use one n, see alignRuns.
 */
export const rootScale: Scale = {
  levelOf: (value, count) => 2 * Math.sqrt(value + 0.375 / count),
  valueOf: (level, count) => clearOfRounding(level ** 2 / 4 - 0.375 / count),
  changeOf: (from, shift) => (Math.max(0, from + shift) ** 2 - from ** 2) / 4,
  shiftOf: (from, change) => {
    const square = from ** 2 / 4 + change;
    return square < 0 ? -Infinity : 2 * Math.sqrt(square) - from;
  },
  deviationAt: (level, relative) => (relative * level) / 2,
};

/** Scale of a share whose complement is rare, measured from the upper end. */
export const mirroredScale: Scale = {
  levelOf: (value, count) => -rootScale.levelOf(1 - value, count),
  valueOf: (level, count) => 1 - rootScale.valueOf(-level, count),
  changeOf: (from, shift) => 0 - rootScale.changeOf(-from, -shift),
  shiftOf: (from, change) => -rootScale.shiftOf(-from, -change),
  deviationAt: (level, relative) => rootScale.deviationAt(-level, relative),
};

/** Returns a share, exactly 0 for no events, without the rounding error of a root and its square. */
const clearOfRounding = (share: number): number => (share < 1e-12 ? 0 : share);
