import { describe, expect, test } from 'vitest';
import { oneLine, widthOf } from './width.ts';

describe('text on one line', () => {
  test('is cut by the columns that it takes up', () => {
    expect(oneLine('漢字漢字漢字', 7)).toBe('漢字漢…');
    expect(oneLine('漢字漢', 6)).toBe('漢字漢');
  });

  test('is cut between characters as a reader sees them', () => {
    const family = '👩\u200d👩\u200d👧';
    expect(oneLine(family.repeat(3), 5)).toBe(`${family.repeat(2)}…`);
    expect(oneLine('👋👋👋', 4)).toBe('👋…');
  });

  test('never exceeds its length, whatever it contains', () => {
    for (const text of ['漢', '👋', 'e\u0301', '\u001b[2J', 'x'].map((unit) => unit.repeat(300)))
      expect(widthOf(oneLine(text))).toBeLessThanOrEqual(120);
  });
});
