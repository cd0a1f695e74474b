import { describe, expect, test } from 'vitest';
import {
  formatChange,
  formatExtent,
  formatFigure,
  formatMargin,
  formatP,
  formatRange,
  formatSides,
} from './format-change.ts';

describe('a change', () => {
  test.each([
    [0.1234, 'ms', '+12.3 %'],
    [-0.031, 'ms', '−3.1 %'],
    [0.0004, 'ms', '0.0 %'],
    [-0.0004, 'ms', '0.0 %'],
    [1.4812, 'ms', '+148 %'],
    [21.5, 'ms', '+2,150 %'],
    [0.00123, 'share', '+0.12 pp'],
    [-0.123, 'share', '−12.3 pp'],
    [null, 'ms', '-'],
  ] as const)('of %s in %s reads %s', (change, unit, text) => {
    expect(formatChange(change, unit)).toBe(text);
  });

  test('has an interval in the same unit, without plus signs', () => {
    expect(formatRange({ low: -0.012, high: 0.141 }, 'perSecond')).toBe('−1.2 to 14.1');
    expect(formatRange({ low: -0.0004, high: 0.0006 }, 'share')).toBe('−0.04 to 0.06');
    expect(formatRange(null, 'ms')).toBe('-');
  });

  test('has no direction if it is only the detectable size', () => {
    expect(formatExtent(0.182, 'ms')).toBe('18.2 %');
    expect(formatExtent(null, 'ms')).toBe('-');
  });
});

test.each([
  // The mean of 3 and 3 on a logarithmic scale.
  [2, Math.exp(Math.log(3)), 'count', '2', '3'],
  [2, 2.09, 'count', '2.00', '2.09'],
  [1200, 1200.4, 'count', '1,200', '1,200'],
  [22, 22.52, 'perSecond', '22.0/s', '22.5/s'],
  [0.5, null, 'ms', '500 µs', '-'],
] as const)('sides of %s and %s in %s are formatted alike', (base, head, unit, ...texts) => {
  expect(formatSides(base, head, unit)).toEqual(texts);
});

test.each([
  [0.1, 'ms', '10 %'],
  [0.07, 'ms', '7 %'],
  [0.001, 'share', '0.1 pp'],
] as const)('a margin of %s is formatted as given', (margin, unit, text) => {
  expect(formatMargin(margin, unit)).toBe(text);
});

test.each([
  [0.0000001, '<0.001'],
  [0.0341, '0.034'],
  [1, '1.000'],
  [null, '-'],
] as const)('a p of %s reads %s', (p, text) => {
  expect(formatP(p)).toBe(text);
});

test.each([
  [1210, 'ms', '1.21 s'],
  [0.0032, 'share', '0.32 %'],
  [68.2, 'perSecond', '68.2/s'],
  [1.03, 'ratio', '1.030'],
  [12.5, 'ratio', '12.5'],
  [48, 'count', '48'],
  [null, 'ms', '-'],
] as const)('a figure of %s in %s reads %s', (value, unit, text) => {
  expect(formatFigure(value, unit)).toBe(text);
});
