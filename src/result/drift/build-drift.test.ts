import { expect, test } from 'vitest';
import { driftOf } from '../../../test/support/drifting-run.ts';

const minute = 60_000;
const comparedBy = (minutes: number): number =>
  driftOf({ seed: 1, memory: 0, intervals: minutes, intervalMs: minute, turnsPerInterval: 5 }).compareMs;

test('the first and last hour are compared from two hours on, otherwise the first and last fifth', () => {
  expect([comparedBy(119), comparedBy(120), comparedBy(150)]).toEqual([(119 / 5) * minute, 60 * minute, 60 * minute]);
});
