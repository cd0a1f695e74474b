import { formatMs, formatNumber, formatPerSecond, formatShare } from '../../base/format.ts';

/** A figure of an objective in its metric's unit; `-` for none, and a bare number in a unit that is not known here. */
export function figureText(value: number | null, unit: string): string {
  if (value === null) return '-';
  return (formats[unit] ?? formatNumber)(value);
}

/** A limit as somebody would write it: `2 s`, not `2.00 s`. */
export function limitText(limit: number, unit: string): string {
  return figureText(limit, unit)
    .replace(/(\.\d*?)0+(?!\d)/, '$1')
    .replace(/\.(?!\d)/, '');
}

const formats: Readonly<Record<string, (value: number) => string>> = {
  ms: formatMs,
  share: formatShare,
  perSecond: formatPerSecond,
  // Attempts a turn are so close to 1 that differences need more digits.
  ratio: (value) => (value < 9.9995 ? value.toFixed(3) : formatNumber(value)),
};
