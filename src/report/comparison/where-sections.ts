import type { Comparison, Localization, ShiftPoint } from '../../compare/document/comparison.ts';
import {
  heads,
  table,
  text,
  type OutlineBlock,
  type OutlineColumn,
  type OutlineRow,
  type OutlineTable,
  type Section,
} from '../outline/outline.ts';
import { finite, type RangeRow, type Tone } from '../page/page.ts';
import { formatChange, formatRange } from '../words/format-change.ts';
import { formatCount, formatMs } from '../../base/format.ts';
import { clean } from '../words/paragraph.ts';
import { rowOf } from './comparison-rows.ts';
import { forestOf } from './metric-sections.ts';

/** Builds the localization of the change: quantiles, and parts of the run that moved differently; pages show all parts. Empty if refused. */
export function whereSections({ localization: where, metrics }: Comparison): Section[] {
  if (where === null) return [];
  const errors = where.errors.map(({ class: name, base, head, isNew }): OutlineRow => ({
    cells: [name, formatCount(base), formatCount(head), isNew ? 'new' : ''],
    state: isNew ? 'bad' : 'plain',
  }));
  const newErrors = where.errors
    .filter(({ isNew }) => isNew)
    .map((each) => [clean(each.class), formatCount(each.base), formatCount(each.head)]);
  return [
    {
      on: ['terminal', 'markdown'],
      details: 'Details of the change',
      isLoose: true,
      blocks: [
        { ...text(where.summary), first: ['WHERE     '], on: ['terminal'] },
        ...(where.shape === 'none' ? [] : [movedTable('TURN LATENCY', where.quantiles)]),
        ...changedParts(where).map(({ title, points }) => movedTable(title, points)),
        insideTable(metrics),
        table('', heads('`new errors`', '>base', '>head'), newErrors),
      ],
    },
    {
      on: ['page'],
      page: { id: 'shape', title: 'Details of the change', lead: clean(where.summary) },
      blocks: [
        ...shiftBlocks('quantiles', 'Turn latency by quantile', where.quantiles),
        ...shiftBlocks('deciles', 'Mean turn latency by tenth of the measured time', where.deciles),
        ...shiftBlocks('positions', 'Median turn latency by position in the conversation', where.positions),
      ],
    },
    {
      on: ['page'],
      page: { id: 'errors', title: 'Errors', lead: 'Failed attempts by class, over all runs of a side.' },
      blocks: [table('Errors by class', heads('class', '>base', '>head', 'note'), errors)],
    },
  ];
}

/** Model calls and parts of an attempt, whose changes explain those of turns. */
const insideNames = ['model.callsPerTurn', 'model.time.mean', 'model.retryWait.mean', 'model.agentTime.mean'];

/** Builds the changes inside a turn; empty without a model service, or if none exceeds its margin. */
function insideTable(metrics: Comparison['metrics']): OutlineTable {
  const known = metrics.filter(({ name, change }) => insideNames.includes(name) && change !== null);
  const hasMoved = known.some(({ change, margin }) => Math.abs(change ?? 0) > margin);
  const rows = known.map((metric) => {
    const { name, base, head, change, range } = rowOf(metric);
    return [name, base, head, change, range];
  });
  const columns = heads('`inside a turn`|INSIDE A TURN', '>base', '>head', '>change', '>95 % interval/1');
  return table('', columns, hasMoved ? rows : []);
}

/** Returns the parts of the run that moved differently; a uniform change is visible in the quantiles. */
function changedParts({ deciles, positions }: Localization): { title: string; points: ShiftPoint[] }[] {
  return [
    { title: 'OVER TIME', points: deciles },
    { title: 'BY POSITION', points: positions },
  ].filter(({ points }) => differ(points));
}

/** Reports whether two parts moved differently, beyond noise and by a relevant amount. */
function differ(points: readonly ShiftPoint[]): boolean {
  const known = points.flatMap(({ change, ci95 }) =>
    change === null ? [] : [{ change, ...(ci95 ?? { low: change - unmeasured, high: change + unmeasured }) }],
  );
  return known.some((a) => known.some((b) => a.high < b.low && b.change - a.change >= min));
}

/** Assumed uncertainty of a change without an interval. */
const unmeasured = 0.05;
/** Minimum difference between parts that is shown as a table. */
const min = 0.05;
const maxBarWidth = 20;

function movedTable(title: string, points: readonly ShiftPoint[]): OutlineTable {
  const largest = Math.max(0.1, ...points.map(({ change }) => Math.abs(change ?? 0)));
  const columns: readonly OutlineColumn[] = [
    ...heads(title.toLowerCase(), '>base', '>head', '>change', '>95 % interval/1'),
    { head: 'slower █ faster ░', goes: 2, on: ['terminal'] },
  ];
  return table(
    title,
    columns,
    points.map((point) => [...shiftCells(point), bar(point.change ?? 0, largest)]),
  );
}

function shiftCells({ name, base, head, change, ci95 }: ShiftPoint): string[] {
  return [clean(name), formatMs(base), formatMs(head), formatChange(change, 'ms'), formatRange(ci95, 'ms')];
}

const bar = (change: number, largest: number): string =>
  (change < 0 ? '░' : '█').repeat(Math.round((Math.abs(change) / largest) * maxBarWidth));

/** Builds a forest plot and the table of a part; the plot is omitted if no change is known. */
function shiftBlocks(id: string, title: string, points: readonly ShiftPoint[]): OutlineBlock[] {
  const description =
    'Head against base: the dot is the change, the line its 95 % interval. Right of zero the head is slower.';
  const rows = points.map((point): RangeRow => {
    const movement = movementOf(point);
    return {
      label: clean(point.name),
      tone: movements[movement].tone,
      value: finite(point.change),
      low: finite(point.ci95?.low),
      high: finite(point.ci95?.high),
      margin: null,
      note: movement,
    };
  });
  return [
    ...forestOf(rows, { id: `shift-${id}`, title, description, unit: 'change' }),
    table(
      `${title}: base and head`,
      heads('part', '>base', '>head', '>change', '>95 % interval'),
      points.map((point) => ({ cells: shiftCells(point), state: movements[movementOf(point)].state })),
      { isFolded: true },
    ),
  ];
}

/** Returns the direction of a change if its interval excludes zero. */
function movementOf({ ci95 }: ShiftPoint): keyof typeof movements {
  if (ci95 === null) return '';
  return ci95.low > 0 ? 'slower' : ci95.high < 0 ? 'faster' : '';
}

const movements = {
  slower: { tone: 'failed', state: 'bad' },
  faster: { tone: 'ok', state: 'good' },
  '': { tone: 'neutral', state: 'plain' },
} as const satisfies Record<string, { tone: Tone; state: string }>;
