import type { ChangeEvent, MetricStep } from './gather-events.ts';
import type { Night } from './night.ts';
import type { EventChange, TrendEvent } from './trend.ts';

/** An event with where it came in. */
export function publishEvent({ night, steps }: ChangeEvent, nights: readonly Night[]): TrendEvent {
  const first = nights[night];
  return {
    night,
    date: first?.date ?? '',
    nightsSince: nights.length - night,
    file: first?.runs[0].file ?? '',
    commits: commitsAround(night, nights),
    metrics: steps.map(publishStep),
  };
}

/** From the last commit known of the nights before to the first known of the nights after. */
function commitsAround(night: number, nights: readonly Night[]): TrendEvent['commits'] {
  const commitsOf = (some: readonly Night[]) => some.flatMap(({ runs }) => runs.flatMap(({ commit }) => commit ?? []));
  const before = commitsOf(nights.slice(0, night)).at(-1);
  const after = commitsOf(nights.slice(night)).at(0);
  return before === undefined || after === undefined ? null : { before, after };
}

const publishStep = ({ rule, step }: MetricStep): EventChange => ({
  name: rule.name,
  isGated: rule.isGated,
  direction: step.change > 0 === (rule.worse === 'higher') ? 'worse' : 'better',
  night: step.after.night,
  before: step.before.value,
  after: step.after.value,
  change: step.change,
  ci95: step.ci95,
  p: step.p,
});
