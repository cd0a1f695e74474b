import type { MetricComparison } from './document/comparison.ts';

/** A metric with how it changed: `turn.ok.p99 +12.3 %`. */
export function moveInWords({ name, change, unit }: MetricComparison): string {
  return change === null ? name : `${name} ${changeInWords(change, unit)}`;
}

/** `+12.3 %`; a share in percentage points. */
export function changeInWords(change: number, unit: MetricComparison['unit']): string {
  const size = Math.abs(change) * 100;
  const digits = size >= 99.95 ? 0 : unit === 'share' && size < 9.995 ? 2 : 1;
  return `${change < 0 ? '−' : '+'}${size.toFixed(digits)} ${unit === 'share' ? 'pp' : '%'}`;
}
