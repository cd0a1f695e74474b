import { describe, expect, test } from 'vitest';
import { ms } from '../../../base/time.ts';
import { idleTime, keepAliveSeconds } from './response-reading.ts';

describe('the idle limit of a connection', () => {
  test.each([
    [undefined, 4000],
    [72, 4000],
    [5, 4000],
    [4, 3000],
    [3, 2000],
    [2, 1000],
    [1, 500],
    [0, 0],
  ])('with %s seconds announced is %s ms of 4000', (announced, expected) => {
    expect(idleTime(announced, ms(4000))).toBe(expected);
  });
});

describe('the time in a Keep-Alive header', () => {
  test.each([
    ['timeout=5', 5],
    ['timeout=5, max=100', 5],
    ['max=100, Timeout = 7', 7],
    ['timeout="9"', 9],
    ['max=100', undefined],
    ['timeout=', undefined],
    ['xtimeout=5', undefined],
    ['', undefined],
  ])('of %j is %s', (value, expected) => {
    expect(keepAliveSeconds(value)).toBe(expected);
  });
});
