import { expect, test } from 'vitest';
import { coreNeedsOf } from './core-needs.ts';

const needs = (peakTurnsPerSecond: number | null, peakTurnsInFlight: number, measured?: number) => {
  const { cores, by } = coreNeedsOf({ peakTurnsPerSecond, peakTurnsInFlight }, measured);
  return [cores, by];
};

test.each([
  ['nothing much', 130, 13, 1, 'turnsPerSecond'],
  ['three quarters of the rate of a process', 37_500, 9000, 1, 'turnsPerSecond'],
  ['a little more', 37_501, 9000, 2, 'turnsPerSecond'],
  ['as many turns in flight as a process keeps', 100, 10_000, 1, 'turnsPerSecond'],
  ['many turns in flight at a slow pace', 1000, 45_000, 5, 'turnsInFlight'],
])('a load of %s needs the processes for its rate or its turns in flight', (_, rate, flight, cores, by) => {
  expect(needs(rate, flight)).toEqual([cores, by]);
});

test('the rate measured on this machine takes precedence over the usual one', () => {
  expect(needs(37_500, 10, 25_000)).toEqual([2, 'turnsPerSecond']);
  expect(coreNeedsOf({ peakTurnsPerSecond: 1, peakTurnsInFlight: 1 }, 25_000)).toMatchObject({
    processTurnsPerSecond: 25_000,
    measured: true,
  });
});

test('the number is unknown if the service sets the pace, unless the turns in flight alone are too many', () => {
  expect(needs(null, 50)[0]).toBeNull();
  expect(needs(null, 20_001)).toEqual([3, 'turnsInFlight']);
});
