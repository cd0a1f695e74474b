import { describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { randomOf } from '../../base/random.ts';
import { newCounters, storeCounters } from '../../record/counters.ts';
import { countRefused, countSession } from '../../record/session-sums.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import type { SessionEnd } from '../../protocol/outcome.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { judgePolicies, type PolicyVerdict } from './policy-verdict.ts';

/** A policy whose turns are good with one probability and retried with another. */
interface PolicyModel {
  good: number;
  retried: number;
  sessions?: number;
  /** Sessions of four turns that could not be created. */
  refused?: number;
}

const base = finishedRun({ sessions: 5 }).snapshot;

function judge(models: Readonly<Record<string, PolicyModel>>, seed = 1): PolicyVerdict {
  const totals = Object.values(models).map((distribution, policy) => ({
    warmUp: false,
    policy,
    ...drawTally(distribution, seed * 100 + policy),
  }));
  const names = Object.keys(models).map((name) => [name, { maxAttempts: 2 }] as const);
  const verdict = judgePolicies(planFor({ retry: Object.fromEntries(names) }), { ...base, totals } satisfies Snapshot);
  if (verdict === null) throw new Error('several policies have a verdict');
  return verdict;
}

/** Sessions of four turns with a random quality each, so that their turns depend on each other. */
function drawTally({ good, retried, sessions = 200, refused = 0 }: PolicyModel, seed: number) {
  const random = randomOf(seed);
  const counters = newCounters();
  for (let number = 0; number < sessions; number++) {
    const shift = (random() - 0.5) * Math.min(good, 1 - good);
    const tally = { turns: 4, good: 0, attempts: 4, lostMs: ms(0), costNanos: 0 };
    for (let turn = 0; turn < 4; turn++) {
      if (random() < good + shift) tally.good += 1;
      if (random() < retried) tally.attempts += 1;
    }
    countSession(counters.sessionSums, tally);
  }
  for (let number = 0; number < refused; number++) countRefused(counters.sessionSums, 4);
  return { counters: storeCounters(counters), series: {} };
}

describe('the verdict on policies', () => {
  test('names the policy with more goodput first, in any order of the plan, and its cost', () => {
    const { comparisons, pairs } = judge({ hasty: { good: 0.7, retried: 0.8 }, patient: { good: 0.9, retried: 0.2 } });
    expect(comparisons).toBe(1);
    expect(pairs).toMatchObject([{ policy: 'patient', other: 'hasty', sessions: 400, goodput: 'more', cost: 'less' }]);
    const { goodputShare, amplification, backoffActualPerTurnMs } = pairs[0]?.differences ?? {};
    expect(goodputShare?.value).toBeCloseTo(0.2, 1);
    expect(amplification?.high).toBeLessThan(0);
    expect(backoffActualPerTurnMs).toEqual({ value: 0, low: 0, high: 0 });
    expect(judge({ patient: { good: 0.9, retried: 0.2 }, hasty: { good: 0.7, retried: 0.8 } }).pairs).toMatchObject([
      { policy: 'patient', other: 'hasty', goodput: 'more', cost: 'less' },
    ]);
  });

  test('counts the turns of sessions that could not be created as failed', () => {
    const { pairs } = judge({
      refused: { good: 0.95, retried: 0.2, refused: 200 },
      served: { good: 0.9, retried: 0.2 },
    });
    expect(pairs).toMatchObject([{ policy: 'served', other: 'refused', sessions: 600, goodput: 'more' }]);
    expect(pairs[0]?.differences.servedShare?.value).toBeCloseTo(0.9 - 0.95 / 2, 1);
    expect(pairs[0]?.differences.goodputShare?.value).toBeLessThan(0);
  });

  test('reports that more goodput had a cost', () => {
    const { pairs } = judge({ eager: { good: 0.9, retried: 0.8 }, shy: { good: 0.7, retried: 0.1 } });
    expect(pairs).toMatchObject([{ policy: 'eager', goodput: 'more', cost: 'more' }]);
  });

  test('finds a difference between equal policies about once in twenty runs, and never more than by chance', () => {
    const same = { good: 0.8, retried: 0.3, sessions: 60 };
    const runs = Array.from({ length: 1000 }, (_, run) => judge({ a: same, b: same }, run + 1));
    const alarms = runs.filter(({ pairs }) => pairs[0]?.goodput !== 'no_difference_shown').length;
    expect(alarms).toBeGreaterThan(20);
    expect(alarms).toBeLessThan(80);
  });

  test('of several policies corrects for comparing all pairs', () => {
    const same = { good: 0.8, retried: 0.3, sessions: 60 };
    const runs = Array.from({ length: 600 }, (_, run) => judge({ a: same, b: same, c: same, d: same }, run + 1));
    expect(runs[0]).toMatchObject({ comparisons: 6 });
    expect(runs[0]?.pairs).toHaveLength(3);
    const alarms = runs.filter(({ pairs }) => pairs.some((pair) => pair.goodput === 'more')).length;
    expect(alarms / runs.length).toBeLessThan(0.06);
  });

  test('needs thirty sessions of both', () => {
    const { pairs } = judge({ a: { good: 0.9, retried: 0.1 }, b: { good: 0.1, retried: 0.9, sessions: 29 } });
    expect(pairs).toMatchObject([
      { policy: 'a', other: 'b', goodput: 'too_few_sessions', cost: 'too_few_sessions', sessions: 229 },
    ]);
    expect(pairs[0]?.differences).toEqual({
      goodputShare: null,
      servedShare: null,
      amplification: null,
      backoffActualPerTurnMs: null,
    });
  });

  test('is in the result of a run of several policies, made from its sessions outside the warm-up', () => {
    const run = finishedRun({ warmUp: '1500ms', retry: { gentle: { base: '1s' }, harsh: { base: '1ms' } } });
    const { retries, books } = resultOf(run);
    const [pair] = retries.verdict?.pairs ?? [];
    const measured = (end: SessionEnd): number => books.sessions[end] - books.warmUp.sessions[end];
    const ended = measured('completed') + measured('failed');
    expect(pair?.sessions).toBe(ended + measured('create_failed'));
    expect(retries.policies.map(({ intervals }) => intervals.sessions).reduce((a, b) => a + b)).toBe(ended);
    expect(resultOf(finishedRun()).retries.verdict).toBeNull();
  });
});
