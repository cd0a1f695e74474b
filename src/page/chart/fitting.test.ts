import { describe, expect, it } from 'vitest';
import { dropTouching, fitText, keepWithin, placeLabels, thinTexts, widthOf } from './fitting.ts';

const ticks = (stepPx: number, ...labels: string[]) => labels.map((label, index) => ({ at: index * stepPx, label }));
const namesOf = (kept: readonly { label: string }[] | null) => kept?.map(({ label }) => label);

describe('fitText', () => {
  it('keeps a text that fits', () => {
    expect(fitText('p95', 100)).toBe('p95');
  });
  it('cuts longer texts with an ellipsis', () => {
    const cut = fitText('turn latency of all policies', 80);
    expect(cut).toMatch(/^turn.*…$/);
    expect(widthOf(cut)).toBeLessThanOrEqual(80);
  });
});

describe('thinTexts', () => {
  it('keeps all labels if they fit', () => {
    expect(namesOf(thinTexts(ticks(120, '2026-11-01', '2026-11-02', '2026-11-03')))).toHaveLength(3);
  });
  it('keeps every second, the last included, if two touch', () => {
    expect(namesOf(thinTexts(ticks(30, 'night1', 'night2', 'night3', 'night4', 'night5')))).toEqual([
      'night1',
      'night3',
      'night5',
    ]);
    expect(namesOf(thinTexts(ticks(30, 'night1', 'night2', 'night3', 'night4')))).toEqual(['night2', 'night4']);
  });
  it('keeps a single label', () => {
    expect(namesOf(thinTexts(ticks(1, 'alone')))).toEqual(['alone']);
  });
});

describe('dropTouching', () => {
  it('drops labels that touch the previous one, but not the last', () => {
    const near = [
      { at: 0, label: 'p50' },
      { at: 10, label: 'p75' },
      { at: 60, label: 'p90' },
      { at: 75, label: 'p99' },
    ];
    expect(namesOf(dropTouching(near))).toEqual(['p50', 'p99']);
  });
});

describe('keepWithin', () => {
  const kept = keepWithin(ticks(130, '2026-11-20 02:00', '2026-11-20 14:00', '2026-11-21 02:00'), 285);
  it('moves only a label that would run over the edge', () => {
    expect(kept.map(({ labelAt }) => labelAt !== undefined)).toEqual([false, false, true]);
    const [newest] = kept.slice(-1);
    expect((newest?.labelAt ?? 0) + widthOf(newest?.label ?? '') / 2).toBeCloseTo(285);
  });
  it('leaves the moved label on the axis, and none that touches it', () => {
    expect(namesOf(thinTexts(kept))).toEqual(['2026-11-20 02:00', '2026-11-21 02:00']);
    expect(namesOf(thinTexts(kept.slice(1)))).toEqual(['2026-11-21 02:00']);
  });
});

describe('placeLabels', () => {
  const across = { fromPx: 0, toPx: 300 };
  it('puts overlapping labels into different rows', () => {
    const placed = placeLabels(ticks(20, 'abc123 to def456', 'def456 to 0a1b2c'), across);
    expect(placed?.map(({ lane }) => lane)).toEqual([0, 1]);
  });
  it('reuses the first row if there is room', () => {
    expect(placeLabels(ticks(150, 'one', 'two'), across)?.map(({ lane }) => lane)).toEqual([0, 0]);
  });
  it('starts a line below the labels that it would cross', () => {
    const near = [
      { at: 60, label: 'knee 16' },
      { at: 100, label: 'passes 66' },
      { at: 125, label: 'fails 75' },
    ];
    expect(placeLabels(near, across)?.map(({ lane }) => lane)).toEqual([0, 1, 2]);
  });
  it('places a label on the left of its line if it would exceed the picture', () => {
    expect(placeLabels([{ at: 290, label: 'the last event' }], across)?.[0]?.anchor).toBe('end');
  });
  it('returns null if labels do not fit', () => {
    expect(placeLabels(ticks(5, 'first event', 'second event', 'third event', 'fourth event'), across)).toBeNull();
  });
});
