import { formatBytes, formatElapsed, formatMs, formatNumber, formatShare } from '../../base/format.ts';
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

/** Formats a value in its unit; `-` without a value. */
export function valueText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '-';
  const isSigned = unit === 'change' || unit === 'points';
  return value < 0 && !isSigned ? `−${formats[unit](-value)}` : formats[unit](value);
}

/** Formats a round value of an axis without trailing zeros. */
export function tickText(value: number, unit: Unit): string {
  if (unit === 'count' || unit === 'ratio') return String(Number(value.toPrecision(4)));
  if (unit === 'perSecond') return `${String(Number(value.toPrecision(4)))}/s`;
  if (unit !== 'change' && unit !== 'points' && unit !== 'share') return valueText(value, unit);
  const sign = value < 0 ? '−' : value > 0 && unit !== 'share' ? '+' : '';
  return `${sign}${String(Number(Math.abs(value * 100).toPrecision(4)))} ${unit === 'points' ? 'pp' : '%'}`;
}

/** Formats an instant of a run; exact to the millisecond in short runs. */
export function instantText(atMs: number): string {
  return atMs < 60_000 && atMs % 1000 !== 0
    ? `${String(Number((atMs / 1000).toFixed(atMs < 10_000 ? 3 : 1)))} s`
    : formatElapsed(atMs);
}
