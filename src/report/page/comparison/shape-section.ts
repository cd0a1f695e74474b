import type { Comparison, ShiftPoint } from '../../../compare/document/comparison.ts';
import { shiftCells } from '../../comparison/comparison-where.ts';
import { clean } from '../../words/paragraph.ts';
import { finite } from '../drawn-numbers.ts';
import type { Block, RangeRow, RangesBlock, Section, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** Where the turn latencies moved: by quantile, through the run and by position in the conversation. */
export function shapeSection({ localization: where }: Comparison): Section {
  const parts =
    where === null
      ? []
      : [
          { id: 'quantiles', title: 'Turn latency by quantile', points: where.quantiles },
          { id: 'deciles', title: 'Mean turn latency by tenth of the measured time', points: where.deciles },
          { id: 'positions', title: 'Median turn latency by position in the conversation', points: where.positions },
        ];
  return {
    id: 'shape',
    title: 'Where it changed',
    lead: clean(where?.summary ?? ''),
    blocks: parts.flatMap(shiftBlocks),
  };
}

interface ShiftedPart {
  id: string;
  title: string;
  points: readonly ShiftPoint[];
}

const shiftBlocks = ({ id, title, points }: ShiftedPart): Block[] => [
  ...shiftRanges({ id, title, points }),
  ...tableBlock({
    title,
    columns: ['part', '>base', '>head', '>change', '>95 % interval'],
    rows: points.map((point) => ({ cells: shiftCells(point), state: states[movementOf(point)] })),
  }),
];

/** None where no change is known. */
function shiftRanges({ id, title, points }: ShiftedPart): RangesBlock[] {
  if (points.every(({ change }) => finite(change) === null)) return [];
  const description =
    'Head against base: a dot is the change, a line its 95 % interval. Right of zero the head is slower.';
  const rows = points.map(rangeOf);
  return [
    { type: 'ranges', id: `shift-${id}`, title, description, unit: 'change', scale: 'linear', reference: 0, rows },
  ];
}

function rangeOf(point: ShiftPoint): RangeRow {
  const movement = movementOf(point);
  return {
    label: clean(point.name),
    tone: tones[movement],
    value: finite(point.change),
    low: finite(point.ci95?.low),
    high: finite(point.ci95?.high),
    margin: null,
    note: movement,
  };
}

type Movement = 'slower' | 'faster' | '';

/** Only what an interval shows. */
function movementOf({ ci95 }: ShiftPoint): Movement {
  if (ci95 === null) return '';
  return ci95.low > 0 ? 'slower' : ci95.high < 0 ? 'faster' : '';
}

const tones = { slower: 'failed', faster: 'ok', '': 'neutral' } as const satisfies Record<Movement, RangeRow['tone']>;
const states = { slower: 'bad', faster: 'good', '': 'plain' } as const satisfies Record<Movement, TableRow['state']>;
