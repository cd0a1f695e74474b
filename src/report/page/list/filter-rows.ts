import { countOf, formatCount } from '../../../base/format.ts';
import type { ListRow } from './list.ts';

/** What rows are looked for; an empty text is no condition. */
export interface ListFilter {
  /** The whole name. */
  scenario: string;
  /** A part of it, in any case of letters; likewise the commit. */
  label: string;
  verdict: string;
  commit: string;
}

export const noFilter: ListFilter = { scenario: '', label: '', verdict: '', commit: '' };

/** The rows that fulfil all conditions. */
export function filterRows(rows: readonly ListRow[], { scenario, label, verdict, commit }: ListFilter): ListRow[] {
  return rows.filter(
    (row) =>
      (scenario === '' || row.scenario === scenario) &&
      (verdict === '' || row.verdict === verdict) &&
      contains(row.label, label) &&
      contains(row.commit, commit),
  );
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());

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
