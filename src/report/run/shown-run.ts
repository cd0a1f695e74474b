import type { Result } from '../../result/result.ts';
import type { OutlineTable, Section } from '../outline/outline.ts';
import type { Fact, RangeRow, RangesBlock, Timeline, Tone } from '../page/page.ts';
import { buildTimeline, type RunOverTime } from './build-timeline.ts';
import type { ShownSeries } from './series-columns.ts';

/** A result as the sections of its documents read it: one in texts, several beside each other on a page. */
export interface ShownRun {
  result: Result;
  /** What tells it apart from the others. */
  name: string;
  /** Its place among the timelines of the page. */
  place: number;
  timeline: Timeline;
  /** The series that have values over time. */
  series: readonly ShownSeries[];
  /** Whether there are others on the page. */
  isOverlaid: boolean;
}

/** A section of results, for all writers or for some of them. */
export type RunSection = (runs: readonly ShownRun[]) => Section;

/** Makes the timeline of a result. */
type ReadTimeline = (result: Result, name: string) => RunOverTime;

const readWhole: ReadTimeline = (result, name) => buildTimeline(result, name);

/** Opens results for a page, in their order. Throws `UnreadableHistogram` where one of an interval is none of ours. */
export function showRuns(results: readonly Result[], readTimeline: ReadTimeline = readWhole): ShownRun[] {
  const names = nameResults(results);
  return results.map((result, place) => {
    const name = names[place] ?? '';
    return { result, name, place, ...readTimeline(result, name), isOverlaid: results.length > 1 };
  });
}

const noTime: Timeline = { label: '', startMs: [], lengthMs: [], columns: {}, heat: {}, marks: [] };

/** Opens a result for texts, which show nothing over time. */
export function showText(result: Result): ShownRun[] {
  return showRuns([result], () => ({ timeline: noTime, series: [] }));
}

/** Labels, or the scenarios of runs without one; where these are equal, with the start, and then with a number. */
function nameResults(results: readonly Result[]): string[] {
  const names = results.map(({ run, scenario }) => run.label ?? scenario.name);
  const dated = setApart(names, (name, place) => `${name}, ${startText(results[place])}`);
  return setApart(dated, (name, place) => `${name} (${String(place + 1)})`);
}

/** To the second, as nights are told apart: `2026-11-21 03:00:00 UTC`. */
function startText(result: Result | undefined): string {
  return (result?.run.startedAt ?? '').replace('T', ' ').replace(/\.\d+/, '').replace('Z', ' UTC');
}

function setApart(names: readonly string[], extend: (name: string, place: number) => string): string[] {
  return names.map((name, place) => (names.filter((each) => each === name).length > 1 ? extend(name, place) : name));
}

const runTones = ['first', 'second', 'third', 'fourth', 'fifth'] as const satisfies readonly Tone[];

/** What a chart calls and colours something of a run: among several runs the colour is the run's. */
export function inRun({ isOverlaid, name, place }: ShownRun, label: string, tone: Tone): { label: string; tone: Tone } {
  return isOverlaid ? { label: `${name}: ${label}`, tone: runTones[place % runTones.length] ?? tone } : { label, tone };
}

/** The title of what is shown for each run on its own. */
export function titleIn({ isOverlaid, name }: ShownRun, title: string): string {
  return isOverlaid ? `${title}: ${name}` : title;
}

/** Names and what is to say of them, as a table of a page. */
export function listTable(run: ShownRun, title: string, facts: readonly Fact[]): OutlineTable {
  return {
    type: 'table',
    on: ['page'],
    title: titleIn(run, title),
    columns: [{ head: 'what' }, { head: 'value' }],
    rows: facts.map(({ name, text }) => ({ cells: [name, text] })),
  };
}

/** Values with their intervals; none without a value. */
export function rangesBlock(chart: Omit<RangesBlock, 'type' | 'rows'>, rows: readonly RangeRow[]): RangesBlock[] {
  const shown = rows.filter(({ value }) => value !== null);
  return shown.length === 0 ? [] : [{ type: 'ranges', ...chart, rows: shown }];
}
