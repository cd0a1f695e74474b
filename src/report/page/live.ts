import type { Fact, Page, Section, Timeline, Verdict } from './page.ts';

/** What viewers of a run under way are sent, by the name of the event. */
export interface LiveEvents {
  /** Everything so far: to whoever comes, or comes back, and where the intervals have become wider. */
  page: { page: Page; state: LiveState };
  /** What has changed since the event before. */
  step: LiveStep;
  /** The run has ended: its report as a file, whose page this one becomes. */
  ended: { report: string; path: string };
  /** The run has ended without a result, with the reason. */
  failed: { reason: string };
}

/** How far a run is. */
export interface LiveState {
  elapsedMs: number;
  /** What of it is done: `12 s of 1m00s`, `40 of 400 sessions`. */
  done: string;
  phase: 'running' | 'draining' | 'cut';
}

export interface LiveStep {
  state: LiveState;
  rows: TimelineRows | null;
  /** The rest of the page where it is made anew, which happens less often. */
  view: LiveView | null;
}

/** Of a page what is not over time. */
export interface LiveView {
  facts: readonly Fact[];
  verdict: Verdict;
  /** The ids of all sections, in their order. */
  order: readonly string[];
  /** Those that have changed. */
  sections: readonly Section[];
}

/** The rows of a timeline from an index on: they replace what is there from it on. */
export interface TimelineRows {
  from: number;
  rows: Timeline;
}

/** The page after a step. What has not changed stays the same object. */
export function applyStep(page: Page, { rows, view }: LiveStep): Page {
  const timelines = rows === null ? page.timelines : [joinRows(page.timelines[0], rows)];
  if (view === null) return { ...page, timelines };
  const known = new Map([...page.sections, ...view.sections].map((section) => [section.id, section]));
  const sections = view.order.flatMap((id) => known.get(id) ?? []);
  return { ...page, timelines, facts: view.facts, verdict: view.verdict, sections };
}

/** A timeline whose rows from an index on are others. A column that either lacks has nothing there. */
export function joinRows(there: Timeline | undefined, { from, rows }: TimelineRows): Timeline {
  if (there === undefined) return rows;
  const later = rows.startMs.length;
  const join = <Value>(before: Column<Value>, after: Column<Value>, nothing: Value): Value[] => [
    ...(before?.slice(0, from) ?? new Array<Value>(from).fill(nothing)),
    ...(after ?? new Array<Value>(later).fill(nothing)),
  ];
  const { columns, heat } = rows;
  return {
    ...rows,
    startMs: join(there.startMs, rows.startMs, 0),
    lengthMs: join(there.lengthMs, rows.lengthMs, 0),
    columns: eachOf(there.columns, columns, (name) => join(there.columns[name], columns[name], nothingIn(name))),
    heat: eachOf(there.heat, heat, (name) => join<readonly number[]>(there.heat[name], heat[name], [])),
  };
}

type Column<Value> = readonly Value[] | undefined;

function eachOf<Value>(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  make: (name: string) => Value,
): Record<string, Value> {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, make(name)]));
}

/** A rate is left out of rows in which there was nothing to count; anything else where it is not known. */
const nothingIn = (column: string): 0 | null => (/PerSecond(\.|$)/.test(column) ? 0 : null);
