/** Formats a duration in milliseconds in the most readable unit, about three digits: `850 µs`, `12.3 ms`, `1.23 s`, `2m 05s`. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '-';
  if (!Number.isFinite(ms)) return 'infinite';
  if (ms === 0) return '0 ms';
  if (ms < 0.9995) return `${digits(ms * 1000)} µs`;
  if (ms < 999.5) return `${digits(ms)} ms`;
  if (ms < 59_950) return `${digits(ms / 1000)} s`;
  return formatLongMs(ms);
}

function formatLongMs(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${String(hours)}h ${two(minutes)}m` : `${String(minutes)}m ${two(seconds % 60)}s`;
}

/** Formats a number with three significant digits, never in exponent form. */
const digits = (value: number): string => {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
};

/** Formats a whole number with thousands separators. */
export function formatCount(count: number): string {
  return Math.abs(count) < 1e15 ? Math.round(count).toLocaleString('en-US') : count.toExponential(2);
}

/** Formats a number that may have a fraction: as a whole number from 100, otherwise with three digits. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : formatDecimal(value);
}

function formatDecimal(value: number): string {
  if (value >= 99.95) return formatCount(value);
  return value >= 1e-6 && value < 0.01 ? String(Number(value.toPrecision(2))) : digits(value);
}

/** Formats the numbers of a row alike: all as whole numbers, or all with three digits. */
export function formatNumbers(values: readonly number[]): string[] {
  // Means of equal whole numbers have rounding errors.
  const rounded = values.map((value) => Number(value.toPrecision(12)));
  return rounded.every(Number.isInteger) ? rounded.map(formatCount) : rounded.map(formatDecimal);
}

/** Formats an amount of money, with four significant digits: the cost of a turn is often a small fraction. */
export function formatCost(value: number): string {
  return value.toLocaleString('en-US', value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 });
}

/** Formats a share of 1 as a percentage: `0.32 %`, `< 0.01 %`, `> 99.9 %`; only exact values read 0 % or 100 %. */
export function formatShare(share: number | null): string {
  if (share === null) return '-';
  const percent = share * 100;
  if (percent > 0 && percent < 0.01) return '< 0.01 %';
  if (percent < 100 && percent >= 99.95) return '> 99.9 %';
  return `${percent === 0 || percent === 100 ? String(percent) : percent.toFixed(percent < 10 ? 2 : 1)} %`;
}

/** Formats time that passes on a display, in whole seconds: `5 s`, `2m 05s`. */
export function formatElapsed(ms: number): string {
  return ms < 59_500 ? `${String(Math.round(ms / 1000))} s` : formatLongMs(ms);
}

/** Formats a change per hour, given as a share: `1.8 %/h`, `−0.42 %/h`. */
export function formatPerHour(share: number): string {
  return `${formatPercent(share)} %/h`;
}

/** Formats a share as a percentage without the percent sign: two significant digits, and a real minus sign. */
export function formatPercent(share: number): string {
  const percent = Math.abs(share) * 100;
  const text = percent >= 999.5 ? formatCount(percent) : percent.toFixed(percent < 0.995 ? 2 : percent < 99.5 ? 1 : 0);
  return share < 0 && Number(text) !== 0 ? `−${text}` : text;
}

export function formatPerSecond(rate: number): string {
  return `${formatNumber(rate)}/s`;
}

/** Formats a rate with its unit: `1 turn/s`, `2.5 turns/s`. */
export function formatRate(rate: number, noun: string): string {
  const text = formatNumber(rate);
  return `${text} ${text === '1' ? noun : `${noun}s`}/s`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${formatCount(bytes)} B`;
  if (bytes < 999_500) return `${digits(bytes / 1000)} kB`;
  return bytes < 999_500_000 ? `${digits(bytes / 1e6)} MB` : `${digits(bytes / 1e9)} GB`;
}

/** Formats a count with its noun: `1 session`, `2 sessions`. An irregular plural is a parameter. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Lists the first of some texts, and the number of the others: `a, b, and 3 more`. */
export function listFirst(texts: readonly string[], max: number): string {
  const left = texts.length - max;
  return [...texts.slice(0, max), ...(left > 0 ? [`and ${String(left)} more`] : [])].join(', ');
}

/** Quotes a text as one word of a shell, if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the share that a text such as `15%` or `2.5 %` states; `undefined` if it is not a percentage above zero. */
export function readShare(text: string): number | undefined {
  const share = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1] ?? NaN) / 100;
  return share > 0 ? share : undefined;
}

/** Formats an ISO 8601 instant to the second: `2026-11-21 03:00:00 UTC`. */
export function formatInstant(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+/, '').replace('Z', ' UTC');
}
