import type { Result } from '../../result/result.ts';
import type { MetricRule } from '../metrics/metric-rule.ts';
import { metricRules } from '../metrics/metric-rules.ts';
import { openResult, type OpenResult } from './open-run.ts';
import { readFigure } from './read-figure.ts';
import type { RunReading } from '../document/run-figure.ts';

/**
 * The metrics of a run by name, from the intervals of its measured window, with their evidence of the noise within the
 * run. Intervals do not contain turns by position, and turns are cut after the window has ended: those figures come
 * from the totals, without noise.
 */
export function figuresOf(result: Result): ReadonlyMap<string, RunReading> {
  const open = openResult(result);
  return new Map(metricRules.map((rule) => [rule.name, readByRule(open, rule)]));
}

/** One of them, of a result that is open already. */
export function readByRule({ window, whole }: OpenResult, rule: MetricRule): RunReading {
  return readFigure(isOfWhole(rule) ? whole : window, rule);
}

/** Whether a figure comes from the totals alone. */
export function isOfWhole({ isOfTotals = false }: MetricRule): boolean {
  return isOfTotals;
}
