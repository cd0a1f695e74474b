import type { Result } from '../../result/result.ts';
import type { OutlineTable, Section } from '../outline/outline.ts';
import type { Fact, RangeRow, RangesBlock, Timeline, Tone } from '../page/page.ts';
import { buildTimeline, type RunOverTime } from './build-timeline.ts';
import type { ShownSeries } from './series-columns.ts';

/** A result as sections read it: a single one in texts, one or several on a page. */
export interface ShownRun {
  result: Result;
  /** Name that is unique on the page. */
  name: string;
  /** Index among the timelines of the page. */
  index: number;
  timeline: Timeline;
  /** Series with values over time. */
  series: readonly ShownSeries[];
  /** True if the page shows other runs, too. */
  isOverlaid: boolean;
}

/** Builds a section from results, for all writers or some of them. */
export type RunSection = (runs: readonly ShownRun[]) => Section;

/** Builds the timeline of a result. */
type ReadTimeline = (result: Result, name: string) => RunOverTime;

const readWhole: ReadTimeline = (result, name) => buildTimeline(result, name);

/** Opens results for a page, in their order. Throws `UnreadableHistogram` if a histogram of an interval is not valid. */
export function showRuns(results: readonly Result[], readTimeline: ReadTimeline = readWhole): ShownRun[] {
  const names = nameResults(results);
  return results.map((result, index) => {
    const name = names[index] ?? '';
    return { result, name, index, ...readTimeline(result, name), isOverlaid: results.length > 1 };
  });
}

const noTime: Timeline = { label: '', startMs: [], lengthMs: [], columns: {}, heat: {}, marks: [] };

/** Opens a result for texts, which show nothing over time. */
export function showText(result: Result): ShownRun[] {
  return showRuns([result], () => ({ timeline: noTime, series: [] }));
}

/** Names runs by label or scenario; adds the start, then a number, to names that are equal. */
function nameResults(results: readonly Result[]): string[] {
  const names = results.map(({ run, scenario }) => run.label ?? scenario.name);
  const dated = setApart(names, (name, index) => `${name}, ${startText(results[index])}`);
  return setApart(dated, (name, index) => `${name} (${String(index + 1)})`);
}

/** Formats the start to the second: `2026-11-21 03:00:00 UTC`. */
function startText(result: Result | undefined): string {
  return (result?.run.startedAt ?? '').replace('T', ' ').replace(/\.\d+/, '').replace('Z', ' UTC');
}

function setApart(names: readonly string[], extend: (name: string, index: number) => string): string[] {
  return names.map((name, index) => (names.filter((each) => each === name).length > 1 ? extend(name, index) : name));
}

const runTones = ['first', 'second', 'third', 'fourth', 'fifth'] as const satisfies readonly Tone[];

/** Returns label and colour of a chart series; if several runs are shown, each run has its own colour. */
export function inRun({ isOverlaid, name, index }: ShownRun, label: string, tone: Tone): { label: string; tone: Tone } {
  return isOverlaid ? { label: `${name}: ${label}`, tone: runTones[index % runTones.length] ?? tone } : { label, tone };
}

/** Returns the title of a block that each run has on its own. */
export function titleIn({ isOverlaid, name }: ShownRun, title: string): string {
  return isOverlaid ? `${title}: ${name}` : title;
}

/** Builds a table of named facts for a page. */
export function listTable(run: ShownRun, title: string, facts: readonly Fact[]): OutlineTable {
  return {
    type: 'table',
    on: ['page'],
    title: titleIn(run, title),
    columns: [{ head: 'name' }, { head: 'value' }],
    rows: facts.map(({ name, text }) => ({ cells: [name, text] })),
  };
}

/** Builds a chart of values with their intervals; none without a value. */
export function rangesBlock(chart: Omit<RangesBlock, 'type' | 'rows'>, rows: readonly RangeRow[]): RangesBlock[] {
  const shown = rows.filter(({ value }) => value !== null);
  return shown.length === 0 ? [] : [{ type: 'ranges', ...chart, rows: shown }];
}
