import { expect, test } from 'vitest';
import { objectiveOf } from '../../../test/support/capacity-models.ts';
import { poolSteps, type JudgedWindow } from './pool-steps.ts';

const objectives = [objectiveOf({ objective: 'turn.p95 < 2s' })];

const windowOf = (ratio: number, { standardError = 0.02, times = 30, whole = 1000 } = {}): JudgedWindow => ({
  errors: [{ ratio, whole, standardError, degrees: 30, correlation: 0 }],
  times,
});

const verdictOf = (...windows: JudgedWindow[]) => poolSteps(windows, objectives)?.verdict;

test('several steps show together what none of them shows alone', () => {
  const one = windowOf(0.02);
  expect(verdictOf(one)).toBe('undecided');
  expect(verdictOf(...Array.from({ length: 8 }, () => one))).toBe('holds');
  const over = windowOf(0.1, { standardError: 0.04 });
  expect(verdictOf(over)).toBe('undecided');
  expect(verdictOf(...Array.from({ length: 8 }, () => over))).toBe('broken');
});

test('lucky steps among others show nothing', () => {
  const lucky = windowOf(0.01, { standardError: 0.005 });
  expect(verdictOf(lucky, lucky)).toBe('holds');
  expect(verdictOf(lucky, lucky, windowOf(0.12), windowOf(0.08))).toBe('undecided');
});

test('steps that differ more than each of them wanders have the error of their difference', () => {
  const [low, high] = [0.001, 0.15].map((ratio) => windowOf(ratio, { standardError: 0.002, times: 100 }));
  if (low === undefined || high === undefined) throw new Error('two windows');
  expect(verdictOf(low, low, high)).toBe('undecided');
  expect(poolSteps([low, low, high], objectives)?.objectives[0]?.share).toBeCloseTo(0.0507, 3);
});

test('what holds is observed for sixty relaxation times altogether', () => {
  const short = windowOf(0.001, { standardError: 0.001, times: 20 });
  expect([verdictOf(short, short), verdictOf(short, short, short)]).toEqual(['undecided', 'holds']);
});

test('says nothing where an objective was not seen', () => {
  expect(poolSteps([{ errors: [null], times: 100 }], objectives)).toBeNull();
});
