import { describe, expect, test } from 'vitest';
import type { Step, StepFigures } from '../document/step.ts';
import { checkLittlesLaw, dailyLoad, findKnee, reasonOf } from './build-capacity.ts';

const figures: StepFigures = {
  turnsPerSecond: 20,
  sessionsPerSecond: 5,
  turnP50Ms: 80,
  turnP95Ms: 200,
  turnMeanMs: 100,
  sessionMeanMs: 2000,
  sessionsLive: 10,
  turnsInFlight: 2,
  failedShare: 0,
  amplification: 1,
  failedAttempts: {},
  failedCreations: {},
};

const stepOf = (load: number, more: Partial<StepFigures>, of: Partial<Step> = {}): Step => ({
  number: load,
  load,
  purpose: 'climb',
  verdict: 'holds',
  reason: '',
  isSaturated: false,
  settledMs: 0,
  elapsedMs: 1000,
  sent: 100,
  sessions: 20,
  objectives: [],
  figures: { ...figures, ...more },
  ...of,
});

test('the reason of an outcome is a warning, unless the outcome states it', () => {
  expect(reasonOf({ outcome: 'stopped', reason: 'the target is gone' })).toEqual(['the target is gone']);
  expect(reasonOf({ outcome: 'interrupted', reason: 'a signal stopped it' })).toEqual([]);
});

describe('the knee', () => {
  test('has the best ratio of turns per second to mean latency: with two servers, when both are just busy', () => {
    // Throughput min(n, 2) / 0.1 s, latency max(1, n / 2) * 0.1 s: power rises up to n = 2 and then falls.
    const curve = [1, 2, 4, 8].map((n) =>
      stepOf(n, { turnsPerSecond: Math.min(n, 2) / 0.1, turnMeanMs: Math.max(1, n / 2) * 100 }),
    );
    expect(findKnee(curve)).toEqual({ load: 2, turnsPerSecond: 20, turnMeanMs: 100 });
    expect(findKnee(curve.toReversed())?.load).toBe(2);
  });

  test('is unknown if the highest load has the most power: the bend lies beyond it', () => {
    const light = [1, 2, 4].map((n) => stepOf(n, { turnsPerSecond: n * 20, turnMeanMs: 50 }));
    expect(findKnee(light)).toBeNull();
    expect(findKnee([...light, stepOf(8, { turnsPerSecond: 80, turnMeanMs: 100 })])?.load).toBe(4);
  });

  test('is not a step without evidence, without turns, or of a recovery', () => {
    const best = { turnsPerSecond: 1000, turnMeanMs: 1 };
    const kept = [1, 2, 3].map((load) => stepOf(load, { turnsPerSecond: 10 / load }));
    const kneeBeside = (step: Step) => findKnee([...kept, step])?.load;
    expect(kneeBeside(stepOf(2.5, best))).toBe(2.5);
    expect(kneeBeside(stepOf(2.5, best, { verdict: 'no_evidence' }))).toBe(1);
    expect(kneeBeside(stepOf(2.5, best, { purpose: 'recover' }))).toBe(1);
    expect(kneeBeside(stepOf(2.5, { ...best, turnsPerSecond: null }))).toBe(1);
    expect(kneeBeside(stepOf(2.5, { ...best, turnMeanMs: null }))).toBe(1);
  });

  test('is not a step whose turns fail fast, and is unknown with only two loads', () => {
    const kept = [1, 2, 3].map((load) => stepOf(load, { turnsPerSecond: 10 / load }));
    expect(findKnee([...kept, stepOf(4, { turnsPerSecond: 1000, turnMeanMs: 1, failedShare: 0.06 })])?.load).toBe(1);
    expect(findKnee([stepOf(1, {}), stepOf(2, {}), stepOf(2, {})])).toBeNull();
    expect(findKnee([])).toBeNull();
  });
});

describe('Little’s law', () => {
  test('has as many live sessions as arrive per second times their duration, within 10 %', () => {
    expect(checkLittlesLaw(figures)).toEqual({ sessionsLive: 10, product: 10, agrees: true });
    expect(checkLittlesLaw({ ...figures, sessionsPerSecond: 5.4 })?.agrees).toBe(true);
    expect(checkLittlesLaw({ ...figures, sessionsPerSecond: 5.6 })?.agrees).toBe(false);
    expect(checkLittlesLaw({ ...figures, sessionsPerSecond: 4.4 })?.agrees).toBe(false);
  });

  test.each(['sessionsLive', 'sessionsPerSecond', 'sessionMeanMs'] as const)('is absent without %s', (name) => {
    expect(checkLittlesLaw({ ...figures, [name]: null })).toBeNull();
  });
});

describe('the load of a day', () => {
  test('uses 80 % of the capacity in its peak hour, which has a tenth of the traffic', () => {
    // 5 per second are 18,000 per hour; 14,400 of these are a tenth of 144,000.
    expect(dailyLoad(figures)).toMatchObject({ sessions: 144_000, turns: 576_000 });
  });

  test('is not known if no session ended', () => {
    expect(dailyLoad({ ...figures, sessionsPerSecond: null })).toBeNull();
    expect(dailyLoad({ ...figures, sessionsPerSecond: 0 })).toBeNull();
  });
});
