import { randomNormal } from 'd3-random';
import { expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { findStep } from './change-points.ts';

const noiseOf = (seed: number) => randomNormal.source(randomOf(8, seed))(0, 0.03);
const stepAt = (from: number, seed: number): number[] => {
  const noise = noiseOf(seed);
  return Array.from({ length: 48 }, (_, at) => (at < from ? 0 : 0.2) + noise());
};

test.each([6, 20, 43])('a step after %d of 48 values is found, with an interval that holds it', (from) => {
  const step = findStep(stepAt(from, from));
  expect(step?.index).toBe(from);
  expect(step?.low).toBeLessThan(0.2);
  expect(step?.high).toBeGreaterThan(0.2);
});

test('no step is found where there is none, in a flat series, or in a few values', () => {
  const noise = noiseOf(1);
  expect(findStep(Array.from({ length: 48 }, noise))).toBeUndefined();
  expect(findStep(Array<number>(48).fill(0.3))).toBeUndefined();
  expect(findStep([0, 0, 0, 0, 1, 1, 1, 1])).toBeUndefined();
});

test('a level that wanders by itself makes false steps in fewer than two of a hundred series', () => {
  let found = 0;
  for (let seed = 0; seed < 1000; seed++) {
    const noise = noiseOf(seed);
    let level = 0;
    const values = Array.from({ length: 48 }, () => (level = 0.5 * level + noise()));
    if (findStep(values) !== undefined) found++;
  }
  expect(found).toBeLessThan(20);
});
