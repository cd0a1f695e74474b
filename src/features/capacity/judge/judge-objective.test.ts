import { randomBinomial } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { randomOf } from '../../../base/random.ts';
import { objectiveOf } from '../test/capacity-models.ts';
import { judgeCount, judgeObjective, poolSteps, type JudgedWindow } from './judge-objective.ts';

const asked = { alpha: 0.01, minBatches: 40, correlation: 0 };
const p95 = objectiveOf({ objective: 'turn.p95 < 2s' });
const amplification = objectiveOf({ objective: 'retries.amplification < 1.1' });

/** Seconds of 100 turns, each beyond the limit with the same probability. */
function drawParts(share: number, { seconds, seed }: { seconds: number; seed: number }) {
  const draw = randomBinomial.source(randomOf(seed))(100, share);
  return Array.from({ length: seconds }, () => ({ part: draw(), whole: 100 }));
}

const verdicts = (share: number, seconds: number): string[] =>
  Array.from(
    { length: 400 },
    (_, seed) => judgeObjective(p95, drawParts(share, { seconds, seed }), asked).seen.verdict,
  );
const countOf = (all: readonly string[], verdict: string): number => all.filter((each) => each === verdict).length;

describe('the possible share of turns beyond a limit, by one evaluation', () => {
  test('at its limit, about 1 of 100 evaluations reports holds, and 1 broken', () => {
    const all = verdicts(0.05, 80);
    expect(countOf(all, 'undecided')).toBeLessThan(400);
    expect(countOf(all, 'holds')).toBeLessThan(14);
    expect(countOf(all, 'broken')).toBeLessThan(14);
  });

  test('well below it holds, well above it is broken', () => {
    expect(countOf(verdicts(0.03, 80), 'holds')).toBeGreaterThan(390);
    expect(countOf(verdicts(0.08, 80), 'broken')).toBeGreaterThan(390);
  });

  test('correlated seconds are weaker evidence', () => {
    const parts = drawParts(0.05, { seconds: 20, seed: 1 }).flatMap((part) => [part, part, part, part]);
    const spread = ({ low, high }: { low: number | null; high: number | null }): number => (high ?? 0) - (low ?? 0);
    const same = judgeObjective(p95, parts, asked);
    const other = judgeObjective(p95, drawParts(0.05, { seconds: 80, seed: 1 }), asked);
    expect(spread(same.seen)).toBeGreaterThan(1.4 * spread(other.seen));
  });

  test('of none observed, this number of turns is possible', () => {
    const none = Array.from({ length: 40 }, () => ({ part: 0, whole: 10 }));
    const { high } = judgeObjective(p95, none, asked).seen;
    expect(high).toBeGreaterThanOrEqual(1 - 0.01 ** (1 / 400));
    expect(high).toBeLessThan(1.2 * (1 - 0.01 ** (1 / 400)));
  });
});

describe('attempts beyond one per turn', () => {
  test('without any event, the rule of three bounds their share', () => {
    const none = Array.from({ length: 40 }, () => ({ part: 0, whole: 1 }));
    expect(judgeObjective(amplification, none, asked).seen).toMatchObject({
      verdict: 'undecided',
      high: -Math.log(0.01) / 40,
    });
  });

  test('even intervals are not more certain than chance allows', () => {
    const even = Array.from({ length: 40 }, () => ({ part: 1, whole: 20 }));
    const { low, high } = judgeObjective(amplification, even, asked).seen;
    expect((high ?? 0) - (low ?? 0)).toBeGreaterThan(4 * Math.sqrt(0.05 / 800));
  });
});

describe('a share that must not be exceeded', () => {
  const objective = objectiveOf({ objective: 'integrity.failed < 1' });
  test.each([
    [{ part: 0, whole: 10 }, 'holds'],
    [{ part: 1, whole: 10 }, 'broken'],
    [{ part: 0, whole: 0 }, 'undecided'],
  ])('%j: %s', (sum, verdict) => {
    expect(judgeCount(objective, sum).seen.verdict).toBe(verdict);
  });
});

const objectives = [objectiveOf({ objective: 'turn.p95 < 2s' })];

const windowOf = (ratio: number, { standardError = 0.02, times = 30, whole = 1000 } = {}): JudgedWindow => ({
  errors: [{ ratio, whole, standardError, degrees: 30, correlation: 0 }],
  times,
});

const verdictOf = (...windows: JudgedWindow[]) => poolSteps(windows, objectives)?.verdict;

test('several steps together are evidence even if no single step is', () => {
  const one = windowOf(0.02);
  expect(verdictOf(one)).toBe('undecided');
  expect(verdictOf(...Array.from({ length: 8 }, () => one))).toBe('holds');
  const over = windowOf(0.1, { standardError: 0.04 });
  expect(verdictOf(over)).toBe('undecided');
  expect(verdictOf(...Array.from({ length: 8 }, () => over))).toBe('broken');
});

test('lucky steps among others show nothing', () => {
  const lucky = windowOf(0.01, { standardError: 0.005 });
  expect(verdictOf(lucky, lucky)).toBe('holds');
  expect(verdictOf(lucky, lucky, windowOf(0.12), windowOf(0.08))).toBe('undecided');
});

test('steps that differ by more than their own variation have the error of their difference', () => {
  const [low, high] = [0.001, 0.15].map((ratio) => windowOf(ratio, { standardError: 0.002, times: 100 }));
  if (low === undefined || high === undefined) throw new Error('two windows');
  expect(verdictOf(low, low, high)).toBe('undecided');
  expect(poolSteps([low, low, high], objectives)?.objectives[0]?.share).toBeCloseTo(0.0507, 3);
});

test('a load that holds is observed for sixty relaxation times in total', () => {
  const short = windowOf(0.001, { standardError: 0.001, times: 20 });
  expect([verdictOf(short, short), verdictOf(short, short, short)]).toEqual(['undecided', 'holds']);
});

test('has no verdict on an objective without data', () => {
  expect(poolSteps([{ errors: [null], times: 100 }], objectives)).toBeNull();
});
