import { describe, expect, test, it } from 'vitest';
import type { Timeline, TimeSeries } from '../../report/page/page.ts';
import { align, endOf, isolatedOf, middlesOf, stack, valueAt, withoutRest, nearestIndex } from './aligned.ts';

const timeline = (startMs: number[], columns: Timeline['columns']): Timeline => ({
  label: 'run',
  startMs,
  lengthMs: startMs.map(() => 1000),
  columns,
  heat: {},
  marks: [],
});
const series = (run: number, column: string): TimeSeries => ({
  label: `${String(run)} ${column}`,
  tone: 'ok',
  run,
  column,
});

test('a value is drawn at the middle of its interval, and a run ends with its last interval', () => {
  const run = timeline([0, 1000, 2000], {});
  expect(middlesOf(run)).toEqual([500, 1500, 2500]);
  expect([endOf(run), endOf(timeline([], {}))]).toEqual([3000, 0]);
});

describe('the series of a chart', () => {
  const runs = [timeline([0, 1000], { a: [1, 2], b: [3, null] }), timeline([500, 1500], { a: [7, 8] })];

  test('keep their own order, whatever the order of their runs', () => {
    const [times, ...columns] = align([series(1, 'a'), series(0, 'b'), series(0, 'a')], runs);
    expect(times).toEqual([500, 1000, 1500, 2000]);
    expect(columns).toEqual([
      [undefined, 7, undefined, 8],
      [3, undefined, null, undefined],
      [1, undefined, 2, undefined],
    ]);
  });

  test('end before a short last interval, whose rate would mislead', () => {
    const run = (lengthMs: number[]): Timeline => ({ ...timeline([0, 1000, 2000], { a: [1, 2, 400] }), lengthMs });
    const drawn = (whole: Timeline) => align([series(0, 'a')], [withoutRest(whole)]);
    expect(drawn(run([1000, 1000, 4]))).toEqual([
      [500, 1500],
      [1, 2],
    ]);
    expect(drawn(run([1000, 1000, 500]))[1]).toEqual([1, 2, 400]);
    expect(drawn({ ...timeline([0], { a: [9] }), lengthMs: [4] })[1]).toEqual([9]);
  });

  test('of a column missing from a run are gaps', () => {
    expect(align([series(0, 'c'), series(5, 'a')], runs)).toEqual([
      [500, 1500],
      [null, null],
      [undefined, undefined],
    ]);
  });

  test('read at a time of another run as they were before', () => {
    const [, column = []] = align([series(1, 'a'), series(0, 'a')], runs);
    expect([0, 1, 2, 3].map((index) => valueAt(column, index))).toEqual([null, 7, 7, 8]);
  });

  test('are stacked from the first up, without hidden ones', () => {
    const data = align([series(0, 'a'), series(0, 'b')], runs);
    expect(stack(data, () => true)).toEqual([
      [500, 1500],
      [4, 2],
      [1, 2],
    ]);
    expect(stack(data, (index) => index === 1)).toEqual([
      [500, 1500],
      [3, 0],
      [null, null],
    ]);
  });
});

test.each([
  [[null, 5, null, 1, 2], [1]],
  [[5], [0]],
  [[5, undefined, null, 6, undefined, 7], [0]],
  [[1, undefined, 2], []],
])('of %j the values at %j are isolated', (column, expected) => {
  expect(isolatedOf(column)).toEqual(expected);
});

it('finds the time nearest to an instant, the earlier of two as near', () => {
  expect([-5, 0, 14, 15, 16, 99].map((at) => nearestIndex([0, 10, 20], at))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(nearestIndex([], 5)).toBeNull();
});
