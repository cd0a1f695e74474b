import { describe, expect, it } from 'vitest';
import { tickText, valueText } from './values.ts';

describe('valueText', () => {
  it('writes changes as the terminal does', () => {
    expect(valueText(0.0912, 'change')).toBe('+9.1 %');
    expect(valueText(-0.0012, 'points')).toBe('−0.12 pp');
  });
  it('writes a negative value with the unit of its size', () => {
    expect(valueText(-12, 'ms')).toBe('−12.0 ms');
    expect(valueText(-3.5, 'count')).toBe('−3.50');
  });
  it('has a symbol for missing values', () => {
    expect(valueText(null, 'share')).toBe('-');
  });
});

it('writes round values of an axis without digits that they do not have', () => {
  expect([0.05, 0, -0.2, 0.0005].map((value) => tickText(value, 'change'))).toEqual([
    '+5 %',
    '0 %',
    '−20 %',
    '+0.05 %',
  ]);
  expect(tickText(0.001, 'points')).toBe('+0.1 pp');
  expect(tickText(0.7, 'share')).toBe('70 %');
  expect([250, 50, 1500, 2.5].map((value) => tickText(value, 'ms'))).toEqual(['250 ms', '50 ms', '1.5 s', '2.5 ms']);
});
