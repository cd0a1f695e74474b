import { expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { newCounters } from './counters.ts';
import { countRefused, countSession, billion } from './session-sums.ts';

test('adds up sessions, their squares and their products with the turns', () => {
  const sums = newCounters().sessionSums;
  countSession(sums, { turns: 3, good: 2, attempts: 5, lostMs: ms(0.26), costNanos: 700 });
  countSession(sums, { turns: 4, good: 4, attempts: 4, lostMs: ms(2000.04), costNanos: 35 });
  expect(sums).toEqual({
    sessions: 2,
    turns: 7,
    turnsSquared: 25,
    good: 6,
    goodSquared: 20,
    goodByTurns: 22,
    attempts: 9,
    attemptsSquared: 41,
    attemptsByTurns: 31,
    lost: 2_000_300,
    lostSquaredBillions: 4000,
    lostSquaredRest: 160_069_200,
    lostByTurns: 8_000_940,
    costNanos: 735,
    refused: 0,
    asked: 7,
    askedSquared: 25,
    goodByAsked: 22,
  });
});

test('adds the turns of a session that was not created only to the requested ones', () => {
  const sums = newCounters().sessionSums;
  countSession(sums, { turns: 3, good: 2, attempts: 5, lostMs: ms(0), costNanos: 0 });
  countRefused(sums, 4);
  expect(sums).toMatchObject({
    sessions: 1,
    refused: 1,
    turns: 3,
    good: 2,
    asked: 7,
    askedSquared: 25,
    goodByAsked: 6,
  });
});

test('omits a session that sent no turn', () => {
  const sums = newCounters().sessionSums;
  countSession(sums, { turns: 0, good: 0, attempts: 0, lostMs: ms(0), costNanos: 0 });
  expect(sums).toEqual(newCounters().sessionSums);
});

test('remains an integer for sessions that lose hours, and exact to fifteen digits', () => {
  const sums = newCounters().sessionSums;
  const lostMs = ms(3_600_000.001);
  for (let number = 0; number < 1000; number++)
    countSession(sums, { turns: 5, good: 0, attempts: 9, lostMs, costNanos: 0 });
  expect(Object.values(sums).every(Number.isSafeInteger)).toBe(true);
  expect(sums.lost).toBe(3_600_000_001_000);
  const squared = sums.lostSquaredBillions * billion + sums.lostSquaredRest;
  expect(Math.abs(squared / (1000 * 3_600_000_001 ** 2) - 1)).toBeLessThan(1e-15);
});
