import { groupBy } from '../../base/group-by.ts';
import type { TrendRun } from './trend-run.ts';

/** Runs that make one point of a series: those of a sitting. */
export interface Night {
  /** What its runs share. */
  key: string;
  /** The day on which its first run started, such as 2026-11-03 (UTC). */
  date: string;
  sitting: string | null;
  /** By their start. */
  runs: readonly [TrendRun, ...TrendRun[]];
}

/** Nights by their start, of runs that can be compared with one another. */
export interface NightSeries {
  group: TrendRun['group'];
  nights: readonly Night[];
}

/** Sorts runs into series and nights; another scenario, machine class or load starts a new series. The latest comes first. */
export function gatherNights(runs: readonly TrendRun[]): NightSeries[] {
  const byStart = runs.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  return [...groupBy(byStart, groupKey).values()]
    .map((series) => ({ group: series[0].group, nights: nightsOf(series) }))
    .toSorted((a, b) => lastStart(b) - lastStart(a));
}

/** The runs of the latest nights of every series. */
export function runsOfLastNights(runs: readonly TrendRun[], count: number): TrendRun[] {
  return gatherNights(runs).flatMap(({ nights }) => nights.slice(-count).flatMap((night) => night.runs));
}

const groupKey = ({ group }: TrendRun): string =>
  JSON.stringify([group.scenario.name, group.scenario.hash, group.machineClass, group.loadHash]);

const nightsOf = (runs: readonly TrendRun[]): Night[] =>
  [...groupBy(runs, sittingOf)].map(([key, night]) => ({
    key,
    date: dayOf(night[0].startedAt),
    sitting: night[0].sitting,
    runs: night,
  }));

/** What runs of one sitting share; a run on its own is a sitting of its own. */
const sittingOf = ({ id, sitting }: TrendRun): string => (sitting === null ? `run ${id}` : `sitting ${sitting}`);

const dayOf = (startedAt: string): string => new Date(startedAt).toISOString().slice(0, 10);

const lastStart = ({ nights }: NightSeries): number =>
  Math.max(...nights.flatMap(({ runs }) => runs.map(({ startedAt }) => Date.parse(startedAt))));
