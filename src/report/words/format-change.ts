import type { MetricComparison } from '../../compare/document/comparison.ts';
import {
  formatCost,
  formatCount,
  formatMs,
  formatNumber,
  formatNumbers,
  formatPerSecond,
  formatShare,
} from '../../base/format.ts';

type Unit = MetricComparison['unit'];

/** Formats the values of both sides, alike. */
export function formatSides(base: number | null, head: number | null, unit: Unit): [base: string, head: string] {
  if (base === null || head === null || (unit !== 'count' && unit !== 'perSecond'))
    return [formatFigure(base, unit), formatFigure(head, unit)];
  const [ofBase = '', ofHead = ''] = formatNumbers([base, head]);
  return unit === 'count' ? [ofBase, ofHead] : [`${ofBase}/s`, `${ofHead}/s`];
}

export function formatFigure(value: number | null, unit: Unit): string {
  if (value === null) return '-';
  switch (unit) {
    case 'ms':
      return formatMs(value);
    case 'share':
      return formatShare(value);
    case 'perSecond':
      return formatPerSecond(value);
    case 'ratio':
      // Attempts per turn are close to 1, so changes need more digits.
      return value < 9.9995 ? value.toFixed(3) : formatNumber(value);
    case 'cost':
      return formatCost(value);
    case 'count':
    case 'verdict':
      return formatNumber(value);
  }
}

/** Formats a change: `+12.3 %`; changes of shares in percentage points, `+0.12 pp`. */
export function formatChange(change: number | null, unit: Unit): string {
  return change === null ? '-' : `${signed(change, unit)} ${signOf(unit)}`;
}

/** Formats an interval in the unit of the change: `10.1 to 14.6`. */
export function formatRange(range: { low: number; high: number } | null, unit: Unit): string {
  return range === null ? '-' : [range.low, range.high].map((end) => signed(end, unit).replace('+', '')).join(' to ');
}

/** Formats a change without a sign: `18.2 %`. */
export function formatExtent(extent: number | null, unit: Unit): string {
  return extent === null ? '-' : `${digits(extent * 100, unit)} ${signOf(unit)}`;
}

/** Formats a margin with its original digits: `10 %`, `0.1 pp`. */
export function formatMargin(margin: number, unit: Unit): string {
  return `${String(Number((margin * 100).toPrecision(6)))} ${signOf(unit)}`;
}

/** Formats a p-value: `0.034`, `<0.001`. */
export function formatP(p: number | null): string {
  if (p === null) return '-';
  return p < 0.001 ? '<0.001' : p.toFixed(3);
}

const signOf = (unit: Unit): string => (unit === 'share' ? 'pp' : '%');

function signed(change: number, unit: Unit): string {
  const text = digits(Math.abs(change) * 100, unit);
  if (Number(text) === 0) return text;
  return `${change < 0 ? '−' : '+'}${text}`;
}

const digits = (percent: number, unit: Unit): string => {
  if (percent >= 99.95) return formatCount(percent);
  return percent.toFixed(unit === 'share' && percent < 9.995 ? 2 : 1);
};
