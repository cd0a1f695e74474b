import { expect, test } from 'vitest';
import { drawSample } from './convert-dataset.ts';

test('draws the requested number, the same ones by the same seed', () => {
  expect(drawSample(100, 10, 3)).toEqual(drawSample(100, 10, 3));
  expect(drawSample(100, 10, 3)).not.toEqual(drawSample(100, 10, 4));
  expect(drawSample(100, 10, 3).size).toBe(10);
  expect([...drawSample(3, 10, 1)]).toEqual([0, 1, 2]);
});

test('draws each with the same probability', () => {
  const counts = new Array<number>(100).fill(0);
  for (let seed = 0; seed < 10_000; seed++)
    for (const index of drawSample(100, 10, seed)) counts[index] = (counts[index] ?? 0) + 1;
  // Each is expected 1,000 times, with a standard deviation of 30.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
