import type { Percentiles } from '../../src/result/sections/latency-summary.ts';
import type { Result } from '../../src/result/result.ts';

/** A published figure and its known value. */
export interface TruthRow {
  experiment: string;
  figure: string;
  unit: 'ms' | '/s';
  known: number;
  measured: number;
  /** Maximum difference between the two. */
  allowed: number;
  /** `reported`: not reached, possibly beyond what one core can sustain; the run itself reports that. */
  verdict: 'holds' | 'reported' | 'broken';
  /** Validity of the run, with the codes of its reasons. */
  validity: string;
}

export type Figure = Pick<TruthRow, 'figure' | 'unit' | 'known' | 'allowed'> & {
  measured: number | null | undefined;
  /** True if one core may be unable to sustain it; then a run that is not valid is accepted. */
  mayExceedCore?: boolean;
};

/** Compares a figure with its known value; an unpublished figure is broken. */
export function rowOf(experiment: string, { validity }: Result, of: Figure): TruthRow {
  const { mayExceedCore = false, ...figure } = of;
  const measured = figure.measured ?? NaN;
  const holds = Math.abs(measured - figure.known) <= figure.allowed;
  const isReported = mayExceedCore && validity.verdict !== 'valid';
  return {
    experiment,
    ...figure,
    measured,
    verdict: holds ? 'holds' : isReported ? 'reported' : 'broken',
    validity: [validity.verdict, ...validity.reasons.map(({ code }) => code)].join(' '),
  };
}

const ranks: readonly (readonly [keyof Percentiles, string, number])[] = [
  ['p50Ms', 'p50', 5000],
  ['p75Ms', 'p75', 7500],
  ['p90Ms', 'p90', 9000],
  ['p95Ms', 'p95', 9500],
  ['p99Ms', 'p99', 9900],
  ['p999Ms', 'p99.9', 9990],
  ['p9999Ms', 'p99.99', 9999],
];

/** Compares every published percentile of a series with the order statistics of all known values. */
export function percentileFigures(
  series: string,
  published: Percentiles,
  { values, allowed }: { values: readonly number[]; allowed: (known: number, percentile: string) => number },
): Figure[] {
  const sorted = [...values].sort((a, b) => a - b);
  return ranks.flatMap(([key, name, parts]): Figure[] => {
    const known = sorted[Math.ceil((parts * sorted.length) / 10_000) - 1] ?? NaN;
    if (published[key] === null) return [];
    return [
      { figure: `${series} ${name}`, unit: 'ms', known, measured: published[key], allowed: allowed(known, name) },
    ];
  });
}
