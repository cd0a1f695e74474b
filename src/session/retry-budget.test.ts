import { expect, test } from 'vitest';
import { instant, ms } from '../base/time.ts';
import { RetryBudget } from './retry-budget.ts';

const budget = (): RetryBudget => new RetryBudget({ share: 0.2, windowMs: ms(10_000) });

test('allows retries up to their share of all attempts', () => {
  const shared = budget();
  for (let i = 0; i < 8; i++) shared.attempt(instant(i), false);
  let retries = 0;
  while (shared.allows(instant(100))) {
    shared.attempt(instant(100), true);
    retries += 1;
  }
  // 8 first attempts and 2 retries are 10 attempts: 2 is their fifth.
  expect(retries).toBe(2);
});

test('forgets what lies behind the window: attempts and retries both', () => {
  const shared = budget();
  for (let i = 0; i < 8; i++) shared.attempt(instant(0), false);
  shared.attempt(instant(500), true);
  shared.attempt(instant(500), true);
  expect(shared.allows(instant(9000))).toBe(false);
  for (let i = 0; i < 8; i++) shared.attempt(instant(12_000), false);
  expect([shared.allows(instant(12_000)), shared.allows(instant(30_000))]).toEqual([true, false]);
});
