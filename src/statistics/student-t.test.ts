import { describe, expect, test } from 'vitest';
import { fQuantile, tQuantile, tTail } from './student-t.ts';

/** Relative error of a figure. */
const offBy = (figure: number, truth: number): number => Math.abs(figure / truth - 1);

// From mpmath with 40 digits, and equal to scipy.stats.t to 13 digits.
describe("the quantile of Student's t distribution", () => {
  test.each([
    [0.975, 1, 12.706204736174694],
    [0.975, 1.5, 6.016663104427928],
    [0.975, 2, 4.302652729749462],
    [0.6, 2.5, 0.2814595127485476],
    [0.8, 3, 0.9784723123633047],
    [0.999999999, 4, 234.02761206090787],
    [0.9999, 5, 9.677566300882814],
    [0.51, 6, 0.02613135967389268],
    [0.975, 6, 2.4469118511449692],
    [0.95, 8, 1.8595480375308977],
    [0.99375, 14, 2.863994028279964],
    [0.975, 25, 2.0595385527532972],
    [0.995, 30, 2.749995653567225],
    [0.9995, 40, 3.5509657608633494],
    [0.999, 12345.6, 3.090892600066513],
    [0.975, 1e6, 1.9599663568141066],
  ])('at %d with %d degrees of freedom', (probability, degrees, truth) => {
    expect(offBy(tQuantile(probability, degrees), truth)).toBeLessThan(1e-12);
    expect(offBy(-tQuantile(1 - probability, degrees), truth)).toBeLessThan(1e-9);
  });

  test('keeps its digits far down', () => {
    expect(offBy(tQuantile(1e-12, 20), -15.151149592103092)).toBeLessThan(1e-12);
    expect(offBy(tQuantile(1e-30, 9), -5149.440280163215)).toBeLessThan(1e-12);
  });

  test('is the normal quantile with infinite degrees of freedom', () => {
    expect(tQuantile(0.975, Infinity)).toBeCloseTo(1.959963984540054, 12);
    expect(tTail(1.959963984540054, Infinity)).toBeCloseTo(0.025, 12);
    expect(tTail(-1, Infinity)).toBeCloseTo(0.8413447460685429, 12);
  });

  test('is 0 at the median', () => expect(tQuantile(0.5, 30)).toBe(0));
});

describe("the upper tail of Student's t distribution", () => {
  test.each([
    [1, 1, 0.25],
    [2, 1, 0.14758361765043326],
    [1, 2, 0.21132486540518713],
    [1e-6, 3, 0.49999963244740303],
    [12, 3.7, 0.0002133936996906225],
    [3, 4, 0.019970984035859413],
    [40, 6, 8.159180465271234e-9],
    [-1.5, 7.5, 0.9127597147067679],
    [2.2281389, 10, 0.02499999796493908],
    [1.2, 29.5, 0.11984402306715022],
    [8, 100, 1.1364324038640403e-12],
    [30, 1000, 7.687343722021741e-142],
    [5, 1e5, 2.8713508393208365e-7],
    [1.96, 1e6, 0.024998033792634895],
  ])('above %d with %d degrees of freedom', (t, degrees, truth) =>
    expect(offBy(tTail(t, degrees), truth)).toBeLessThan(1e-12),
  );

  test('is 1/2 at 0 and 0 at infinity', () => {
    expect(tTail(0, 5)).toBe(0.5);
    expect(tTail(Infinity, 5)).toBe(0);
    expect(tTail(-Infinity, 5)).toBe(1);
  });

  test.each([1, 2, 3, 7, 26, 400])('undoes the quantile with %d degrees of freedom', (degrees) => {
    for (let probability = 0.02; probability < 1; probability += 0.02)
      expect(tTail(tQuantile(probability, degrees), degrees)).toBeCloseTo(1 - probability, 12);
  });
});

// From scipy.stats.f.ppf.
test.each([
  [0.99, 8, 6, 8.1016513667387],
  [0.99, 8, 10, 5.0566931317444155],
  [0.99, 1, 6, 13.74502253330417],
  [0.99, 4, 6, 9.14830103022785],
  [0.99, 18, 6, 7.450662666602626],
  [0.99, 198, 6, 6.93411899503177],
  [0.99, 2.5, 7.5, 8.425275621197798],
  [0.95, 3, 20, 3.098391212140781],
  [0.9999, 2, 3, 694.7383250419676],
  [0.999, 1, 5, 47.18077921641327],
  [0.5, 10, 10, 1],
  [0.01, 5, 7, 0.09564334161690896],
])("Fisher's F stays with probability %d, (%d, %d) degrees of freedom", (probability, degrees1, degrees2, truth) =>
  expect(Math.abs(fQuantile(probability, degrees1, degrees2) / truth - 1)).toBeLessThan(1e-12),
);
