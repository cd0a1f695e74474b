import { describe, expect, test } from 'vitest';
import { compareRuns, metricOf } from '../../test/support/compare-runs.ts';
import { releaseRun, type ReleaseRun } from '../../test/support/release-run.ts';
import type { Result } from '../result/result.ts';
import type { Comparison } from './document/comparison.ts';

const runsOf = (name: string, options: Partial<ReleaseRun> = {}): Result[] =>
  Array.from({ length: 3 }, (_, at) =>
    releaseRun({
      id: `${name}-${String(at)}`,
      draw: at,
      sitting: 'tonight',
      pair: String(at),
      intervals: 20,
      turnsPerInterval: 50,
      created: 12,
      ...options,
    }),
  );
const compare = (head: Partial<ReleaseRun>, base: Partial<ReleaseRun> = {}): Comparison =>
  compareRuns(runsOf('v1', base), runsOf('v2', head));

describe('sessions that are not created', () => {
  test('are a regression of a head that refuses half of them, although all of its turns are ok', () => {
    const comparison = compare({ notCreated: 12 });
    expect(metricOf(comparison, 'sessions.createFailedShare')).toMatchObject({
      verdict: 'regressed',
      isGated: true,
      base: 0,
      head: expect.closeTo(0.5, 2) as number,
    });
    expect([comparison.verdict, comparison.summary]).toEqual([
      'regressed',
      'Regressed: sessions.createFailedShare +50.0 pp.',
    ]);
  });

  test('are unchanged if none fails, or equally many on both sides', () => {
    expect(metricOf(compare({}), 'sessions.createFailedShare')).toMatchObject({
      verdict: 'unchanged',
      reason: 'none on both sides',
    });
    const equal = compare({ notCreated: 1 }, { notCreated: 1 });
    expect(metricOf(equal, 'sessions.createFailedShare')).toMatchObject({ change: 0 });
    expect(equal.verdict).not.toBe('regressed');
  });

  test('leave the creation time without a verdict, because the remaining sessions differ', () => {
    const comparison = compare({ notCreated: 12, creationDelayMs: 40 });
    expect(metricOf(comparison, 'sessionCreate.p50')).toMatchObject({
      verdict: 'inconclusive',
      isGated: false,
      notGatedBecause: expect.stringContaining(
        'the shares of sessions not created differ by more than 1 percentage point',
      ),
    });
    expect(metricOf(comparison, 'turn.ok.p50')?.isGated).toBe(true);
  });
});

test('a protocol that creates no sessions has no metrics of creations, as its plan states', () => {
  const without = (results: Result[]): Result[] =>
    results.map((result) => {
      const { plan } = result.scenario;
      const target = { ...plan.target, createsSessions: false };
      return { ...result, scenario: { ...result.scenario, plan: { ...plan, target } } };
    });
  const comparison = compareRuns(without(runsOf('v1')), without(runsOf('v2')));
  const names = comparison.metrics.map(({ name }) => name);
  expect(names).toContain('turn.ok.p50');
  expect(names.filter((name) => /^sessions\.create|^sessionCreate\./.test(name))).toEqual([]);
});

describe('creations that take longer, with unchanged turns', () => {
  test('are a regression by their median and mean, with 240 per run', () => {
    const comparison = compare({ creationDelayMs: 250 });
    expect(comparison.verdict).toBe('regressed');
    expect(metricOf(comparison, 'sessionCreate.p50')).toMatchObject({ verdict: 'regressed', isGated: true });
    expect(metricOf(comparison, 'sessionCreate.mean')).toMatchObject({ verdict: 'regressed', isGated: true });
  });

  test('are a regression by the mean if there are too few for a median', () => {
    const comparison = compare({ creationDelayMs: 250, created: 2 }, { created: 2 });
    expect(metricOf(comparison, 'sessionCreate.p50')).toMatchObject({ verdict: 'no_data' });
    expect(comparison.summary).toMatch(/^Regressed: sessionCreate\.mean \+\d+ %\.$/);
  });
});
