import type { Cells } from '../../../words/fitting-table.ts';
import type { RangeRow, RangesBlock, TableBlock, TableRow, TimeBlock, Tone } from '../../page.ts';
import { idIn, inRun, titleIn, type ShownRun } from './shown-run.ts';

type StateOf = (cells: readonly string[]) => TableRow['state'];

/** A table of a run; none without rows. `first` is the head of the first column: a terminal has the table's title there. */
export function tableBlock(
  { title, first }: { title: string; first: string },
  { columns, rows }: Cells,
  stateOf: StateOf = () => 'plain',
): TableBlock[] {
  if (rows.length === 0) return [];
  const heads = columns.map(({ head, align = 'left' }, index) => ({ head: index === 0 ? first : head, align }));
  const made = rows.map((cells) => ({
    cells: columns.map((_, index) => indented(cells[index] ?? '')),
    state: stateOf(cells),
  }));
  return [{ type: 'table', title, columns: heads, rows: made }];
}

/** Rows that belong to the one above them start with spaces, which a browser would leave out. */
const indented = (cell: string): string => cell.replace(/^ +/, (spaces) => '\u00a0'.repeat(spaces.length));

/** Names and what is to say of them; none without rows. */
export function listBlock(title: string, first: string, rows: readonly (readonly [string, string])[]): TableBlock[] {
  return tableBlock({ title, first }, { columns: [{ head: first }, { head: 'value' }], rows });
}

interface Line {
  column: string;
  label: string;
  tone: Tone;
}

type TimeChart = Pick<TimeBlock, 'id' | 'title' | 'description' | 'unit'>;

/** The columns of all runs in one chart; those that a run has not are left out, and the chart where none is left. */
export function linesOverTime(runs: readonly ShownRun[], chart: TimeChart, lines: readonly Line[]): TimeBlock[] {
  const series = runs.flatMap((run) => seriesOf(run, lines));
  return series.length === 0 ? [] : [{ type: 'time', form: 'lines', ...chart, series }];
}

/** The same stacked on top of each other: a chart for each run. */
export function stackOverTime(runs: readonly ShownRun[], chart: TimeChart, lines: readonly Line[]): TimeBlock[] {
  return runs.flatMap((run) => {
    const series = seriesOf(run, lines, 'own');
    const { id, title } = chart;
    if (series.length === 0) return [];
    return [
      {
        type: 'time' as const,
        form: 'stacked' as const,
        ...chart,
        id: idIn(run, id),
        title: titleIn(run, title),
        series,
      },
    ];
  });
}

/** `own`: in a chart of its run alone, where the colours can stay those of what is shown. */
function seriesOf(run: ShownRun, lines: readonly Line[], colours: 'own' | 'of runs' = 'of runs'): TimeBlock['series'] {
  return lines
    .filter(({ column }) => column in run.timeline.columns)
    .map(({ column, label, tone }) => ({
      ...(colours === 'own' ? { label, tone } : inRun(run, label, tone)),
      run: run.place,
      column,
    }));
}

/** Values with their intervals; none without a value. */
export function rangesBlock(chart: Omit<RangesBlock, 'type' | 'rows'>, rows: readonly RangeRow[]): RangesBlock[] {
  const shown = rows.filter(({ value }) => value !== null);
  return shown.length === 0 ? [] : [{ type: 'ranges', ...chart, rows: shown }];
}
