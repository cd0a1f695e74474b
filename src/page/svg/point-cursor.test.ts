import { describe, expect, it } from 'vitest';
import { movePointed, nearestPointed } from './point-cursor.ts';

const series = [[{ x: 1 }, { x: 2 }, { x: 3 }], [], [{ x: 2.9 }, { x: 8 }]];
const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });

describe('movePointed', () => {
  it('begins at the first point going right, at the last going left', () => {
    expect(movePointed(key('ArrowRight'), null, series)).toEqual({ series: 0, point: 0 });
    expect(movePointed(key('ArrowLeft'), null, series)).toEqual({ series: 0, point: 2 });
  });
  it('stays at the ends', () => {
    expect(movePointed(key('ArrowRight'), { series: 0, point: 2 }, series)).toEqual({ series: 0, point: 2 });
    expect(movePointed(key('ArrowLeft', true), { series: 0, point: 1 }, series)).toEqual({ series: 0, point: 0 });
  });
  it('goes by ten with Shift', () => {
    const long = [Array.from({ length: 30 }, (_, x) => ({ x }))];
    expect(movePointed(key('ArrowRight', true), { series: 0, point: 4 }, long)).toEqual({ series: 0, point: 14 });
  });
  it('goes to the ends by Home and End', () => {
    expect(movePointed(key('Home'), { series: 0, point: 1 }, series)).toEqual({ series: 0, point: 0 });
    expect(movePointed(key('End'), null, series)).toEqual({ series: 0, point: 2 });
  });
  it('changes to the same place of the next series that is shown', () => {
    expect(movePointed(key('ArrowDown'), { series: 0, point: 2 }, series)).toEqual({ series: 2, point: 0 });
    expect(movePointed(key('ArrowUp'), { series: 0, point: 0 }, series)).toEqual({ series: 2, point: 0 });
  });
  it('leaves other keys alone, and ends by Escape', () => {
    expect(movePointed(key('Tab'), null, series)).toBeUndefined();
    expect(movePointed(key('Escape'), { series: 0, point: 0 }, series)).toBeNull();
  });
  it('points at nothing where there are no points', () => {
    expect(movePointed(key('ArrowRight'), null, [[]])).toBeNull();
    expect(movePointed(key('ArrowDown'), null, [])).toBeNull();
  });
});

it('finds the point nearest to the pointer among all series', () => {
  const drawn = [
    [{ x: 10, y: 10 }],
    [
      { x: 12, y: 90 },
      { x: 40, y: 90 },
    ],
  ];
  expect(nearestPointed(drawn, { x: 12, y: 80 })).toEqual({ series: 1, point: 0 });
  expect(nearestPointed([[], []], { x: 0, y: 0 })).toBeNull();
});
