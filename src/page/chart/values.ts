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

/** Formats a round value of an axis, without trailing zeros unless its other values have as many decimals. */
export function tickText(value: number, unit: Unit, decimals = 0): string {
  if (unit === 'ms' || unit === 'bytes')
    return valueText(value, unit)
      .replace(/(\.\d*?)0+ /, '$1 ')
      .replace('. ', ' ');
  const size = sizeOf(value, unit);
  const digits = size === 0 ? '0' : size.toFixed(Math.max(decimals, decimalsOf(size)));
  const sign = value < 0 ? '−' : value > 0 && (unit === 'change' || unit === 'points') ? '+' : '';
  return `${sign}${digits}${endings[unit]}`;
}

/** Formats the values of a linear axis, which share the number of decimals. */
export function tickTexts(values: readonly number[], unit: Unit): string[] {
  const decimals = Math.max(0, ...values.map((value) => decimalsOf(sizeOf(value, unit))));
  return values.map((value) => tickText(value, unit, decimals));
}

const endings = { count: '', ratio: '', perSecond: '/s', share: ' %', change: ' %', points: ' pp' } as const;

const sizeOf = (value: number, unit: Unit): number =>
  Number(Math.abs(unit === 'share' || unit === 'change' || unit === 'points' ? value * 100 : value).toPrecision(4));

const decimalsOf = (value: number): number => String(value).split('.')[1]?.length ?? 0;

/** Formats an instant of a run; exact to the millisecond in short runs. */
export function instantText(atMs: number): string {
  return atMs < 60_000 && atMs % 1000 !== 0
    ? `${String(Number((atMs / 1000).toFixed(atMs < 10_000 ? 3 : 1)))} s`
    : formatElapsed(atMs);
}
