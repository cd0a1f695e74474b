import type { LatencySummary } from '../result/latency-summary.ts';
import type { Percentile } from '../result/percentiles.ts';
import type { Result } from '../result/result.ts';
import { formatCount, formatMs } from './format.ts';
import { renderTable, type Style } from './table.ts';

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

const columns = (first: string) => [
  { head: first },
  ...['count', ...shown.map((key) => heads[key]), 'max'].map((head) => ({ head, align: 'right' as const })),
];

/** Latency by series: rows without samples are left out. */
export function latencyTable({ latency }: Result, style: Style): string {
  const { turn, effective, attempt } = latency;
  const hasFailed = turn.failed.count > 0;
  const rows: [string, Row][] = [
    ['turn', turn],
    ...(hasFailed
      ? ([
          ['  ok', turn.ok],
          ['  failed', turn.failed],
          ['  adjusted', turn.adjusted],
        ] as [string, Row][])
      : []),
    ['effective', effective],
    ['attempt', attempt],
    ...(attempt.failed.count > 0
      ? ([
          ['  ok', attempt.ok],
          ['  failed', attempt.failed],
        ] as [string, Row][])
      : []),
    ['first byte', latency.firstByte],
    ['connect', latency.connect],
    ['session create', latency.sessionCreate],
    ['lateness', latency.lateness],
    ['session lateness', latency.sessionLateness],
    ['backoff', latency.backoffActual],
  ];
  return renderTable(columns('LATENCY'), rows.filter(([, row]) => row.count > 0).map(cellsOf), style);
}

/** Turn latency by the turn's position in its session; '' where there is one position alone. */
export function positionTable({ positions }: Result, style: Style): string {
  const rows = positions.filter((row) => row.count > 0);
  if (rows.length < 2) return '';
  return renderTable(
    columns('BY POSITION'),
    rows.map((row) => cellsOf([`turn ${row.position}`, row])),
    style,
  );
}

function cellsOf([name, row]: [string, Row]): string[] {
  let isInfinite = false;
  const values = shown.map((key) => {
    isInfinite ||= row.infiniteFrom === key;
    return isInfinite && row[key] === null ? '∞' : formatMs(row[key]);
  });
  return [name, formatCount(row.count), ...values, row.maxMs === undefined ? '' : formatMs(row.maxMs)];
}
