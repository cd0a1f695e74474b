import { mean } from './mean.ts';
import type { Point } from './theil-sen.ts';

/** What is left of a series around the parabola of least squares: curvature is not autocorrelation. */
export function aroundParabola(points: readonly Point[]): number[] {
  const middle = mean(points.map(({ at }) => at));
  const x = points.map(({ at }) => at - middle);
  const squares = x.map((each) => each ** 2);
  // The polynomials of degree 1 and 2 that are orthogonal on these points: removing one leaves the other unchanged.
  const lean = dot(squares, x) / dot(x, x);
  const level = mean(squares);
  const bow = squares.map((square, at) => square - lean * (x[at] ?? 0) - level);
  const height = mean(points.map(({ value }) => value));
  const values = points.map(({ value }) => value - height);
  return without(without(values, x), bow);
}

function without(values: readonly number[], direction: readonly number[]): number[] {
  const share = dot(values, direction) / dot(direction, direction);
  return values.map((value, at) => value - share * (direction[at] ?? 0));
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
