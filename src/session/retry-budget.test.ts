import { expect, test } from 'vitest';
import { instant, ms } from '../base/time.ts';
import { RetryBudget } from './retry-budget.ts';

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

test('counts a retry from when it is granted: a storm of failures that all wait for their backoffs is held too', () => {
  const shared = budget();
  attempts(shared, 99, 0);
  const granted = Array.from({ length: 99 }, () => shared.grant(instant(50))).filter(Boolean);
  expect(granted).toHaveLength(20);
});

test('forgets what is before the window: attempts and retries both', () => {
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
