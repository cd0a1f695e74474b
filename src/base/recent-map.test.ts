import { expect, test } from 'vitest';
import { RecentMap } from './recent-map.ts';

test('a recent map forgets the entries that were not used for the longest time', () => {
  const map = new RecentMap<string, number>(4);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  expect(map.get('a')).toBe(0);
  map.set('d', 3);
  expect(['a', 'b', 'c', 'd'].map((key) => map.has(key))).toEqual([true, false, true, true]);
});

test('a recent map keeps at least half of its size, and at most all of it', () => {
  const map = new RecentMap<string, number>(100, (text) => text.length);
  const texts = Array.from({ length: 50 }, (_, index) => String(index).padStart(10));
  for (const [index, text] of texts.entries()) map.set(text, index);
  const kept = texts.map((text) => map.has(text));
  expect(kept.slice(-5)).toEqual(Array(5).fill(true));
  expect(map.size).toBeLessThanOrEqual(10);
});
