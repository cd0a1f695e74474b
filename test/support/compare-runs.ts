import { compareResults, type ComparisonParts } from '../../src/compare/compare-results.ts';
import type { Comparison, MetricComparison } from '../../src/compare/document/comparison.ts';
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
