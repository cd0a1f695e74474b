import { groupOf, type ResultFacts, type ResultHead, releaseOf } from '../document/group-of.ts';
import { headlineFigures } from '../figures/read-figure.ts';
import type { RunReading } from '../document/side.ts';
import { groupBy } from '../../base/group-by.ts';

export interface TrendRun {
  file: string;
  id: string;
  /** See `releaseOf`. */
  release: string;
  group: ReturnType<typeof groupOf>;
  startedAt: string;
  label: string | null;
  sitting: string | null;
  pair: string | null;
  commit: string | null;
  /** Reason why the run does not represent its night; `null` if it does. */
  unfit: string | null;
  /** True if its validity verdict is degraded: its figures count, with a mark. */
  isDegraded: boolean;
  /** Figures by metric; empty until they are read, which is done for the examined nights only. */
  figures: ReadonlyMap<string, RunReading>;
}

export function takeTrendRun(file: string, facts: ResultFacts): TrendRun {
  const { id, startedAt, label, sitting, pair } = facts.run;
  return {
    file,
    id,
    release: releaseOf(facts.run),
    group: groupOf(facts),
    startedAt,
    label,
    sitting,
    pair,
    commit: facts.environment?.git?.commit ?? null,
    unfit: unfitBecause(facts),
    isDegraded: facts.validity.verdict === 'degraded',
    figures: new Map(),
  };
}

export function addFigures(run: TrendRun, head: ResultHead): TrendRun {
  return { ...run, figures: headlineFigures(head) };
}

/** A run that ended early or that cannot be trusted would look like a change in the service. */
function unfitBecause({ run, validity }: ResultFacts): string | null {
  if (run.status !== 'completed') return `the run was ${run.status}`;
  return validity.verdict === 'invalid' ? 'the run is invalid' : null;
}

export interface Selection {
  runs: TrendRun[];
  warnings: string[];
}

/** Omits unfit runs and, with a label, runs of other labels. */
export function selectRuns(all: readonly TrendRun[], label: string | undefined): Selection {
  const asked = all.filter((run) => label === undefined || run.label === label);
  const runs = asked.filter(({ unfit }) => unfit === null);
  return { runs, warnings: [...unfitWarning(asked), ...mixedWarning(runs)] };
}

function unfitWarning(runs: readonly TrendRun[]): string[] {
  const unfit = runs.flatMap(({ file, unfit }) => (unfit === null ? [] : [`${file} (${unfit})`]));
  const [first] = unfit;
  if (first === undefined) return [];
  const others = unfit.length === 1 ? '' : ` and ${String(unfit.length - 1)} more`;
  return [`Omitted: ${first}${others}.`];
}

/** Warns about the two sides of interleaved pairs: they are two releases, whose mean represents neither. */
function mixedWarning(runs: readonly TrendRun[]): string[] {
  const paired = runs.filter(({ sitting, pair }) => sitting !== null && pair !== null);
  const pairs = groupBy(paired, ({ sitting, pair }) => JSON.stringify([sitting, pair]));
  const labels = [...pairs.values()]
    .map((pair) => [...new Set(pair.map(({ label }) => label ?? 'none'))])
    .find((some) => some.length > 1);
  if (labels === undefined) return [];
  return [`Nights contain both sides of interleaved pairs (labels ${labels.join(' and ')}): --label selects one side.`];
}

/** Runs that form one point of a series: a batch of runs. */
export interface Night {
  key: string;
  /** Day on which its first run started, such as 2026-11-03 (UTC). */
  date: string;
  sitting: string | null;
  runs: readonly [TrendRun, ...TrendRun[]];
}

/** Nights by their start, of runs that can be compared with one another. */
export interface NightSeries {
  group: TrendRun['group'];
  nights: readonly Night[];
}

/** Sorts runs into series and nights; a different scenario, machine class or load starts a new series. The latest is first. */
export function gatherNights(runs: readonly TrendRun[]): NightSeries[] {
  const byStart = runs.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  return [...groupBy(byStart, groupKey).values()]
    .map((series) => ({ group: series[0].group, nights: nightsOf(series) }))
    .toSorted((a, b) => lastStart(b) - lastStart(a));
}

export function runsOfLastNights(runs: readonly TrendRun[], count: number): TrendRun[] {
  return gatherNights(runs).flatMap(({ nights }) => nights.slice(-count).flatMap((night) => night.runs));
}

const groupKey = ({ group }: TrendRun): string =>
  JSON.stringify([group.scenario.name, group.scenario.hash, group.machineClass, group.loadHash]);

const nightsOf = (runs: readonly TrendRun[]): Night[] =>
  [...groupBy(runs, sittingOf)].map(([key, night]) => ({
    key,
    date: new Date(night[0].startedAt).toISOString().slice(0, 10),
    sitting: night[0].sitting,
    runs: night,
  }));

/** Returns the key of a run's batch; a run on its own is a separate batch. */
const sittingOf = ({ id, sitting }: TrendRun): string => (sitting === null ? `run ${id}` : `sitting ${sitting}`);

const lastStart = ({ nights }: NightSeries): number =>
  Math.max(...nights.flatMap(({ runs }) => runs.map(({ startedAt }) => Date.parse(startedAt))));
