import { describe, expect, test } from 'vitest';
import { tQuantile } from './student-t.ts';

// Table values; 1000 degrees and more are all but the normal law.
describe("the quantile of Student's t law", () => {
  test.each([
    [0.975, 25, 2.0595],
    [0.975, 29, 2.0452],
    [0.975, 60, 2.0003],
    [0.975, 1e6, 1.96],
    [0.995, 30, 2.75],
    [0.9995, 40, 3.551],
    [0.9, 30, 1.3104],
    [0.5, 30, 0],
  ])('at %d with %d degrees of freedom is %d', (probability, degrees, table) => {
    expect(Math.abs(tQuantile(probability, degrees) - table)).toBeLessThan(0.0008);
    expect(tQuantile(1 - probability, degrees)).toBeCloseTo(-tQuantile(probability, degrees), 3);
  });
});
