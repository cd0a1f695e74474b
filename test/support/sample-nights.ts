import type { TrendRun } from '../../src/compare/trend/trend-run.ts';
import type { MetricRule } from '../../src/compare/metrics/metric-rules.ts';
import { latencyRule as medianRule, rateRule as throughputRule, shareRule } from './observed-runs.ts';

export const latencyRule: MetricRule = {
  ...medianRule,
  name: 'turn.ok.p99',
  meaning: 'p99 of the latency of ok turns',
  source: { kind: 'quantile', series: 'turn.ok', quantile: 0.99 },
};
export const rateRule: MetricRule = { ...throughputRule, margin: 0.05 };
export { shareRule };

const noisePattern = [
  0.011, -0.02, 0.013, 0.004, -0.017, 0.021, -0.006, 0.009, -0.012, 0.016, -0.003, 0.008, -0.014, 0.002, 0.019, -0.009,
  0.005, -0.018, 0.012, 0.001,
];

/** A noise of about 1.3 %, the same for the same number. */
export function noiseAt(at: number): number {
  return noisePattern[at % noisePattern.length] ?? 0;
}

/** When a run of that night starts: the nights follow 2026-10-01. */
export function startOf(night: number, minute = 0): string {
  return new Date(Date.UTC(2026, 9, 1 + night, 2, minute)).toISOString();
}

/** A run with these values by metric, in their units; a share is of very many turns. */
export function runOf(values: Record<string, number>, other: Partial<TrendRun> = {}): TrendRun {
  const figureOf = ([name, value]: [string, number]) => {
    const level = name.endsWith('Share') ? 2 * Math.sqrt(value) : Math.log(value);
    return [name, { figure: { level, value, count: 10_000, withinVariance: null } }] as const;
  };
  return {
    file: 'a-run.json',
    id: `run ${other.startedAt ?? startOf(0)}`,
    release: 'v1',
    group: { scenario: { name: 'smoke', hash: 'hash' }, machineClass: 'a machine', loadHash: 'load' },
    startedAt: startOf(0),
    label: null,
    sitting: null,
    pair: null,
    commit: null,
    unfit: null,
    isDegraded: false,
    figures: new Map(Object.entries(values).map(figureOf)),
    ...other,
  };
}

/** Returns one run per night. */
export function nightly(count: number, valuesAt: (night: number) => Record<string, number>): TrendRun[] {
  return Array.from({ length: count }, (_, night) =>
    runOf(valuesAt(night), {
      file: `night-${String(night)}.json`,
      startedAt: startOf(night),
      commit: `commit-${String(night)}`,
    }),
  );
}
