import { expect, test } from 'vitest';
import { aroundParabola } from './around-parabola.ts';

const times = [0, 1, 2, 4, 7, 8, 11, 12];

test('nothing is left of a parabola', () => {
  for (const left of aroundParabola(times.map((at) => ({ at, value: 3 - 0.4 * at + 0.05 * at * at }))))
    expect(left).toBeCloseTo(0, 12);
});

test('what is left of a series is what numpy.polyfit of degree 2 leaves', () => {
  const values = [3, 1, 4, 1, 5, 9, 2, 6];
  const truth = [
    1.3737753032068727, -1.3533744802681724, 1.0027047635489978, -3.035449666940017, 0.03153639201807401,
    3.8869897995885347, -3.0472758139467935, 1.1410937027925279,
  ];
  aroundParabola(times.map((at, index) => ({ at, value: values[index] ?? 0 }))).forEach((left, index) =>
    expect(left).toBeCloseTo(truth[index] ?? NaN, 9),
  );
});
