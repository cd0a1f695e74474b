import type { MetricRule } from '../metric-rule.ts';

/** The scale on which runs are compared, and the way back to what a reader wants to know. */
export interface Scale {
  /** A level in the metric's own unit; `count`: the values behind it. */
  valueOf: (level: number, count: number) => number;
  /** What a shift from a level on amounts to, as the comparison publishes it. */
  changeOf: (from: number, shift: number) => number;
  /** The shift from a level on that amounts to a change; infinite where there is no such level. */
  shiftOf: (from: number, change: number) => number;
}

/** Shares on the root of Anscombe, changes in absolute terms; everything else on logarithms, changes relative. */
export const scaleOf = (rule: MetricRule): Scale => (rule.unit === 'share' ? rootScale : logScale);

/** The shifts from a level on beyond which a change matters. */
export function limitsOf(rule: MetricRule, from: number): { low: number; high: number } {
  const high = scaleOf(rule).shiftOf(from, rule.margin);
  // Relative margins are symmetrical on the scale: five per cent more, and what undoes it.
  return { low: rule.unit === 'share' ? rootScale.shiftOf(from, -rule.margin) : -high, high };
}

const logScale: Scale = {
  valueOf: (level) => Math.exp(level),
  changeOf: (_, shift) => Math.expm1(shift),
  shiftOf: (_, change) => Math.log1p(change),
};

/** `2 sqrt((e + 3/8) / n)`: its variance is about 1 / n whatever the share, and no events are a level too. */
const rootScale: Scale = {
  valueOf: (level, count) => Math.max(0, level ** 2 / 4 - 0.375 / count),
  changeOf: (from, shift) => (Math.max(0, from + shift) ** 2 - from ** 2) / 4,
  shiftOf: (from, change) => {
    const square = from ** 2 / 4 + change;
    return square < 0 ? -Infinity : 2 * Math.sqrt(square) - from;
  },
};
