import { metricRules } from '../metrics/metric-rules.ts';
import { openRun } from './open-run.ts';
import { readFigure } from './read-figure.ts';
import type { ResultHead } from '../document/result-head.ts';
import type { RunReading } from '../document/run-figure.ts';
import { wholePart } from './run-part.ts';

/**
 * The metrics of a run by name from its totals alone, the drain included: cheap enough for thousands of results. A
 * single segment shows no noise within the run.
 */
export function headlineFigures(head: ResultHead): ReadonlyMap<string, RunReading> {
  const whole = openRun([wholePart(head)]);
  return new Map(metricRules.map((rule) => [rule.name, readFigure(whole, rule)]));
}
