import type { Comparison, Localization, ShiftPoint } from '../../compare/document/comparison.ts';
import { heads, text, type OutlineBlock, type OutlineTable, type Section } from '../outline/outline.ts';
import { finite, type RangeRow, type RangesBlock, type Tone } from '../page/page.ts';
import { formatChange, formatRange } from '../words/format-change.ts';
import { formatCount, formatMs } from '../../base/format.ts';
import { clean } from '../words/paragraph.ts';

/** What moved and where, as far as it moved differently; on a page in full. Nothing where the sides were not compared. */
export function whereSections({ localization: where }: Comparison): Section[] {
  if (where === null) return [];
  return [
    {
      on: ['terminal', 'markdown'],
      details: 'Where it changed',
      isLoose: true,
      blocks: [
        { ...text(where.summary), first: ['WHERE     '], on: ['terminal'] },
        ...(where.shape === 'none' ? [] : [movedTable('TURN LATENCY', where.quantiles)]),
        ...changedParts(where).map(({ title, points }) => movedTable(title, points)),
        newErrorTable(where),
      ],
    },
    {
      on: ['page'],
      page: { id: 'shape', title: 'Where it changed', lead: clean(where.summary) },
      blocks: [
        ...shiftBlocks('quantiles', 'Turn latency by quantile', where.quantiles),
        ...shiftBlocks('deciles', 'Mean turn latency by tenth of the measured time', where.deciles),
        ...shiftBlocks('positions', 'Median turn latency by position in the conversation', where.positions),
      ],
    },
    {
      on: ['page'],
      page: {
        id: 'errors',
        title: 'Errors',
        lead: 'Attempts that were not ok, by class: all runs of a side together.',
      },
      blocks: [
        {
          type: 'table',
          title: 'Errors by class',
          columns: heads('class', '>base', '>head', ''),
          rows: where.errors.map(({ class: name, base, head, isNew }) => ({
            cells: [name, formatCount(base), formatCount(head), isNew ? 'new' : ''],
            state: isNew ? 'bad' : 'plain',
          })),
        },
      ],
    },
  ];
}

/** The parts of the run that moved differently: if all moved alike, the quantiles show it. */
function changedParts({ deciles, positions }: Localization): { title: string; points: ShiftPoint[] }[] {
  return [
    { title: 'OVER TIME', points: deciles },
    { title: 'BY POSITION', points: positions },
  ].filter(({ points }) => differ(points));
}

/** Whether two parts moved differently, beyond noise and by a relevant amount. */
function differ(points: readonly ShiftPoint[]): boolean {
  const known = points.flatMap(({ change, ci95 }) =>
    change === null ? [] : [{ change, ...(ci95 ?? { low: change - unmeasured, high: change + unmeasured }) }],
  );
  return known.some((a) => known.some((b) => a.high < b.low && b.change - a.change >= min));
}

/** The assumed uncertainty of a change without an interval. */
const unmeasured = 0.05;
/** A difference between parts that is worth a table. */
const min = 0.05;
const maxBarWidth = 20;

function movedTable(title: string, points: readonly ShiftPoint[]): OutlineTable {
  const largest = Math.max(0.1, ...points.map(({ change }) => Math.abs(change ?? 0)));
  return {
    type: 'table',
    title,
    columns: [
      ...heads(title.toLowerCase(), '>base', '>head', '>change', '>95 % interval/1'),
      { head: 'slower █ faster ░', goes: 2, on: ['terminal'] },
    ],
    rows: points.map((point) => ({ cells: [...shiftCells(point), bar(point.change ?? 0, largest)] })),
  };
}

/** A part of the latencies as text: its name, base, head, change and the interval of that. */
function shiftCells({ name, base, head, change, ci95 }: ShiftPoint): string[] {
  return [clean(name), formatMs(base), formatMs(head), formatChange(change, 'ms'), formatRange(ci95, 'ms')];
}

const bar = (change: number, largest: number): string =>
  (change < 0 ? '░' : '█').repeat(Math.round((Math.abs(change) / largest) * maxBarWidth));

/** Error classes that the base side did not have. */
const newErrorTable = ({ errors }: Localization): OutlineTable => ({
  type: 'table',
  title: '',
  columns: [{ head: 'new errors', markdown: 'code' }, ...heads('>base', '>head')],
  rows: errors
    .filter(({ isNew }) => isNew)
    .map((each) => ({ cells: [clean(each.class), formatCount(each.base), formatCount(each.head)] })),
});

const shiftBlocks = (id: string, title: string, points: readonly ShiftPoint[]): OutlineBlock[] => [
  ...shiftRanges({ id: `shift-${id}`, title }, points),
  {
    type: 'table',
    title: `${title}: base and head`,
    isFolded: true,
    columns: heads('part', '>base', '>head', '>change', '>95 % interval'),
    rows: points.map((point) => ({ cells: shiftCells(point), state: movements[movementOf(point)].state })),
  },
];

/** None where no change is known. */
function shiftRanges(chart: Pick<RangesBlock, 'id' | 'title'>, points: readonly ShiftPoint[]): RangesBlock[] {
  if (points.every(({ change }) => finite(change) === null)) return [];
  const description =
    'Head against base: a dot is the change, a line its 95 % interval. Right of zero the head is slower.';
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
  return [{ type: 'ranges', ...chart, description, unit: 'change', scale: 'linear', reference: 0, rows }];
}

/** Only what an interval shows. */
function movementOf({ ci95 }: ShiftPoint): keyof typeof movements {
  if (ci95 === null) return '';
  return ci95.low > 0 ? 'slower' : ci95.high < 0 ? 'faster' : '';
}

const movements = {
  slower: { tone: 'failed', state: 'bad' },
  faster: { tone: 'ok', state: 'good' },
  '': { tone: 'neutral', state: 'plain' },
} as const satisfies Record<string, { tone: Tone; state: string }>;
