import type { Result } from '../../result/result.ts';

/** A result with its file; `null` when it was not read from a file. */
export interface RunOfSide {
  file: string | null;
  result: Result;
}

export interface Side {
  label: string;
  runs: readonly RunOfSide[];
}

export const sideNames = ['base', 'head'] as const;
export type SideName = (typeof sideNames)[number];
export type Sides = Readonly<Record<SideName, Side>>;

export function nameOf({ file, result }: RunOfSide): string {
  return file ?? `the run ${result.run.id}`;
}

export function resultsOf({ base, head }: Sides): Result[] {
  return [...base.runs, ...head.runs].map(({ result }) => result);
}

/**
 * A metric of a run, on the scale of comparison: the logarithm of a latency, rate or ratio; for a share of e among n
 * Anscombe's root, `2 sqrt((e + 3/8) / n)`, with the run's own n until runs are aligned.
 */
export interface RunFigure {
  level: number;
  /** Variance of `level` within the run, by batch means and counts; `null` with too few intervals. */
  withinVariance: number | null;
  value: number;
  count: number;
  /** Measurement error as a share of the value; absent if unknown. */
  error?: number;
}

type Missing = 'no_data' | 'insufficient_data' | 'censored' | 'doubtful';

export interface MissingFigure {
  missing: Missing;
  detail: string;
  /** Measurement error of a doubtful figure, in milliseconds. */
  errorMs?: number;
}

/** Returns the figure with the largest measurement error, or the first one. */
export function worstOf(missing: readonly MissingFigure[]): MissingFigure | undefined {
  return missing.toSorted((a, b) => (b.errorMs ?? 0) - (a.errorMs ?? 0))[0];
}

export type RunReading = { figure: RunFigure } | MissingFigure;

export interface Observed {
  figure: RunFigure;
  /** Shared by runs measured back to back; a run without it is a separate batch. */
  sitting: string | null;
  pair: string | null;
}
