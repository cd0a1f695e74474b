import { expect, test } from 'vitest';
import { instant, ms } from '../base/time.ts';
import { RetryBudget, backoffs } from './retry.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import { planFor } from '../../test/support/synthetic-run.ts';

const budget = (): RetryBudget => new RetryBudget({ share: 0.2, windowMs: ms(10_000) });

function attempts(shared: RetryBudget, count: number, at: number): void {
  for (let i = 0; i < count; i++) shared.attempt(instant(at));
}

test('grants retries up to their share of all attempts', () => {
  const shared = budget();
  attempts(shared, 8, 0);
  let retries = 0;
  for (let failure = 0; failure < 50; failure++) {
    if (!shared.grant(instant(100))) continue;
    shared.attempt(instant(100));
    retries += 1;
  }
  // 8 first attempts and 2 retries are 10 attempts: 2 is their fifth.
  expect(retries).toBe(2);
});

test('counts a retry when it is granted, so that failures waiting for their backoffs are limited too', () => {
  const shared = budget();
  attempts(shared, 99, 0);
  const granted = Array.from({ length: 99 }, () => shared.grant(instant(50))).filter(Boolean);
  expect(granted).toHaveLength(20);
});

test('forgets attempts and retries from before the window', () => {
  const shared = budget();
  attempts(shared, 9, 0);
  expect([shared.grant(instant(500)), shared.grant(instant(500)), shared.grant(instant(9000))]).toEqual([
    true,
    true,
    false,
  ]);
  attempts(shared, 9, 12_000);
  expect([shared.grant(instant(12_000)), shared.grant(instant(30_000))]).toEqual([true, false]);
});

const [policy] = planFor({ retry: { one: { base: '100ms', cap: '2s', factor: 2, jitter: 'none' } } }).retry;

/** The first backoffs when every draw is the same. */
function firstFour(jitter: RetryPolicy['jitter'], draw: number): number[] {
  if (policy === undefined) throw new Error('no policy');
  const next = backoffs({ ...policy, jitter }, () => draw);
  return [next(), next(), next(), next()];
}

// By the article's formulas: sleep = min(cap, random_between(base, 3 sleep)) is decorrelated jitter.
test.each<[RetryPolicy['jitter'], number, number[]]>([
  ['none', 0.5, [100, 200, 400, 800]],
  ['full', 0.5, [50, 100, 200, 400]],
  ['equal', 0.5, [75, 150, 300, 600]],
  ['decorrelated', 0, [100, 100, 100, 100]],
  ['decorrelated', 0.5, [200, 350, 575, 912.5]],
  ['decorrelated', 1, [300, 900, 2000, 2000]],
])('backoffs of %s jitter follow the formula when every draw is %d', (jitter, draw, expected) => {
  expect(firstFour(jitter, draw)).toEqual(expected);
});
