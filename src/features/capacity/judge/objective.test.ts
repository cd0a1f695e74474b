import { describe, expect, test } from 'vitest';
import { readObjectives } from './objective.ts';

function only(text: string) {
  const read = readObjectives([text]);
  return read.problems === undefined ? read.objectives[0] : undefined;
}

const problemOf = (text: string): string => {
  const read = readObjectives([text]);
  return read.problems?.join() ?? '';
};

describe('an objective', () => {
  test('on a percentile breaks at a share of slower values', () => {
    expect(only('turn.p95 < 2s')).toMatchObject({
      metric: 'turn.p95',
      condition: '< 2s',
      limit: 2000,
      share: { limit: 0.05 },
    });
    expect(only('turn.p99.9<=500ms')?.share.limit).toBe(0.001);
  });

  test('on a share that should be large judges the complement', () => {
    expect(only('goodput.share > 95%')?.share.limit).toBeCloseTo(0.05);
  });

  test('on a count allows whole ones', () => {
    expect(only('integrity.failed < 1')?.share).toMatchObject({ kind: 'count', limit: 0 });
    expect(only('turns.failed <= 3')?.share.limit).toBe(3);
  });

  test('on amplification judges the excess over one attempt per turn', () => {
    const share = only('retries.amplification < 1.1')?.share;
    expect(share?.limit).toBeCloseTo(0.1);
    expect(share?.figureOf(0.2)).toBeCloseTo(1.2);
  });
});

describe('no objective', () => {
  test.each([
    ['turn.p96 < 2s', 'did you mean'],
    ['rates.turnsPerSecond > 5', 'which the search varies'],
    ['validity >= valid', 'describes the measurement'],
    ['drift.turn.p95 < 2%/h', 'for hours'],
    ['turn.max < 2s', 'turn.p99'],
    ['turn.p95 > 2s', 'would be no highest load'],
    ['turns.failedShare < 0%', 'turns.failed < 1'],
    ['lateness.p95 < 2ms', 'of the generator'],
    ['turn.p95', 'expected a metric and its limit'],
    ['turn.p95 < soon', 'expected a condition such as'],
    ['turns.unansweredShare < 1%', 'only known after a run has ended'],
  ])('is %s', (text, why) => {
    expect(problemOf(text)).toContain(why);
  });

  test('is repeated, or absent', () => {
    expect(readObjectives(['turn.p95 < 2s', 'turn.p95 < 3s']).problems?.join()).toContain('limited twice');
    expect(readObjectives([]).problems?.join()).toContain('no objective');
  });
});
