import { expect, test } from 'vitest';
import type { RetryPolicy } from '../plan/plan.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { backoffs } from './backoff.ts';

const [policy] = planFor({ retry: { one: { base: '100ms', cap: '2s', factor: 2, jitter: 'none' } } }).retry;

/** The first backoffs when every draw is the same. */
function firstFour(jitter: RetryPolicy['jitter'], draw: number): number[] {
  if (policy === undefined) throw new Error('no policy');
  const next = backoffs({ ...policy, jitter }, () => draw);
  return [next(), next(), next(), next()];
}

// By the article's formulas: sleep = min(cap, random_between(base, 3 sleep)) is that of decorrelated jitter.
test.each<[RetryPolicy['jitter'], number, number[]]>([
  ['none', 0.5, [100, 200, 400, 800]],
  ['full', 0.5, [50, 100, 200, 400]],
  ['equal', 0.5, [75, 150, 300, 600]],
  ['decorrelated', 0, [100, 100, 100, 100]],
  ['decorrelated', 0.5, [200, 350, 575, 912.5]],
  ['decorrelated', 1, [300, 900, 2000, 2000]],
])('backoffs of %s jitter are those of the formula when every draw is %d', (jitter, draw, expected) => {
  expect(firstFour(jitter, draw)).toEqual(expected);
});
