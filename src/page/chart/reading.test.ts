import { describe, expect, it } from 'vitest';
import { positionText, readAt, readingText, movePointed, nearestPointed } from './reading.ts';

const point = (x: number, y: number, half: number | null = null) => ({
  x,
  y,
  low: half === null ? null : y - half,
  high: half === null ? null : y + half,
});
const points = [point(50, 100), point(99, 900)];

describe('readAt', () => {
  it('returns a point of the series itself', () => {
    expect(readAt(points, 99, 'nothing')?.y).toBe(900);
  });
  it('returns null between points of a series without a rule for it', () => {
    expect(readAt(points, 90, 'nothing')).toBeNull();
  });
  it('returns the previous value of a step', () => {
    expect(readAt(points, 90, 'last')?.y).toBe(100);
    expect(readAt(points, 10, 'last')).toBeNull();
  });
  it('returns the next percentile, and null beyond the last', () => {
    expect(readAt(points, 90, 'next')?.y).toBe(900);
    expect(readAt(points, 99.9, 'next')).toBeNull();
  });
});

it('reads the chosen series first, with its interval, and omits series without a value', () => {
  const x = { title: 'position', form: 'number', labels: [] } as const;
  const values = [
    { series: { label: 'base', tone: 'base', points }, point: point(3, 120) },
    { series: { label: 'none', tone: 'first', points }, point: null },
    { series: { label: 'head', tone: 'head', points }, point: point(3, 140, 10) },
  ] as const;
  expect(readingText({ x, unitOf: () => 'ms', chosen: 2 }, 3, values)).toBe(
    'position 3: head 140 ms (130 ms to 150 ms); base 120 ms',
  );
});

it('names places of every kind of axis', () => {
  const labels = ['2026-11-20', '2026-11-21'];
  expect(positionText({ form: 'text', title: '', labels }, 1)).toBe('2026-11-21');
  expect(positionText({ form: 'percentile', title: '', labels: [] }, 99.9)).toBe('p99.9');
  expect(positionText({ form: 'durationMs', title: '', labels: [] }, 125_000)).toBe('at 2m 05s');
});

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
  it('moves by ten with Shift', () => {
    const long = [Array.from({ length: 30 }, (_, x) => ({ x }))];
    expect(movePointed(key('ArrowRight', true), { series: 0, point: 4 }, long)).toEqual({ series: 0, point: 14 });
  });
  it('moves to the ends with Home and End', () => {
    expect(movePointed(key('Home'), { series: 0, point: 1 }, series)).toEqual({ series: 0, point: 0 });
    expect(movePointed(key('End'), null, series)).toEqual({ series: 0, point: 2 });
  });
  it('changes to the same place of the next series that is shown', () => {
    expect(movePointed(key('ArrowDown'), { series: 0, point: 2 }, series)).toEqual({ series: 2, point: 0 });
    expect(movePointed(key('ArrowUp'), { series: 0, point: 0 }, series)).toEqual({ series: 2, point: 0 });
  });
  it('ignores other keys, and ends with Escape', () => {
    expect(movePointed(key('Tab'), null, series)).toBeUndefined();
    expect(movePointed(key('Escape'), { series: 0, point: 0 }, series)).toBeNull();
  });
  it('has no reading without points', () => {
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
