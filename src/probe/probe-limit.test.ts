import { describe, expect, test } from 'vitest';
import type { TargetCeiling } from './probe-ceiling.ts';
import { limitOf, suggest, type ProbeSides } from './probe-limit.ts';

const sides = (target: number, generator: number, reason: TargetCeiling['reason'] = 'no_growth'): ProbeSides => ({
  target: {
    turnsPerSecond: target,
    reached: reason === 'no_growth' || reason === 'failures',
    reason,
    connections: 8,
    knee: { connections: 4, turnsPerSecond: target, replyMs: 4000 / target },
  },
  generator: { turnsPerSecond: generator },
});

describe('the limiting side', () => {
  test('is the one with the lower ceiling when nothing bounds the demand', () => {
    expect(limitOf(sides(500, 60_000), Infinity)).toBe('target');
    expect(limitOf(sides(70_000, 60_000), Infinity)).toBe('generator');
  });

  test('is neither if both can sustain the requested load', () => {
    expect(limitOf(sides(500, 60_000), 499)).toBe('neither');
    expect(limitOf(sides(500, 60_000), 501)).toBe('target');
    expect(limitOf(sides(500, 60_000, 'most_connections'), 499)).toBe('neither');
  });

  test('is unknown beyond the observed rate of a target, unless the generator reaches its limit first', () => {
    expect(limitOf(sides(500, 60_000, 'most_connections'), 501)).toBe('unknown');
    expect(limitOf(sides(500, 60_000, 'turns_spent'), Infinity)).toBe('unknown');
    expect(limitOf(sides(70_000, 60_000, 'most_connections'), 65_000)).toBe('generator');
  });

  test('is the generator when it had no processor time left', () => {
    expect(limitOf(sides(50_000, 60_000, 'generator_busy'), Infinity)).toBe('generator');
    expect(limitOf(sides(50_000, 60_000, 'generator_busy'), 40_000)).toBe('neither');
  });
});

describe('a suggestion', () => {
  const session = { turnsPerSession: 5, sessionMsAtKnee: 10_000 };

  test('keeps the knee’s turns in progress by Little’s law', () => {
    expect(suggest(sides(500, 60_000), session)).toMatchObject({ turnsInFlight: 4, concurrency: 1000 });
  });

  test('leaves a quarter of the lower ceiling', () => {
    expect(suggest(sides(500, 60_000), session)).toMatchObject({ turnsPerSecond: 375, sessionsPerSecond: 75 });
    expect(suggest(sides(500, 100), session)).toMatchObject({ turnsPerSecond: 75, sessionsPerSecond: 15 });
  });
});
