import type { MetricHistory } from '../../src/compare/document/history.ts';
import type { MetricRule } from '../../src/compare/metrics/metric-rules.ts';
import type { Observed } from '../../src/compare/document/side.ts';

interface RunsOptions {
  /** `null`: each run is its own batch. */
  sitting?: string | null;
  /** Numbers the pairs from here on; not paired without. */
  pairFrom?: number;
  within?: number | null;
  count?: number;
}

/** Returns runs of these levels, in one batch by default. */
export function runsOf(levels: readonly number[], options: RunsOptions = {}): Observed[] {
  const { sitting = 'tonight', pairFrom, within = 1e-4, count = 60_000 } = options;
  return levels.map((level, index) => ({
    figure: { level, withinVariance: within, value: Math.exp(level), count },
    sitting,
    pair: pairFrom === undefined ? null : String(pairFrom + index),
  }));
}

export function logsOf(values: readonly number[]): number[] {
  return values.map(Math.log);
}

/** Runs with a number of events among a number of turns, on Anscombe's scale. */
export function shareRuns(events: readonly number[], count: number, options: RunsOptions = {}): Observed[] {
  const levels = events.map((each) => 2 * Math.sqrt((each + 3 / 8) / count));
  return runsOf(levels, { within: 1 / count, count, ...options }).map((run, at) => ({
    ...run,
    figure: { ...run.figure, value: (events[at] ?? 0) / count },
  }));
}

/** A history that contains only the variance of runs. */
export function runHistory(runVariance: number, runDegrees: number): MetricHistory {
  return {
    runVariance,
    runDegrees,
    sittingVariance: null,
    sittingDegrees: 0,
    runsPerSitting: 5,
  };
}

export const latencyRule: MetricRule = {
  name: 'turn.ok.p50',
  meaning: 'p50 of turns',
  unit: 'ms',
  source: { kind: 'quantile', series: 'turn.ok', quantile: 0.5 },
  worse: 'higher',
  margin: 0.05,
  isGated: true,
};

export const shareRule: MetricRule = {
  name: 'turns.failedShare',
  meaning: 'failed turns',
  unit: 'share',
  source: { kind: 'share', of: 'turns.failed', among: 'turns.finished' },
  worse: 'higher',
  margin: 0.001,
  isGated: true,
};

export const rateRule: MetricRule = {
  name: 'rates.turnsPerSecond',
  meaning: 'turns a second',
  unit: 'perSecond',
  source: { kind: 'rate', of: 'turns.finished' },
  worse: 'lower',
  margin: 0.03,
  isGated: true,
};
