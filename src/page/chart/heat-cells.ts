import { heatFromMs, heatStep, type Timeline } from '../../report/page/page.ts';
import type { Area, Projection } from './area.ts';
import { formatCount } from '../../base/format.ts';
import { instantText, valueText } from './values.ts';

/** Counts of one or more neighbouring intervals, in whole pixels. */
interface HeatColumn {
  fromPx: number;
  toPx: number;
  /** Number of values by bucket. */
  counts: Map<number, number>;
}

/** Returns the lowest bucket and the bucket above the highest; null without values. */
export function bucketsOf(intervals: readonly (readonly number[])[]): [number, number] | null {
  let [min, max] = [Infinity, -Infinity];
  for (const pairs of intervals)
    for (let at = 0; at < pairs.length; at += 2) {
      min = Math.min(min, pairs[at] ?? min);
      max = Math.max(max, pairs[at] ?? max);
    }
  return min > max ? null : widened([min, max + 1]);
}

/** Widens a range to the minimum number of buckets, so that cells do not become too high. */
function widened([min, max]: [number, number]): [number, number] {
  const missing = Math.max(0, minBuckets - (max - min));
  return [min - Math.floor(missing / 2), max + Math.ceil(missing / 2)];
}
const minBuckets = 12;

export function bucketMs(bucket: number): number {
  return heatFromMs * heatStep ** bucket;
}

/** Minimum width of a column; narrower intervals are merged so that none is lost between pixels. */
const minColumnPx = 1;

/** Returns the columns within an area. All merge the same number of intervals, so that they are comparable. */
export function heatColumns(
  { startMs, lengthMs }: Pick<Timeline, 'startMs' | 'lengthMs'>,
  intervals: readonly (readonly number[])[],
  { place, area }: { place: Projection; area: Area },
): HeatColumn[] {
  const columns = new Map<number, HeatColumn>();
  const together = togetherOf({ startMs, lengthMs }, place);
  for (const [index, start] of startMs.entries()) {
    const [from, to] = [place(start), place(start + (lengthMs[index] ?? 0))];
    if (to <= area.left || from >= area.right) continue;
    const [fromPx, toPx] = [Math.max(area.left, Math.round(from)), Math.min(area.right, Math.round(to))];
    const group = Math.floor(index / together);
    const column = columns.get(group) ?? { fromPx, toPx, counts: new Map<number, number>() };
    columns.set(group, column);
    column.toPx = Math.max(column.toPx, toPx);
    addCounts(column.counts, intervals[index] ?? []);
  }
  return [...columns.values()];
}

function togetherOf({ startMs, lengthMs }: Pick<Timeline, 'startMs' | 'lengthMs'>, place: Projection): number {
  const end = (startMs.at(-1) ?? 0) + (lengthMs.at(-1) ?? 0);
  const widthPx = (place(end) - place(startMs[0] ?? 0)) / startMs.length;
  return Math.max(1, Math.ceil(minColumnPx / widthPx));
}

function addCounts(counts: Map<number, number>, pairs: readonly number[]): void {
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const bucket = pairs[at] ?? 0;
    counts.set(bucket, (counts.get(bucket) ?? 0) + (pairs[at + 1] ?? 0));
  }
}

const heatLevels = 9;

/** Returns the minimum count of each level, evenly spaced in its logarithm up to `max`. */
export function levelsOf(max: number): number[] {
  const firsts = Array.from({ length: heatLevels }, (_, level) => Math.round(max ** (level / heatLevels)));
  return [...new Set(firsts)];
}

/** Returns the position of a level on the colour ramp; the highest level is always at its end. */
export function rampAt(level: number, levels: number): string {
  const step = levels === 1 ? Math.floor(heatLevels / 2) : Math.round((level * (heatLevels - 1)) / (levels - 1));
  return `${String((100 * step) / (heatLevels - 1))}%`;
}

/** Returns one path per level with its cells. */
export function heatPaths(
  columns: readonly HeatColumn[],
  levels: readonly number[],
  bucketPx: (bucket: number) => number,
): string[] {
  const paths = levels.map((): string[] => []);
  for (const { fromPx, toPx, counts } of columns)
    for (const [bucket, count] of counts) {
      const level = levels.findLastIndex((first) => first <= count);
      const [top, bottom] = [Math.round(bucketPx(bucket + 1)), Math.round(bucketPx(bucket))];
      const width = String(Math.max(1, toPx - fromPx));
      paths[level]?.push(`M${String(fromPx)},${String(top)}h${width}V${String(bottom)}h-${width}Z`);
    }
  return paths.map((cells) => cells.join(''));
}

interface HeatReading {
  count: number;
  /** Bucket with the highest count, the lower of equals. */
  densest: { bucket: number; count: number };
  slowest: number;
}

export function readInterval(pairs: readonly number[]): HeatReading | null {
  const counts = new Map<number, number>();
  addCounts(counts, pairs);
  const filled = [...counts].map(([bucket, count]) => ({ bucket, count })).filter(({ count }) => count > 0);
  const [densest] = filled.toSorted((one, other) => other.count - one.count || one.bucket - other.bucket);
  if (densest === undefined) return null;
  return {
    count: filled.reduce((sum, each) => sum + each.count, 0),
    densest,
    slowest: Math.max(...filled.map(({ bucket }) => bucket)),
  };
}

export function heatText(
  { startMs, lengthMs }: Pick<Timeline, 'startMs' | 'lengthMs'>,
  intervals: readonly (readonly number[])[],
  index: number,
): string {
  const start = startMs[index] ?? 0;
  const when = `${instantText(start)} to ${instantText(start + (lengthMs[index] ?? 0))}`;
  const read = readInterval(intervals[index] ?? []);
  if (read === null) return `${when}: no values`;
  const { count, densest, slowest } = read;
  const values = count === 1 ? '1 value' : `${formatCount(count)} values`;
  return `${when}: ${values}; most from ${bucketText(densest.bucket)} (${formatCount(densest.count)}); slowest from ${bucketText(slowest)}`;
}

function bucketText(bucket: number): string {
  return `${valueText(bucketMs(bucket), 'ms')} to ${valueText(bucketMs(bucket + 1), 'ms')}`;
}
