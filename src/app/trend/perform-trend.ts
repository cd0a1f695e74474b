import { buildTrend } from '../../compare/trend/build-trend.ts';
import { findAlarm, isSearched, seriesInReach, type AlarmOn } from '../../compare/trend/find-alarm.ts';
import type { Trend } from '../../compare/trend/trend.ts';
import type { TrendRun } from '../../compare/trend/trend-run.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { chooseRules } from './choose-rules.ts';
import { readRuns, type RunsWanted } from './read-runs.ts';

export interface TrendWanted extends RunsWanted {
  /** By their names; `undefined`: the gate family and two more. */
  metrics: readonly string[] | undefined;
  /** The greatest p of a reported change. */
  alpha: number;
  /** What in the recent nights is an alarm; `undefined`: nothing is. */
  failOn: AlarmOn | undefined;
  /** How many nights are recent. */
  recent: number;
}

/** The trend, and the runs that a history would be made of: those of every scenario. */
export interface PerformedTrend {
  trend: Trend;
  runs: readonly TrendRun[];
}

/** Looks for changes in the results of a folder. Throws what `chooseRules` and `readRuns` throw. */
export function performTrend(wanted: TrendWanted): PerformedTrend {
  const { metrics, alpha, window, scenario } = wanted;
  const rules = chooseRules(metrics);
  const isAsked = metrics !== undefined;
  const { runs, skipped, warnings } = readRuns(wanted);
  const shown = runs.filter(({ group }) => scenario === undefined || group.scenario.name === scenario);
  const trend = buildTrend({ runs: shown, rules, isAsked, toolVersion, skipped, warnings, alpha, window });
  return { trend: { ...trend, alarm: alarmOf(trend, wanted) }, runs };
}

function alarmOf(trend: Trend, { failOn: on, recent: nights }: TrendWanted): Trend['alarm'] {
  if (on === undefined) return null;
  const searched = seriesInReach(trend, nights).filter(isSearched).length;
  return { on, nights, date: findAlarm(trend, { on, nights })?.date ?? null, searched };
}
