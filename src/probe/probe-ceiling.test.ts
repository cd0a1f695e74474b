import { describe, expect, test } from 'vitest';
import { ceilingOf, endAfter } from './probe-ceiling.ts';
import type { LoadFigures, ProbeStep } from './probe.ts';

const load = (turnsPerSecond: number, over: Partial<LoadFigures> = {}): LoadFigures => ({
  turnsPerSecond,
  sent: 100,
  ok: 100,
  classes: { ok: 100 },
  cpuShare: 0.2,
  elapsedMs: 1000,
  example: null,
  ...over,
});

/** Steps at 1, 2, 4, ... connections with these rates. */
const climb = (rates: readonly number[], over: Partial<LoadFigures> = {}): ProbeStep[] =>
  rates.map((rate, index) => ({ connections: 2 ** index, autocannon: load(rate / 2), chatLoad: load(rate, over) }));

describe('the ceiling of a target', () => {
  test('is reached when two consecutive steps show no growth', () => {
    const steps = climb([100, 200, 390, 400, 395]);
    expect(endAfter(steps.slice(0, 4))).toBeUndefined();
    expect(endAfter(steps)).toBe('no_growth');
    expect(ceilingOf(steps, 'no_growth')).toEqual({
      turnsPerSecond: 400,
      reached: true,
      reason: 'no_growth',
      connections: 8,
      knee: { connections: 4, turnsPerSecond: 390, replyMs: (4 * 1000) / 390 },
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

  test('is unknown of a target that outruns the generator', () => {
    const steps = climb([100, 200, 200, 200], { cpuShare: 0.97 });
    expect(ceilingOf(steps, 'no_growth')).toMatchObject({ reached: false, reason: 'generator_busy' });
  });

  test('is reached if autocannon was at its limit, but chat-load was not', () => {
    const steps = climb([100, 200, 200, 200]).map((step) => ({ ...step, autocannon: load(201, { cpuShare: 1 }) }));
    expect(ceilingOf(steps, 'no_growth')).toMatchObject({ reached: true, turnsPerSecond: 201 });
  });

  test('takes the better of the two loads, whichever it is', () => {
    const steps: ProbeStep[] = [
      { connections: 1, autocannon: load(300), chatLoad: load(10) },
      { connections: 2, autocannon: null, chatLoad: load(310) },
      { connections: 4, autocannon: load(50), chatLoad: null },
    ];
    expect(ceilingOf(steps, 'no_growth')).toMatchObject({ turnsPerSecond: 310, knee: { connections: 1 } });
  });

  test('is unknown if no turn was ok', () => {
    expect(ceilingOf(climb([0, 0]), 'failures')).toBeUndefined();
    expect(ceilingOf([], 'signal')).toBeUndefined();
  });
});

describe('failures', () => {
  const failing = (ok: number, failed: number): ProbeStep[] => [
    { connections: 1, autocannon: load(1), chatLoad: load(1, { ok, classes: { ok, rate_limited: failed } }) },
  ];

  test('end a probe when more than a tenth of the turns fail', () => {
    expect(endAfter(failing(88, 12))).toBe('failures');
    expect(endAfter(failing(92, 8))).toBeUndefined();
  });

  test('do not end a probe by a single turn of a few', () => {
    expect(endAfter(failing(3, 2))).toBeUndefined();
  });

  test('of autocannon’s load end it as well', () => {
    const steps = failing(100, 0).map((step) => ({
      ...step,
      autocannon: load(9, { ok: 10, classes: { ok: 10, server_error: 90 } }),
    }));
    expect(endAfter(steps)).toBe('failures');
    expect(ceilingOf(steps, 'failures')).toMatchObject({ turnsPerSecond: 9, reached: true, reason: 'failures' });
  });
});
