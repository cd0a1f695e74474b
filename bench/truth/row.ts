import type { Percentiles } from '../../src/result/sections/latency-summary.ts';
import type { Result } from '../../src/result/result.ts';

/** A published figure against what it is known to be. */
export interface TruthRow {
  experiment: string;
  figure: string;
  unit: 'ms' | '/s';
  known: number;
  measured: number;
  /** How far apart they may be. */
  allowed: number;
  /** `told`: it is not what was asked for, which may be more than one core can do, and the run itself says so. */
  verdict: 'holds' | 'told' | 'broken';
  /** What the run says of itself: its verdict, and the reasons by code. */
  validity: string;
}

export type Figure = Pick<TruthRow, 'figure' | 'unit' | 'known' | 'allowed'> & {
  measured: number | null | undefined;
  /** Whether this may be more than one core can do: then it is enough that the run is not valid. */
  mayBeTooMuch?: boolean;
};

/** Holds a figure against what is known; one that was not published is broken. */
export function rowOf(experiment: string, { validity }: Result, of: Figure): TruthRow {
  const { mayBeTooMuch = false, ...figure } = of;
  const measured = figure.measured ?? NaN;
  const holds = Math.abs(measured - figure.known) <= figure.allowed;
  const isTold = mayBeTooMuch && validity.verdict !== 'valid';
  return {
    experiment,
    ...figure,
    measured,
    verdict: holds ? 'holds' : isTold ? 'told' : 'broken',
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

/** Every published percentile of a series against the order statistics of all the known values. */
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
