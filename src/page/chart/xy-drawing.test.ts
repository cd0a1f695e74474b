import { describe, expect, it } from 'vitest';
import { drawXy } from './xy-drawing.ts';

const point = (x: number, y: number, half: number | null = null) => ({
  x,
  y,
  low: half === null ? null : y - half,
  high: half === null ? null : y + half,
});
type Input = Parameters<typeof drawXy>[0]['block'];
const blockOf = (changes: Partial<Input>): Input => ({
  x: { title: 'position', form: 'number', labels: [] },
  unit: 'ms',
  form: 'line',
  marks: [],
  series: [{ label: 'turn', tone: 'first', points: [point(1, 100), point(2, 140)] }],
  ...changes,
});
const draw = (block: Input, width = 800) =>
  drawXy({ block, shown: block.series.map(({ points }) => points), width, isLog: false });

describe('drawXy', () => {
  it('keeps points within the area', () => {
    const { area, series } = draw(blockOf({}));
    for (const { x, y } of series[0]?.dots ?? []) {
      expect(x >= area.left && x <= area.right).toBe(true);
      expect(y >= area.top && y <= area.bottom).toBe(true);
    }
  });
  it('notes that the axis does not start at 0', () => {
    const near = [{ label: 'p95', tone: 'first', points: [point(1, 1000), point(2, 1050)] }] as const;
    expect(draw(blockOf({ series: near })).note).toMatch(/^The vertical axis starts at 9\d\d ms, not at 0\.$/);
    expect(draw(blockOf({})).note).toBe('');
  });
  it('numbers marks that do not fit, and lists them in their order', () => {
    const marks = Array.from({ length: 9 }, (_, index) => ({
      x: 2 - index / 9,
      label: `event ${String(index)} of a night`,
    }));
    const { marks: drawn, listed } = draw(blockOf({ marks }), 390);
    expect(drawn.map(({ label }) => label)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(listed[0]).toBe('event 8 of a night');
  });
  it('draws a whisker for each of a few intervals, and a band for many', () => {
    const many = Array.from({ length: 100 }, (_, index) => point(index, 100, 10));
    const few = draw(blockOf({ series: [{ label: 'a', tone: 'first', points: many.slice(0, 5) }] })).series[0];
    const lots = draw(blockOf({ series: [{ label: 'a', tone: 'first', points: many }] })).series[0];
    expect([few?.whiskers === '', few?.band === '']).toEqual([false, true]);
    expect([lots?.whiskers === '', lots?.band === '']).toEqual([true, false]);
  });
  it('points an arrow to an interval that leaves the axis', () => {
    const points = [point(1, 100, 5), point(2, 110, 5), point(3, 105, 5000)];
    expect(draw(blockOf({ series: [{ label: 'a', tone: 'first', points }] })).arrows.match(/Z/g)).toHaveLength(2);
    expect(draw(blockOf({})).arrows).toBe('');
  });
  it('draws whiskers of several series next to each other', () => {
    const series = (['base', 'head'] as const).map((tone) => ({ label: tone, tone, points: [point(1, 100, 5)] }));
    const [base, head] = draw(blockOf({ series, form: 'points' })).series;
    expect((head?.dots[0]?.x ?? 0) - (base?.dots[0]?.x ?? 0)).toBe(6);
  });
  it('allows a separate shape per series', () => {
    const points = [point(0, 1), point(1, 2)];
    const series = [
      { label: 'nights', tone: 'first', points },
      { label: 'mean', tone: 'second', form: 'step', points },
    ] as const;
    const [nights, mean] = draw(blockOf({ form: 'points', series })).series;
    expect(nights?.line).toBe('');
    expect(mean?.line).toMatch(/^M.*H.*V/);
  });
  it('draws markers on a line of many points only as densely as they can be distinguished', () => {
    const points = Array.from({ length: 500 }, (_, index) => point(index, 100));
    const signsOf = (form: 'line' | 'points') =>
      draw(blockOf({ form, series: [{ label: 'a', tone: 'first', points }] })).series[0]?.markers.match(/Z/g)?.length;
    expect(signsOf('points')).toBe(500);
    expect(signsOf('line')).toBeLessThan(30);
  });
  it('thins the labels of many nights on a narrow page', () => {
    const labels = Array.from({ length: 60 }, (_, index) => `2026-10-${String(index + 10)}`);
    const points = labels.map((_, index) => point(index, 5));
    const { x } = draw(
      blockOf({ x: { title: '', form: 'text', labels }, series: [{ label: 'a', tone: 'first', points }] }),
      366,
    );
    expect(x.ticks.length).toBeGreaterThan(1);
    expect(x.ticks.length).toBeLessThan(5);
  });
});
