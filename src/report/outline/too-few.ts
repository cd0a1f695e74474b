import { formatCount, formatMs } from '../../base/format.ts';
import { percentiles, type Percentile } from '../../result/percentiles/percentiles.ts';
import type { FigureError } from '../../result/sections/figure-error.ts';
import { percentileText } from '../words/measured-text.ts';
import { text, type TextBlock } from './outline.ts';

type Key = Percentile['key'];
export type PercentileName = Percentile['name'];

/** Percentiles of a series, in milliseconds; a percentile is `null` below its sample floor, or if it is infinite. With their errors, doubtful ones are marked. */
export type Known = {
  count: number;
  maxMs?: number | null;
  errorMs?: FigureError;
  resolutionMs?: number | undefined;
} & Partial<Readonly<Record<Key, number | null>>>;

const named = (names: readonly PercentileName[]): Percentile[] =>
  percentiles.filter(({ name }) => names.includes(name));

/** Returns the lowest of the named percentiles that has too few values; `undefined` if all have enough. */
export function firstMissing({ count }: Known, names: readonly PercentileName[]): Percentile | undefined {
  return named(names).find(({ floor }) => count < floor);
}

/** Returns the highest percentile with a value, up to p99.99; `undefined` if there is none. */
export function highestKnown(summary: Known): Percentile | undefined {
  return percentiles.findLast(({ key }) => summary[key] != null);
}

/** Formats the number of values that a percentile needs: `p99 needs 662, has 135`, with a unit `p99 needs 662 turns, has 135`. */
export function needText({ name, floor }: Percentile, count: number, unit = ''): string {
  return `${name} needs ${formatCount(floor)}${unit === '' ? '' : ` ${unit}`}, has ${formatCount(count)}`;
}

/**
 * Explains the dashes of a table, from its first one on: `-: too few values: p95 needs 130, has 40 (turn); p99 needs 662`;
 * '' if every row has enough values for the named percentiles.
 */
function dashLegend(
  rows: readonly (readonly [name: string, summary: Known])[],
  names: readonly PercentileName[],
): string {
  const first = rows.flatMap(([name, summary]) => {
    const missing = firstMissing(summary, names);
    return missing === undefined ? [] : [{ missing, text: `${needText(missing, summary.count)} (${name.trim()})` }];
  })[0];
  if (first === undefined) return '';
  const others = named(names)
    .filter((each) => each !== first.missing && rows.some(([, { count }]) => count < each.floor))
    .map(({ name, floor }) => `${name} needs ${formatCount(floor)}`);
  return `-: too few values: ${[first.text, ...others].join('; ')}`;
}

/** Explains the dashes of a table whose rows have no counts: `-: too few values: p95 needs 130`; '' without percentiles. */
export function needsText(names: readonly string[]): string {
  const needs = percentiles.filter(({ name }) => names.includes(name));
  if (needs.length === 0) return '';
  return `-: too few values: ${needs.map(({ name, floor }) => `${name} needs ${formatCount(floor)}`).join('; ')}`;
}

/** Builds the legend of a table as a paragraph; empty if no percentile is missing. */
export function dashBlocks(...given: Parameters<typeof dashLegend>): TextBlock[] {
  const legend = dashLegend(...given);
  return legend === '' ? [] : [text(legend, 'dim')];
}

/**
 * Formats percentiles in a line: `p50 15.1 ms, p95 31.0 ms, max 40.0 ms (p99 needs 662, has 135)`. If one is missing, the
 * highest known percentile and the maximum are shown. `after` adds text to a value.
 */
export function percentilesLine(
  summary: Known,
  names: readonly PercentileName[],
  after: (name: PercentileName) => string = () => '',
): string {
  const missing = firstMissing(summary, names);
  const texts = shownPercentiles(summary, names).map(
    ({ name, key }) => `${name} ${percentileText(summary, key)}${after(name)}`,
  );
  if (missing === undefined) return texts.join(', ');
  const max = summary.maxMs == null ? [] : [`max ${formatMs(summary.maxMs)}`];
  return [[...texts, ...max].join(', '), `(${needText(missing, summary.count)})`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Returns the named percentiles that have values, and the highest known one if some of them are missing. */
export function shownPercentiles(summary: Known, names: readonly PercentileName[]): Percentile[] {
  const highest = firstMissing(summary, names) === undefined ? undefined : highestKnown(summary);
  return percentiles.filter((each) => summary[each.key] != null && (names.includes(each.name) || each === highest));
}
