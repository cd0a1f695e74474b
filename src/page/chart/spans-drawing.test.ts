import { describe, expect, test } from 'vitest';
import type { SpanRow } from '../../report/page/page.ts';
import { drawSpans, spanAt } from './spans-drawing.ts';

const row = (label: string, level: SpanRow['level'], ...spans: (readonly [number, number])[]): SpanRow => ({
  label,
  level,
  note: 'ok, 1.00 s',
  spans: spans.map(([fromMs, toMs]) => ({ fromMs, toMs, tone: 'ok', text: 'call' })),
});
const rows = [
  row('session 1, turn 2', 0, [0, 1000]),
  row('attempt 1', 1, [0, 400], [400, 1000]),
  row('chat', 2, [500, 500]),
];

describe.each([1000, 340])('spans on a page of %i pixels', (width) => {
  const drawn = drawSpans(rows, width);

  test('lie within the area, from its start to its end', () => {
    const { area } = drawn;
    expect(drawn.rows[0]?.spans[0]).toMatchObject({ fromPx: area.left, toPx: area.right });
    const middle = area.left + (area.right - area.left) / 2;
    expect(drawn.rows[2]?.spans[0]?.fromPx).toBe(middle);
  });

  test('are visible even if they have no length', () => {
    const [span] = drawn.rows[2]?.spans ?? [];
    expect((span?.toPx ?? 0) - (span?.fromPx ?? 0)).toBeGreaterThanOrEqual(2);
  });

  test('have texts within the page, indented by their level', () => {
    const texts = drawn.rows.map(({ texts: [label] }) => label?.x ?? NaN);
    expect(texts).toEqual([0, 12, 24]);
    for (const { texts: all } of drawn.rows)
      for (const { x, anchor } of all) expect(anchor === 'end' ? x : x + 20).toBeLessThanOrEqual(width);
  });

  test('are found by the pointer: the span of the nearest row that contains it', () => {
    const { top = 0, spans = [] } = drawn.rows[1] ?? {};
    const [, second] = spans;
    expect(spanAt(drawn, { x: (second?.fromPx ?? 0) + 5, y: top + 3 })).toEqual({ series: 1, point: 1 });
    expect(spanAt(drawn, { x: 0, y: 0 })).toEqual({ series: 0, point: 0 });
  });
});

test('bars of a row with several ones contain their texts where they fit', () => {
  const labelsOf = (width: number) => drawSpans(rows, width).rows.map(({ spans }) => spans.map(({ label }) => label));
  expect(labelsOf(1000)).toEqual([[''], ['call 400 ms', 'call 600 ms'], ['']]);
  expect(labelsOf(130)[1]).toEqual(['', '']);
});

test('a gap separates a group of rows from the previous one', () => {
  const tops = drawSpans([...rows, ...rows], 1000).rows.map(({ top }) => top);
  const [within, between] = [(tops[1] ?? 0) - (tops[0] ?? 0), (tops[3] ?? 0) - (tops[2] ?? 0)];
  expect(between).toBeGreaterThan(within);
});

test('no rows are drawn as an empty area', () => {
  expect(drawSpans([], 500).rows).toEqual([]);
  expect(spanAt(drawSpans([], 500), { x: 1, y: 1 })).toBeNull();
});
