import { describe, expect, it } from 'vitest';
import type { RangeRow } from '../../report/page/page.ts';
import { rangesDomain } from './domain.ts';
import { drawRanges } from './ranges-drawing.ts';

const row = (label: string, value: number | null, half: number | null = null): RangeRow => ({
  label,
  tone: 'head',
  value,
  low: value === null || half === null ? null : value - half,
  high: value === null || half === null ? null : value + half,
  margin: 0.05,
  note: 'unchanged',
});
const block = (...rows: RangeRow[]) => ({ rows, unit: 'change', scale: 'linear', reference: 0 }) as const;

describe('drawRanges', () => {
  it('draws an arrow if an interval extends beyond the axis, and keeps the others legible', () => {
    const { rows, area } = drawRanges(block(row('p50', 0.01, 0.02), row('p95', 0, 0.03), row('p99.9', 0.3, 50)), 1000);
    expect(rows.map(({ leavesLeft, leavesRight }) => [leavesLeft, leavesRight])).toEqual([
      [false, false],
      [false, false],
      [true, true],
    ]);
    expect(rows[2]?.bar).toEqual({ fromPx: area.left, toPx: area.right });
    expect((rows[0]?.bar?.toPx ?? 0) - (rows[0]?.bar?.fromPx ?? 0)).toBeGreaterThan(10);
  });
  it('shows a tail that moved far more than the middle as points with their bars', () => {
    const { rows } = drawRanges(block(row('p50', 0.004, 0.016), row('p95', 0.18, 0.04), row('p99.9', 1.92, 0.4)), 1000);
    expect(rows.map(({ pointPx, leavesRight }) => pointPx !== null && !leavesRight)).toEqual([true, true, true]);
  });
  it('points to a row that is beyond the axis by an arrow with a shaft', () => {
    const { rows, area } = drawRanges(block(row('p50', 0.01, 0.02), row('p95', 0, 0.03), row('p99', 90, 1)), 1000);
    expect(rows[2]).toMatchObject({
      pointPx: null,
      leavesRight: true,
      bar: { fromPx: area.right - 24, toPx: area.right },
    });
  });
  it('draws no point and no bar without a value, but its note', () => {
    const { rows } = drawRanges(block(row('p99', null)), 1000);
    expect(rows[0]).toMatchObject({ pointPx: null, bar: null, isMissing: true, leavesLeft: false, leavesRight: false });
    expect(rows[0]?.texts.map(({ text }) => text)).toEqual(['p99', '-', 'unchanged']);
  });
  it('draws a point alone without an interval', () => {
    const { rows } = drawRanges(block(row('p99', 0.02)), 1000);
    expect(rows[0]?.pointPx).not.toBeNull();
    expect(rows[0]).toMatchObject({ bar: null, leavesRight: false });
  });
  it('writes a remark next to the value, so that the note is never cut', () => {
    const remarked = { ...row('rates.turnsPerSecond', 0.02, 0.01), note: 'inconclusive', remark: 'lower is worse' };
    for (const width of [366, 1000]) {
      const texts = drawRanges(block(remarked), width).rows[0]?.texts.map(({ text }) => text);
      expect(texts, String(width)).toEqual(
        expect.arrayContaining(['inconclusive', '+2.0 % (+1.0 % to +3.0 %); lower is worse']),
      );
    }
  });
  it('draws rows of a tone with the same marker in every chart', () => {
    const signOf = (...rows: RangeRow[]) => drawRanges(block(...rows), 1000).rows.at(-1)?.sign;
    const failed = { ...row('p99', 0.3), tone: 'failed' } as const;
    expect(signOf({ ...row('p50', 0), tone: 'neutral' }, failed)).toBe(signOf(failed));
  });
  it('puts texts above the bars on a narrow page', () => {
    const { rows } = drawRanges(block(row('turn latency, p99', 0.02, 0.01)), 366);
    for (const { y, texts } of rows) for (const text of texts) expect(text.y).toBeLessThan(y);
  });
  it('keeps the bars between labels and values on a wide page', () => {
    const long = 'a metric whose name is far longer than any name that stands in a table of this project';
    const { area, rows } = drawRanges(block(row(long, 0.02, 0.01)), 800);
    expect(area.right - area.left).toBeGreaterThan(200);
    expect(rows[0]?.texts[0]?.text).toMatch(/…$/);
    expect(rows[0]?.full).toContain(long);
  });
  it('uses one marker per tone', () => {
    const rows = [row('a', 0), { ...row('b', 0), tone: 'base' } as const, row('c', 0)];
    expect(drawRanges(block(...rows), 800).rows.map(({ sign }) => sign)).toEqual([1, 0, 1]);
  });
});

describe('rangesDomain', () => {
  it('includes the margins about the reference', () => {
    const [min, max] = rangesDomain(block(row('p50', 0, 0.001)));
    expect(min).toBeLessThan(-0.05);
    expect(max).toBeGreaterThan(0.05);
  });
  it('contains all values without a reference', () => {
    const rows = [row('none', 100, 1), row('retry', 9000, 5)];
    const [min, max] = rangesDomain({ rows, scale: 'linear', reference: null });
    expect(min).toBeLessThan(100);
    expect(max).toBeGreaterThan(9000);
  });
  it('keeps small differences small without a reference', () => {
    const [min, max] = rangesDomain({
      rows: [row('turn 1', 52.1), row('turn 2', 52.6)],

      scale: 'linear',
      reference: null,
    });
    expect(max - min).toBeGreaterThan(0.2 * 52);
  });
  it('is finite on a logarithmic scale with an end at 0 and a value at 0', () => {
    const rows = [{ ...row('a', 100), low: 0, high: 200 }, row('b', 0)];
    const domain = rangesDomain({ rows, scale: 'log', reference: null });
    for (const end of domain) expect(end > 0 && Number.isFinite(end)).toBe(true);
  });
  it('is finite without any value', () => {
    for (const end of rangesDomain({ rows: [row('a', null)], scale: 'log', reference: null }))
      expect(Number.isFinite(end)).toBe(true);
  });
});
