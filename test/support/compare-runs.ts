import { compareResults, type ComparisonParts } from '../../src/compare/compare-results.ts';
import type { Comparison, MetricComparison } from '../../src/compare/document/comparison.ts';
import { groupOf } from '../../src/compare/document/group-of.ts';
import type { History, MetricHistory } from '../../src/compare/document/history.ts';
import { gateFamily } from '../../src/compare/metrics/metric-rules.ts';
import type { Side } from '../../src/compare/document/side.ts';
import type { Result } from '../../src/result/result.ts';

/** Results as one side of a comparison, each with a file that is called as its run. */
function sideOf(label: string, results: readonly Result[]): Side {
  return { label, runs: results.map((result) => ({ file: `${result.run.id}.json`, result })) };
}

/** Compares results as those of v1 and v2. */
export function compareRuns(
  base: readonly Result[],
  head: readonly Result[],
  other: Partial<ComparisonParts> = {},
): Comparison {
  return compareResults({ toolVersion: '1.2.3', base: sideOf('v1', base), head: sideOf('v2', head), ...other });
}

export function metricOf({ metrics }: Pick<Comparison, 'metrics'>, name: string): MetricComparison | undefined {
  return metrics.find((metric) => metric.name === name);
}

/** A history of the group of a result, with equal noise in every metric of the gate family. */
export function historyWith(result: Result, noise: Partial<MetricHistory> = {}): History {
  const usual = { runVariance: 1e-4, runDegrees: 12, sittingVariance: 1e-4, sittingDegrees: 12, runsPerSitting: 3 };
  const times = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T00:00:00.000Z' };
  const metrics = Object.fromEntries(gateFamily.map((name) => [name, { ...usual, ...noise }]));
  const group = { ...groupOf(result), sittings: 13, runs: 39, ...times, observations: [], points: {}, metrics };
  return { kind: 'chat-load/history', schemaVersion: 1, groups: [group] };
}
