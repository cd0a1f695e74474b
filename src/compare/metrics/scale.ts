import { logScale, mirroredScale, ratioScale, rootScale, type Scale } from '../../statistics/scales.ts';
import type { MetricRule } from './metric-rule.ts';

/** Shares on the root of Anscombe, changes in absolute terms; everything else on logarithms, changes relative. */
export function scaleOf({ source }: Pick<MetricRule, 'source'>): Scale {
  switch (source.kind) {
    case 'share':
      return source.rare === 'rest' ? mirroredScale : rootScale;
    case 'ratio':
      return ratioScale;
    case 'quantile':
    case 'mean':
    case 'rate':
      return logScale;
  }
}

/** The shifts from a level on beyond which a change matters. */
export function marginLimits(rule: MetricRule, from: number): { low: number; high: number } {
  const { shiftOf } = scaleOf(rule);
  const high = shiftOf(from, rule.margin);
  // Relative margins are symmetrical on the scale: five per cent more, and what undoes it.
  return { low: rule.unit === 'share' ? shiftOf(from, -rule.margin) : -high, high };
}
