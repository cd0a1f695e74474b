import { describe, expect, test } from 'vitest';
import { climb } from '../../test/support/climb.ts';
import { ceilingOf, endAfter, limitOf, type CeilingStep, type TargetCeiling } from './target-ceiling.ts';

describe('the ceiling of a target', () => {
  test('is reached when two consecutive steps show no growth', () => {
    const steps = climb([100, 200, 390, 400, 395]);
    expect(endAfter(steps.slice(0, 4))).toBeUndefined();
    expect(endAfter(steps)).toBe('no_growth');
    expect(ceilingOf(steps, 'no_growth')).toEqual({
      turnsPerSecond: 400,
      connections: 4,
      reached: true,
      reason: 'no_growth',
    });
  });

  test('is not reached while a step still shows growth', () => {
    const steps = climb([100, 200, 400]);
    expect(endAfter(steps)).toBeUndefined();
    expect(endAfter(climb([100, 106, 112]))).toBeUndefined();
    expect(ceilingOf(steps, 'most_connections')).toMatchObject({ reached: false, reason: 'most_connections' });
  });

  test('is reached at the last step if that step showed no growth', () => {
    expect(ceilingOf(climb([100, 200, 203]), 'most_connections')).toMatchObject({ reached: true, reason: 'no_growth' });
  });

  test('is unknown of a target that outruns this process', () => {
    const steps = climb([100, 200, 200, 200], { cpuShare: 0.97 });
    expect(ceilingOf(steps, 'no_growth')).toMatchObject({ reached: false, reason: 'sender_busy' });
  });

  test('is unknown if no turn was ok', () => {
    expect(ceilingOf(climb([0, 0]), 'failures')).toBeUndefined();
    expect(ceilingOf([], 'sessions_refused')).toBeUndefined();
  });
});

describe('failures', () => {
  const failing = (ok: number, failed: number): CeilingStep[] =>
    climb([9], { ok, classes: { ok, rate_limited: failed } });

  test('end the measurement when more than a tenth of the turns fail', () => {
    expect(endAfter(failing(88, 12))).toBe('failures');
    expect(endAfter(failing(92, 8))).toBeUndefined();
    expect(ceilingOf(failing(88, 12), 'failures')).toMatchObject({ reached: true, reason: 'failures' });
  });

  test('do not end it by a single turn of a few', () => {
    expect(endAfter(failing(3, 2))).toBeUndefined();
  });
});

describe('the side that a load is near', () => {
  const target = (turnsPerSecond: number, reason: TargetCeiling['reason'] = 'no_growth') => ({
    turnsPerSecond,
    reached: reason === 'no_growth',
    reason,
  });

  test('is neither up to three quarters of both', () => {
    expect(limitOf(375, target(500), 60_000)).toBe('neither');
    expect(limitOf(376, target(500), 60_000)).toBe('target');
    expect(limitOf(375, target(500, 'most_connections'), 60_000)).toBe('neither');
  });

  test('is the lower one for a load without a bound', () => {
    expect(limitOf(Infinity, target(500), 60_000)).toBe('target');
    expect(limitOf(Infinity, target(70_000), 60_000)).toBe('machine');
  });

  test('is unknown beyond the rate of a target whose ceiling was not reached, unless the machine has less', () => {
    expect(limitOf(501, target(500, 'turns_spent'), 60_000)).toBe('unknown');
    expect(limitOf(65_000, target(70_000, 'most_connections'), 60_000)).toBe('machine');
  });
});
