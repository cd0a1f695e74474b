import { countOf, formatCount } from '../../../base/format.ts';
import type { ListRow } from './list.ts';

type Counted = Pick<ListRow, 'verdict' | 'document'>;

/** How many are listed of what, in this order: singular and plural. */
const units = {
  result: ['result', 'results'],
  capacity: ['capacity', 'capacities'],
  comparison: ['comparison of capacities', 'comparisons of capacities'],
  unreadable: ['unreadable file', 'unreadable files'],
} as const;
type Unit = keyof typeof units;

/** How many of what are shown, and of how many: `2 of 8 results, 0 of 3 unreadable files`. */
export function countText(shown: readonly Counted[], all: readonly Counted[]): string {
  const isWhole = shown.length === all.length;
  const part = (unit: Unit): string => {
    const [one, many] = units[unit];
    return `${isWhole ? '' : `${formatCount(countIn(shown, unit))} of `}${countOf(countIn(all, unit), one, many)}`;
  };
  const listed = (Object.keys(units) as Unit[]).filter((unit) => countIn(all, unit) > 0);
  return (listed.length === 0 ? (['result'] as const) : listed).map(part).join(', ');
}

const unitOf = ({ verdict, document }: Counted): Unit => (verdict === 'UNREADABLE' ? 'unreadable' : document);

const countIn = (rows: readonly Counted[], unit: Unit): number => rows.filter((row) => unitOf(row) === unit).length;
