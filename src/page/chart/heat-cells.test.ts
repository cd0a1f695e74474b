import { describe, expect, it } from 'vitest';
import { bucketMs, bucketsOf, heatColumns, heatPaths, levelsOf, rampAt, readInterval, heatText } from './heat-cells.ts';
import { placeOn } from './area.ts';
import type { Timeline } from '../../report/page/page.ts';
import { drawHeat } from './heat-drawing.ts';

const area = { left: 100, right: 200, top: 0, bottom: 120 };
const timelineOf = (count: number, lengthMs = 1000) => ({
  startMs: Array.from({ length: count }, (_, index) => index * lengthMs),
  lengthMs: Array.from({ length: count }, () => lengthMs),
});
const totalOf = (columns: readonly { counts: Map<number, number> }[]) =>
  columns.flatMap(({ counts }) => [...counts.values()]).reduce((sum, count) => sum + count, 0);

describe('heatColumns', () => {
  it('draws each interval as a column next to the previous one', () => {
    const columns = heatColumns(timelineOf(3), [[10, 1], [], [11, 5]], {
      place: placeOn({ fromPx: 100, toPx: 200 }, [0, 3000]),
      area,
    });
    expect(columns.map(({ fromPx, toPx }) => [fromPx, toPx])).toEqual([
      [100, 133],
      [133, 167],
      [167, 200],
    ]);
  });
  it('loses no value if there are more intervals than pixels', () => {
    const intervals = Array.from({ length: 600 }, (_, index) => [index % 40, 1]);
    const columns = heatColumns(timelineOf(600), intervals, {
      place: placeOn({ fromPx: 100, toPx: 200 }, [0, 600_000]),
      area,
    });
    expect(totalOf(columns)).toBe(600);
    for (const { fromPx, toPx } of columns) expect(toPx - fromPx).toBeGreaterThanOrEqual(1);
  });
  it('puts the same number of intervals into each column, so that no column looks fuller than its neighbour', () => {
    const columns = heatColumns(
      timelineOf(60),
      Array.from({ length: 60 }, () => [5, 1]),
      { place: placeOn({ fromPx: 100, toPx: 145 }, [0, 60_000]), area },
    );
    expect(columns.map(({ counts }) => counts.get(5))).toEqual(Array.from({ length: 30 }, () => 2));
  });
  it('omits intervals outside the shown part, and cuts intervals at its ends', () => {
    const columns = heatColumns(
      timelineOf(4),
      [
        [1, 1],
        [2, 1],
        [3, 1],
        [4, 1],
      ],
      { place: placeOn({ fromPx: 100, toPx: 200 }, [1500, 2500]), area },
    );
    expect(columns.map(({ fromPx, toPx }) => [fromPx, toPx])).toEqual([
      [100, 150],
      [150, 200],
    ]);
    expect(columns.flatMap(({ counts }) => [...counts.keys()])).toEqual([2, 3]);
  });
});

describe('levels', () => {
  it('rise evenly in the logarithm of the count, from 1 on', () => {
    expect(levelsOf(512)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  });
  it('do not outnumber the counts', () => {
    expect(levelsOf(1)).toEqual([1]);
    expect(levelsOf(3)).toEqual([1, 2, 3]);
  });
  it('spread over the whole ramp', () => {
    expect([0, 1, 2].map((level) => rampAt(level, 3))).toEqual(['0%', '50%', '100%']);
  });
  it('include every cell once', () => {
    const columns = [
      {
        fromPx: 0,
        toPx: 10,
        counts: new Map([
          [3, 1],
          [4, 2],
          [5, 70],
        ]),
      },
    ];
    const paths = heatPaths(columns, levelsOf(70), (bucket) => 120 - bucket * 10);
    expect(paths.join('').match(/Z/g)).toHaveLength(3);
    expect(paths.at(-1)).toBe('M0,60h10V70h-10Z');
  });
});

it('keeps a height for cells if all values are alike', () => {
  expect(bucketsOf([[40, 12], []])).toEqual([35, 47]);
  expect(bucketsOf([[0, 1, 60, 1]])).toEqual([0, 61]);
  expect(bucketsOf([[], []])).toBeNull();
});

describe('readInterval', () => {
  it('counts, and names the densest and the slowest bucket', () => {
    expect(readInterval([30, 4, 31, 9, 52, 1])).toEqual({ count: 14, densest: { bucket: 31, count: 9 }, slowest: 52 });
  });
  it('returns null for an interval without values', () => {
    expect(readInterval([])).toBeNull();
    expect(heatText(timelineOf(2), [[], []], 1)).toBe('1 s to 2 s: no values');
  });
  it('describes it as text', () => {
    expect(heatText(timelineOf(2), [[], [40, 1]], 1)).toBe(
      '1 s to 2 s: 1 value; most from 102 ms to 122 ms (1); slowest from 102 ms to 122 ms',
    );
  });
});

it('has buckets that quadruple in eight', () => {
  expect(bucketMs(8) / bucketMs(0)).toBeCloseTo(4);
});

const intervals = Array.from({ length: 60 }, (_, index) => [40, 10, 44, 1 + (index % 3)]);
const timeline: Timeline = {
  label: 'run',
  startMs: intervals.map((_, index) => index * 5000),
  lengthMs: intervals.map(() => 5000),
  columns: {},
  heat: { turn: intervals },
  marks: [
    { atMs: 0, untilMs: 30_000, kind: 'warm_up', label: 'warm-up' },
    { atMs: 290_000, untilMs: null, kind: 'drain', label: 'drain' },
  ],
};
const draw = (fromMs: number, toMs: number, width = 1000) =>
  drawHeat({ timeline, intervals, shown: { fromMs, toMs }, width });

describe('drawHeat', () => {
  it('puts instants where uPlot does: 74 px from the left, 25 px from the right', () => {
    const drawn = draw(0, 300_000);
    expect([drawn?.place(0), drawn?.place(300_000)]).toEqual([74, 975]);
  });
  it('shows the marks of the part that is shown, cut at its ends', () => {
    const drawn = draw(20_000, 100_000);
    expect(drawn?.marks.map(({ label, at }) => [label, at])).toEqual([['warm-up', 74]]);
    expect(drawn?.bands.map(({ fromPx }) => fromPx)).toEqual([74]);
  });
  it('keeps the scale of durations while a part is shown, so that parts can be compared', () => {
    expect(draw(100_000, 110_000)?.y).toEqual(draw(0, 300_000)?.y.map((tick) => ({ ...tick, at: tick.at - 15 })));
  });
  it('has a legend with the minimum count of every level that fits', () => {
    expect(draw(0, 300_000)?.legend.map(({ label }) => label)).toEqual(['1', '2', '3', '4', '5', '6', '8']);
  });
  it('draws all cells, on a page as narrow as there is', () => {
    const drawn = draw(0, 300_000, 366);
    const cells = drawn?.levels
      .map((level) => level.cells)
      .join('')
      .match(/Z/g);
    expect(cells).toHaveLength(120);
  });
  it('draws nothing of a series without values', () => {
    expect(drawHeat({ timeline, intervals: [[], []], shown: { fromMs: 0, toMs: 1 }, width: 500 })).toBeNull();
  });
});
