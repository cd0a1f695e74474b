import type { Timeline } from '../../report/page/page.ts';
import { countText, instantText, valueText } from '../chart/values.ts';
import { bucketMs, readInterval } from './heat-cells.ts';

/** What the interval at `index` holds, in words. */
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
  const values = count === 1 ? '1 value' : `${countText(count)} values`;
  return `${when}: ${values}; most from ${bucketText(densest.bucket)} (${countText(densest.count)}); slowest from ${bucketText(slowest)}`;
}

/** The ends of a bucket. */
function bucketText(bucket: number): string {
  return `${valueText(bucketMs(bucket), 'ms')} to ${valueText(bucketMs(bucket + 1), 'ms')}`;
}
