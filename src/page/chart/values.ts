import { formatBytes, formatCount, formatElapsed, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import type { Unit } from '../../report/page/page.ts';
import { formatChange } from '../../report/words/format-change.ts';

const formats: Readonly<Record<Unit, (value: number) => string>> = {
  ms: formatMs,
  perSecond: (value) => `${formatNumber(value)}/s`,
  count: formatNumber,
  share: formatShare,
  bytes: formatBytes,
  ratio: (value) => value.toFixed(3),
  change: (value) => formatChange(value, 'ms'),
  points: (value) => formatChange(value, 'share'),
};

/** A value in its unit; `-` where there is none. */
export function valueText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '-';
  const isSigned = unit === 'change' || unit === 'points';
  return value < 0 && !isSigned ? `−${formats[unit](-value)}` : formats[unit](value);
}

/** A round value of an axis, no more digits than it has. */
export function tickText(value: number, unit: Unit): string {
  if (unit !== 'change' && unit !== 'points' && unit !== 'share') return valueText(value, unit);
  const sign = value < 0 ? '−' : value > 0 && unit !== 'share' ? '+' : '';
  return `${sign}${String(Number(Math.abs(value * 100).toPrecision(4)))} ${unit === 'points' ? 'pp' : '%'}`;
}

/** An instant of a run; exact to the tenth of a second where the run is short. */
export function instantText(atMs: number): string {
  return atMs < 60_000 && atMs % 1000 !== 0 ? `${(atMs / 1000).toFixed(1)} s` : formatElapsed(atMs);
}

/** A whole number as it stands beside others. */
export function countText(count: number): string {
  return formatCount(count);
}
