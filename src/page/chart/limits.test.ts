import { describe, expect, test } from 'vitest';
import { nearLimits, placeLimits, topOf } from './limits.ts';

const limit = (value: number) => ({ value, label: `< ${String(value)}` });

describe('the top of an axis', () => {
  test('includes a limit near the data, with room for its label', () => {
    expect(topOf(100, [limit(200)])).toBeCloseTo(224);
    expect(topOf(100, [limit(50)])).toBeCloseTo(105);
  });

  test('omits a limit far above the data, which would flatten it', () => {
    expect(topOf(100, [limit(251)])).toBeCloseTo(105);
    expect(nearLimits([limit(251), limit(1001)], 100, true)).toEqual([limit(251)]);
  });

  test('is 1 without data', () => {
    expect(topOf(0, [limit(5)])).toBe(1);
  });
});

describe('the labels of limits', () => {
  const area = { y: (value: number) => 200 - value, topPx: 0, bottomPx: 200 };

  test('are above their lines', () => {
    expect(placeLimits([limit(50)], area)).toEqual([{ label: '< 50', linePx: 150, labelPx: 146 }]);
  });

  test('do not overlap', () => {
    const [upper, lower] = placeLimits([limit(50), limit(55)], area);
    expect([upper?.label, lower?.label]).toEqual(['< 55', '< 50']);
    expect((lower?.labelPx ?? 0) - (upper?.labelPx ?? 0)).toBeGreaterThanOrEqual(14);
  });

  test('point upwards if the limit is beyond the axis', () => {
    expect(placeLimits([limit(300)], area)).toEqual([{ label: '< 300 ↑', linePx: null, labelPx: 12 }]);
  });
});
