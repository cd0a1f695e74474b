import type { Fact, Page, Section, Timeline, Verdict } from './page.ts';

/** Events for the viewers of a run in progress, by name. */
export interface LiveEvents {
  /** Everything so far: for new and reconnecting viewers, and after the intervals have become wider. */
  page: { page: Page; state: LiveState };
  /** Changes since the previous event. */
  step: LiveStep;
  /** The run has ended: its report as an HTML file, whose page replaces the live page. */
  ended: { report: string; path: string };
  /** The run has ended without a result. */
  failed: { reason: string };
}

export interface LiveState {
  elapsedMs: number;
  /** Progress as text: `12 s of 1m00s, about 48 s left`. */
  done: string;
  /** Fraction of the planned run that is over; null if it is unknown. */
  doneShare: number | null;
  phase: 'running' | 'draining' | 'cut';
}

export interface LiveStep {
  state: LiveState;
  rows: TimelineRows | null;
  /** Everything else on the page; null most of the time, because it is rebuilt less often. */
  view: LiveView | null;
}

/** Parts of a page that are not charts over time. */
export interface LiveView {
  facts: readonly Fact[];
  verdict: Verdict;
  /** Ids of all sections, in order. */
  order: readonly string[];
  sections: readonly Section[];
}

/** Rows of a timeline from an index on; they replace all rows from there. */
export interface TimelineRows {
  from: number;
  rows: Timeline;
}

/** Returns the page after a step. Unchanged parts stay the same objects. */
export function applyStep(page: Page, { rows, view }: LiveStep): Page {
  const timelines = rows === null ? page.timelines : [joinRows(page.timelines[0], rows)];
  if (view === null) return { ...page, timelines };
  const known = new Map([...page.sections, ...view.sections].map((section) => [section.id, section]));
  const sections = view.order.flatMap((id) => known.get(id) ?? []);
  return { ...page, timelines, facts: view.facts, verdict: view.verdict, sections };
}

/** Replaces the rows of a timeline from an index on. A column that one side lacks is empty there. */
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

/** Rates are omitted from rows without events; other columns are omitted from rows in which they are unknown. */
const nothingIn = (column: string): 0 | null => (/PerSecond(\.|$)/.test(column) ? 0 : null);
