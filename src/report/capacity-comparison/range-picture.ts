import type { CapacityComparison, CapacityRange } from '../../capacity/compare/capacity-comparison.ts';
import { rangeText } from '../../capacity/compare/say-change.ts';
import { sideNames } from '../../compare/document/side.ts';
import { renderTable, type Style } from '../words/table.ts';

/** Both ranges below each other on one logarithmic axis: whether they lie apart is seen at once; '' where no end is known. */
export function rangePicture(comparison: CapacityComparison, style: Style): string {
  const ranges = sideNames.map((side) => comparison[side].range);
  const ends = ranges.flatMap(({ holds, broken }) => [holds, broken]).filter((end) => end !== null && end > 0);
  if (ends.length === 0) return '';
  const width = Math.max(10, Math.min(60, style.width - 45));
  // Room at both sides, so that an open end is seen to go on.
  const [least, most] = [Math.min(...ends.map(Number)) / 1.15, Math.max(...ends.map(Number)) * 1.15];
  const cellOf = (load: number): number => Math.round(((width - 1) * Math.log(load / least)) / Math.log(most / least));
  const rows = sideNames.map((side) => {
    const { range } = comparison[side];
    return [side, barOf(range, width, cellOf), rangeText(range, comparison.by)];
  });
  return renderTable([{ head: 'RANGE' }, { head: '' }, { head: '' }], rows, style);
}

/** An open end goes on to the edge, with an arrow; nothing is drawn of what is not known at all. */
function barOf({ holds, broken }: CapacityRange, width: number, cellOf: (load: number) => number): string {
  if (holds === null && broken === null) return '';
  const from = holds === null || holds <= 0 ? 0 : cellOf(holds);
  const to = broken === null ? width - 1 : cellOf(broken);
  const cells: string[] = Array.from({ length: width }, (_, at) =>
    at < from || at > to ? ' ' : at === from || at === to ? '┃' : '━',
  );
  if (holds === null) cells[0] = '◀';
  if (broken === null) cells[width - 1] = '▶';
  return cells.join('');
}
