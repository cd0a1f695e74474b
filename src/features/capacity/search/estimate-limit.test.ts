import { expect, test } from 'vitest';
import { shownSteps } from '../test/shown-steps.ts';
import { closenessOf, farthest } from './estimate-limit.ts';

const meanStep = (share: number, low: number, high: number) => {
  const [shown] = shownSteps([{ load: 159, verdict: 'undecided' }]);
  if (shown === undefined) throw new Error('one step');
  const seen = { metric: 'turn.mean', condition: '< 25ms', actual: share, verdict: 'undecided' as const };
  return { ...shown.step, objectives: [{ ...seen, share, low, high, limit: 25 }] };
};

test('a mean with a negative lower bound estimates the limit, with a large error', () => {
  const { value, error } = closenessOf(meanStep(28.5, -50.6, 107.5)) ?? {};
  expect(value).toBeGreaterThan(-farthest);
  expect(value).toBeLessThan(farthest);
  expect(error).toBeGreaterThan(1);
});

test('bounds near the limit yield a small error', () => {
  const { value, error } = closenessOf(meanStep(26, 25.5, 26.5)) ?? {};
  expect(value).toBeCloseTo(Math.log(26 / 25), 2);
  expect(error).toBe(0.05);
});
