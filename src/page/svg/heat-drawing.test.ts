import { describe, expect, it } from 'vitest';
import type { Timeline } from '../../report/page/page.ts';
import { drawHeat } from './heat-drawing.ts';

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
  it('has a legend that names the least count of every level that fits', () => {
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
