import type { MetricRule } from '../metrics/metric-rule.ts';
import type { MetricTrend, TrendStep } from './track-metric.ts';

/** A step of one metric. */
export interface MetricStep {
  rule: MetricRule;
  step: TrendStep;
}

/** Steps of several metrics at about the same time: they have one cause, as a rule. */
export interface ChangeEvent {
  /** The first night after it, by the metric that shows it most clearly. */
  night: number;
  /** At most one a metric, the clearest first. */
  steps: readonly MetricStep[];
}

/** Steps of different metrics this many nights apart are one event. */
const nightsApart = 2;

/** Events by night: the clearest step takes those of other metrics around it, then the clearest of what is left, and so on. */
export function gatherEvents(trends: readonly MetricTrend[]): ChangeEvent[] {
  let left = trends
    .flatMap(({ rule, steps }) => steps.map((step) => ({ rule, step })))
    .toSorted((a, b) => a.step.p - b.step.p || b.step.t - a.step.t);
  const events: ChangeEvent[] = [];
  for (let [clearest] = left; clearest !== undefined; [clearest] = left) {
    const steps = around(clearest, left);
    events.push({ night: nightOf(clearest), steps });
    left = left.filter((step) => !steps.includes(step));
  }
  return events.toSorted((a, b) => a.night - b.night);
}

const nightOf = ({ step }: MetricStep): number => step.after.night;

/** Of each metric the clearest step near that of another. */
function around(clearest: MetricStep, steps: readonly MetricStep[]): MetricStep[] {
  const near = steps.filter((step) => Math.abs(nightOf(step) - nightOf(clearest)) <= nightsApart);
  return near.filter(({ rule }, index) => near.findIndex((other) => other.rule === rule) === index);
}
