import { describe, expect, it } from 'vitest';
import { placeText, readAt, readingText } from './reading.ts';

const point = (x: number, y: number, half: number | null = null) => ({
  x,
  y,
  low: half === null ? null : y - half,
  high: half === null ? null : y + half,
});
const points = [point(50, 100), point(99, 900)];

describe('readAt', () => {
  it('gives a point of the series itself', () => {
    expect(readAt(points, 99, 'nothing')?.y).toBe(900);
  });
  it('gives nothing between points that say nothing of it', () => {
    expect(readAt(points, 90, 'nothing')).toBeNull();
  });
  it('gives the last value where values hold', () => {
    expect(readAt(points, 90, 'last')?.y).toBe(100);
    expect(readAt(points, 10, 'last')).toBeNull();
  });
  it('gives the next percentile, and none beyond the last', () => {
    expect(readAt(points, 90, 'next')?.y).toBe(900);
    expect(readAt(points, 99.9, 'next')).toBeNull();
  });
});

it('reads the chosen series first, with its interval, and leaves out what has no value there', () => {
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
  expect(placeText({ form: 'text', title: '', labels }, 1)).toBe('2026-11-21');
  expect(placeText({ form: 'percentile', title: '', labels: [] }, 99.9)).toBe('p99.9');
  expect(placeText({ form: 'durationMs', title: '', labels: [] }, 125_000)).toBe('at 2m 05s');
});
