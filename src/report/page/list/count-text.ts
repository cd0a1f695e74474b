import { countOf, formatCount } from '../../../base/format.ts';
import type { ListRow } from './list.ts';

type Counted = Pick<ListRow, 'verdict'>;

/** How many results and unreadable files are shown, and of how many: `2 of 8 results, 0 of 3 unreadable files`. */
export function countText(shown: readonly Counted[], all: readonly Counted[]): string {
  const [unreadable, listed] = [unreadableIn(shown), unreadableIn(all)];
  const part = (count: number, of: number, unit: string): string =>
    `${shown.length === all.length ? '' : `${formatCount(count)} of `}${countOf(of, unit)}`;
  const results = part(shown.length - unreadable, all.length - listed, 'result');
  return listed === 0 ? results : `${results}, ${part(unreadable, listed, 'unreadable file')}`;
}

const unreadableIn = (rows: readonly Counted[]): number =>
  rows.filter(({ verdict }) => verdict === 'UNREADABLE').length;
