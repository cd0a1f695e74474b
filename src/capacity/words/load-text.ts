import { countOf, formatNumber, formatMs, formatPerSecond, formatShare } from '../../base/format.ts';
import type { LoadUnit } from '../document/step.ts';

/** A load as a sentence has it: `180 sessions at a time`, `12.5 sessions a second`. */
export function loadText(load: number, by: LoadUnit): string {
  if (by === 'concurrency') return `${countOf(load, 'session')} at a time`;
  return `${formatNumber(load)} ${load === 1 ? 'session' : 'sessions'} a second`;
}

/** The unit of loads, as the head of a table has it. */
export const loadUnitTexts: Readonly<Record<LoadUnit, string>> = {
  concurrency: 'sessions at a time',
  rate: 'sessions/s',
};

/** How often something was shown: `once`, `twice`, `3 times`. */
export function timesText(times: number): string {
  return ['never', 'once', 'twice'][times] ?? `${String(times)} times`;
}

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
