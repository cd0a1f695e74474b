import { formatInstant } from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import { heads, table, type OutlineBlock, type OutlineTable, type Section } from '../outline/outline.ts';
import type { Fact, RangeRow, RangesBlock, Timeline, Tone } from '../page/page.ts';
import { buildTimeline, type RunOverTime } from './build-timeline.ts';

/** A result as sections read it: a single one in texts, one or several on a page. */
export interface ShownRun extends RunOverTime {
  result: Result;
  /** Name that is unique on the page. */
  name: string;
  /** Index among the timelines of the page. */
  index: number;
  /** True if the page shows other runs, too. */
  isOverlaid: boolean;
}

/** Builds a section from results, for all writers or some of them. */
export type RunSection = (runs: readonly ShownRun[]) => Section;

/** Builds a section from blocks of each run; titles of tables and paragraphs of a page name the run if there are several. */
export function perRun(
  about: Omit<Section, 'blocks'>,
  blocksOf: (run: ShownRun) => readonly OutlineBlock[],
): RunSection {
  return (runs) => ({ ...about, blocks: runs.flatMap((run) => blocksOf(run).map((block) => named(run, block))) });
}

function named(run: ShownRun, block: OutlineBlock): OutlineBlock {
  if (block.type === 'table') return { ...block, title: titleIn(run, block.title) };
  return block.type === 'text' && block.text !== '' ? { ...block, text: titleIn(run, block.text) } : block;
}

/** Opens results for a page, in their order. Throws `UnreadableHistogram` if a histogram of an interval is not valid. */
export function showRuns(
  results: readonly Result[],
  readTimeline: (result: Result, name: string) => RunOverTime = (result, name) => buildTimeline(result, name),
): ShownRun[] {
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
  const dated = setApart(names, (name, index) => `${name}, ${formatInstant(results[index]?.run.startedAt ?? '')}`);
  return setApart(dated, (name, index) => `${name} (${String(index + 1)})`);
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

export function listTable(title: string, facts: readonly Fact[]): OutlineTable {
  return table(
    title,
    heads('name', 'value'),
    facts.map(({ name, text }) => [name, text]),
    { on: ['page'] },
  );
}

/** Builds a chart of values with their intervals; none without a value. */
export function rangesBlock(
  chart: Omit<RangesBlock, 'type' | 'rows'>,
  rows: readonly (Omit<RangeRow, 'margin' | 'note'> & { note?: string })[],
): RangesBlock[] {
  const shown = rows
    .filter(({ value }) => value !== null)
    .map(({ note = '', ...row }) => ({ ...row, margin: null, note }));
  return shown.length === 0 ? [] : [{ type: 'ranges', ...chart, rows: shown }];
}
