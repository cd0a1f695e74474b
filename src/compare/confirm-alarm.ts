import type { Comparison, MetricComparison } from './document/comparison.ts';
import { findingSentence } from './verdict-of.ts';

const maxP = 0.05;

/**
 * Confirms an alarm with a second set of runs: each regressed metric must regress again, with p below 0.05 and at least by
 * its margin. Without a confirmation the verdict is inconclusive. A run of the head that the service broke, in either set,
 * needs no confirmation, and a second set that cannot be compared disproves nothing.
 */
export function confirmAlarm(alarm: Comparison, fresh: Comparison): Comparison {
  if (fresh.verdict === 'not_comparable')
    return {
      ...alarm,
      summary: `${alarm.summary} The second set of runs cannot be compared: ${findingSentence(fresh)}`,
    };
  const alarms = alarm.metrics.filter(({ isGated, verdict }) => isGated && verdict === 'regressed');
  const metrics = alarms.map(({ name }) => confirm(name, fresh));
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

/** Reports runs of the second set that the service broke, if it had not broken any before. */
const newsOf = (alarm: Comparison, fresh: Comparison): string[] =>
  alarm.broken.length === 0 && fresh.broken.length > 0 ? [`In the second set of runs: ${findingSentence(fresh)}`] : [];

function confirm(name: string, fresh: Comparison) {
  const found = fresh.metrics.find((metric) => metric.name === name);
  const { change = null, p = null } = found ?? {};
  const isBeyondMargin = found !== undefined && changeForTheWorse(found) >= found.margin;
  return { name, isConfirmed: p !== null && p < maxP && isBeyondMargin, change, p };
}

/** Returns the change on the scale of the margin: a rate that fell to 1 / 1.03 is 3 % worse. */
function changeForTheWorse({ change, worse, unit }: MetricComparison): number {
  if (change === null) return 0;
  if (worse === 'higher') return change;
  return unit === 'share' ? -change : 1 / (1 + change) - 1;
}
