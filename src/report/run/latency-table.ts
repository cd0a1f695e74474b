import { publishedSeries, type PublishedSeries } from '../../record/series.ts';
import type { LatencySummary } from '../../result/sections/latency-summary.ts';
import type { Percentile } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import { formatCount, formatMs } from '../words/format.ts';
import { fittingTable, type Cells } from '../words/fitting-table.ts';
import type { Style } from '../words/table.ts';

/** The percentiles shown: the others are in the result. */
const shown = ['p50Ms', 'p90Ms', 'p95Ms', 'p99Ms', 'p999Ms'] as const satisfies readonly Percentile['key'][];
const heads: Readonly<Record<(typeof shown)[number], string>> = {
  p50Ms: 'p50',
  p90Ms: 'p90',
  p95Ms: 'p95',
  p99Ms: 'p99',
  p999Ms: 'p99.9',
};

type Row = Pick<LatencySummary, 'count' | (typeof shown)[number]> & {
  maxMs?: number | null;
  infiniteFrom?: string | null;
};

/** Where there is no room, the least important is dropped first. */
const goes: Readonly<Record<string, { goes: number }>> = { 'p99.9': { goes: 2 }, p90: { goes: 1 } };

/** Percentiles that no row has are left out. */
function cellsBelow(first: string, rows: readonly (readonly [string, Row])[]): Cells {
  const keys = shown.filter((key) => rows.some(([, row]) => row[key] !== null || row.infiniteFrom != null));
  const columns = ['count', ...keys.map((key) => heads[key]), 'max'].map((head) => ({
    head,
    align: 'right' as const,
    ...goes[head],
  }));
  return { columns: [{ head: first }, ...columns], rows: rows.map((row) => cellsOf(row, keys)) };
}

const textOf = ({ columns, rows }: Cells, style: Style): string =>
  rows.length === 0 ? '' : fittingTable(columns, rows, style).text;

export function latencyTable(result: Result, style: Style): string {
  return textOf(latencyCells(result), style);
}

/**
 * Latency by series: rows without samples are left out, and so are backoffs as they were planned, and first answers where
 * nothing but answers came.
 */
export function latencyCells({ latency, stream }: Pick<Result, 'latency' | 'stream'>): Cells {
  const isShown = ({ name }: PublishedSeries): boolean =>
    name !== 'backoff' && (name !== 'firstAnswer' || stream.reasoned > 0);
  const rows = publishedSeries.filter(isShown).flatMap((series) => rowsOf(series, latency));
  return cellsBelow(
    'LATENCY',
    rows.filter(([, row]) => row.count > 0),
  );
}

/** A series, and its parts where some of it failed. */
function rowsOf({ name, label }: PublishedSeries, latency: Result['latency']): [string, Row][] {
  const all = latency[name];
  if (!('failed' in all) || all.failed.count === 0 || name.startsWith('effective')) return [[label, all]];
  const parts: [string, Row][] = [
    ['  ok', all.ok],
    ['  failed', all.failed],
  ];
  return [[label, all], ...parts, ...('adjusted' in all ? [['  adjusted', all.adjusted] as [string, Row]] : [])];
}

export function positionTable(result: Result, style: Style): string {
  return textOf(positionCells(result), style);
}

/** Turn latency by the turn's position in its session; no rows where there is one position alone. */
export function positionCells({ positions }: Pick<Result, 'positions'>): Cells {
  const rows = positions.filter((row) => row.count > 0);
  return cellsBelow('BY POSITION', rows.length < 2 ? [] : rows.map((row) => [`turn ${row.position}`, row]));
}

function cellsOf([name, row]: readonly [string, Row], keys: readonly (typeof shown)[number][]): string[] {
  let isInfinite = false;
  const values = keys.map((key) => {
    isInfinite ||= row.infiniteFrom === key;
    return isInfinite && row[key] === null ? '∞' : formatMs(row[key]);
  });
  return [name, formatCount(row.count), ...values, row.maxMs === undefined ? '' : formatMs(row.maxMs)];
}
