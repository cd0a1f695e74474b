import { leastPoints } from './scan.ts';
import type { Trend, TrendEvent, TrendGroup } from './trend.ts';

/** `change`: of any gated metric in any direction; `regression`: for the worse. */
export type AlarmOn = 'change' | 'regression';

/**
 * The newest event of gated metrics that is no older than `nights`; `undefined` where there is none. Series that ended
 * before the latest results raise no alarm; otherwise their last change would do so forever.
 */
export function findAlarm(trend: Trend, { on, nights }: { on: AlarmOn; nights: number }): TrendEvent | undefined {
  const raises = ({ nightsSince, metrics }: TrendEvent): boolean =>
    nightsSince <= nights &&
    metrics.some(({ isGated, direction }) => isGated && (on === 'change' || direction === 'worse'));
  return seriesInReach(trend, nights)
    .flatMap(({ events }) => events.filter(raises))
    .toSorted((a, b) => a.date.localeCompare(b.date))
    .at(-1);
}

/** The series that can raise an alarm. */
export function seriesInReach(trend: Trend, nights: number): TrendGroup[] {
  return trend.groups.filter((group) => daysBehind(group, trend) < nights);
}

/** Whether changes were searched for in any metric of a series: that takes figures of ten nights. */
export function isSearched({ metrics }: TrendGroup): boolean {
  return metrics.some(({ points }) => points.length >= leastPoints);
}

const dayMs = 86_400_000;

/** How many days a series ended before the one with the latest result. */
const daysBehind = (group: TrendGroup, { groups }: Trend): number =>
  (Math.max(...groups.map(lastDay)) - lastDay(group)) / dayMs;

const lastDay = ({ nights }: TrendGroup): number => Date.parse(nights.at(-1)?.date ?? '');
