import { formatCount } from '../../base/format.ts';
import type { Forecast } from '../../plan/forecast.ts';
import type { Plan } from '../../plan/plan.ts';
import { recordedNames, type SeriesName } from '../../record/series.ts';
import { seriesTable } from '../../record/series-table.ts';
import type { Metric } from '../metrics/metric.ts';
import { metricNamed } from '../metrics/metrics.ts';

/** Returns why a scenario can never provide what a gate judges, in words; `undefined`: it can. */
export function problemOfFeed(name: string, { target, integrity }: Plan): string | undefined {
  const metric = metricNamed(name);
  if (metric === undefined) return undefined;
  if (!target.stream && isOfStreams(metric)) return 'measures streamed replies: set target.stream (--stream)';
  if (!target.createsSessions && isOfCreations(metric))
    return `measures how sessions are created, and ${target.protocol} creates none`;
  if (integrity.mode === 'off' && name.startsWith('integrity.'))
    return 'measures the integrity of conversations, which is off: set integrity in the scenario';
  return undefined;
}

/** Returns the gates whose percentile needs more values than the run is forecast to have, each in words. */
export function shortGates({ gates, target }: Plan, { turns, sessions }: Forecast): string[] {
  return Object.keys(gates).flatMap((name) => {
    const metric = metricNamed(name);
    const isOfSessions = metric !== undefined && isOfCreations(metric);
    const has = isOfSessions ? sessions : turns;
    // The service sets the number of gaps, and of failures.
    if (metric?.minimum === undefined || has === null || has >= metric.minimum || /^gap|\.failed\./.test(name))
      return [];
    const enough =
      sessions === null || has === 0 ? '' : `: --sessions ${String(Math.ceil((sessions * metric.minimum) / has))}`;
    const what = isOfSessions && target.createsSessions ? 'sessions' : 'turns';
    return [`${name} needs ${formatCount(metric.minimum)} ${what}, this run has about ${formatCount(has)}${enough}`];
  });
}

const namesWhere = (isWanted: (series: (typeof seriesTable)[number]) => boolean): ReadonlySet<SeriesName> =>
  new Set(seriesTable.filter(isWanted).flatMap((series) => recordedNames(series)));
const ofStreams = namesWhere(({ isOfStreams: is }) => is);
const ofCreations = namesWhere(({ name }) => name === 'sessionCreate');

const isOfStreams = ({ name, series = [] }: Metric): boolean =>
  name.startsWith('stream.') || series.some((each) => ofStreams.has(each));
const isOfCreations = ({ name, series = [] }: Metric): boolean =>
  name === 'sessions.createFailedShare' || series.some((each) => ofCreations.has(each));
