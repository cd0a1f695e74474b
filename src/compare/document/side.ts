import type { Result } from '../../result/result.ts';

/** A result, with where it was read from; `null` when it was not read from a file. */
export interface RunOfSide {
  file: string | null;
  result: Result;
}

/** One of the two releases that are compared: its runs, and what it is called. */
export interface Side {
  label: string;
  runs: readonly RunOfSide[];
}

export const sideNames = ['base', 'head'] as const;
export type SideName = (typeof sideNames)[number];
export type Sides = Readonly<Record<SideName, Side>>;

/** What a reader knows a run by: its file, where it was read from one. */
export function nameOf({ file, result }: RunOfSide): string {
  return file ?? `the run ${result.run.id}`;
}

/** Every run of both sides, the base first. */
export function resultsOf({ base, head }: Sides): Result[] {
  return [...base.runs, ...head.runs].map(({ result }) => result);
}

/**
 * One metric of one run, on the scale on which runs are compared: the logarithm of a latency, rate or ratio; for a share
 * of e among n the root of Anscombe, `2 sqrt((e + 3/8) / n)`, by its own n as long as it stands alone.
 */
export interface RunFigure {
  /** On the scale of comparison. */
  level: number;
  /** The variance of `level` within the run, by batch means and counts; `null` where there are too few intervals for one. */
  withinVariance: number | null;
  /** In the metric's own unit. */
  value: number;
  /** Values behind it. */
  count: number;
}

/** Why a run has no figure. `censored`: the quantile falls among failed turns. */
export type Missing = 'no_data' | 'insufficient_data' | 'censored';

export type RunReading = { figure: RunFigure } | { missing: Missing; detail: string };

/** A run's figure, with what says how runs belong together. */
export interface Observed {
  figure: RunFigure;
  /** Runs measured back to back share it; a run without one is a sitting of its own. */
  sitting: string | null;
  /** Interleaved runs of two releases share it by pairs, within a sitting. */
  pair: string | null;
}
