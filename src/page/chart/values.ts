import { formatBytes, formatCount, formatElapsed, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import { formatChange } from '../../report/words/format-change.ts';
import type { Unit } from '../../report/page/page.ts';

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
  return value === null || value === undefined ? '-' : formats[unit](value);
}

/** An instant of a run; exact to the tenth of a second where the run is short. */
export function instantText(atMs: number): string {
  return atMs < 60_000 && atMs % 1000 !== 0 ? `${(atMs / 1000).toFixed(1)} s` : formatElapsed(atMs);
}

/** A whole number as it stands beside others. */
export function countText(count: number): string {
  return formatCount(count);
}
