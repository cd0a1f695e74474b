import type { Comparison, MetricComparison } from './document/comparison.ts';
import { sayFinding } from './verdict-of.ts';

const maxP = 0.05;

/**
 * An alarm with what a fresh set of runs says of it: each metric that had regressed has to do so again, in the same
 * direction, with p below 0.05 and at least by its margin. Nothing confirmed leaves the verdict inconclusive. A run of
 * the head that the service broke, in either set, needs no confirmation, and fresh runs that cannot be compared disprove
 * nothing.
 */
export function confirmAlarm(alarm: Comparison, fresh: Comparison): Comparison {
  if (fresh.verdict === 'not_comparable')
    return { ...alarm, summary: `${alarm.summary} The second set of runs cannot be compared: ${sayFinding(fresh)}` };
  const metrics = alarm.metrics.filter(isAlarm).map(({ name }) => confirm(name, fresh));
  const broken = [...alarm.broken, ...fresh.broken];
  const isConfirmed = broken.length > 0 || metrics.some((metric) => metric.isConfirmed);
  const confirmation = { verdict: isConfirmed ? ('confirmed' as const) : ('not_confirmed' as const), metrics };
  if (isConfirmed)
    return { ...alarm, broken, confirmation, summary: [alarm.summary, ...newsOf(alarm, fresh)].join(' ') };
  return {
    ...alarm,
    confirmation,
    verdict: 'inconclusive',
    summary: `${alarm.summary} A second set of runs did not show it again.`,
  };
}

/** What the service did to fresh runs, where it had not done so before. */
const newsOf = (alarm: Comparison, fresh: Comparison): string[] =>
  alarm.broken.length === 0 && fresh.broken.length > 0 ? [`In the second set of runs: ${sayFinding(fresh)}`] : [];

/** Whether a metric is one for which the comparison fails. */
function isAlarm({ isGated, verdict }: MetricComparison): boolean {
  return isGated && verdict === 'regressed';
}

function confirm(name: string, fresh: Comparison) {
  const found = fresh.metrics.find((metric) => metric.name === name);
  const { change = null, p = null } = found ?? {};
  const isBeyondMargin = found !== undefined && changeForTheWorse(found) >= found.margin;
  return { name, isConfirmed: p !== null && p < maxP && isBeyondMargin, change, p };
}

/** On the scale of the margin: a rate that fell to 1 / 1.03 is 3 % worse. */
function changeForTheWorse({ change, worse, unit }: MetricComparison): number {
  if (change === null) return 0;
  if (worse === 'higher') return change;
  return unit === 'share' ? -change : 1 / (1 + change) - 1;
}
