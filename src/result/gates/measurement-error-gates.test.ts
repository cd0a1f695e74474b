import { describe, expect, test } from 'vitest';
import { actualText } from '../../report/run/gate-section.ts';
import { failsWithinError, type GateVerdict } from './gates.ts';

const gate = (changed: Partial<GateVerdict>): GateVerdict => ({
  metric: 'turn.p95',
  condition: '< 400ms',
  unit: 'ms',
  limit: 400,
  actual: 412,
  infinite: false,
  confident: false,
  interval: null,
  errorMs: 38,
  verdict: 'fail',
  reason: null,
  ...changed,
});

describe('a gate that fails', () => {
  test('states that its limit lies within the measurement error', () => {
    expect(failsWithinError(gate({}))).toBe(true);
    expect(actualText(gate({}))).toBe('~374-412 ms; the limit is within the measurement error of 38.0 ms');
  });

  test.each<[string, Partial<GateVerdict>]>([
    ['beyond the error', { actual: 450 }],
    ['without a known error', { errorMs: null }],
    ['that passed', { actual: 390, verdict: 'pass' }],
    ['on a minimum', { condition: '> 500ms', limit: 500 }],
    ['without a value', { actual: null }],
  ])('does not state it for a gate %s', (_, changed) => {
    expect(failsWithinError(gate(changed))).toBe(false);
    expect(actualText(gate(changed))).not.toContain('within the measurement error');
  });
});
