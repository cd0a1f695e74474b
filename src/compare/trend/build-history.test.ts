import { describe, expect, test } from 'vitest';
import { latencyRule, noiseAt, runOf, startOf, nightly } from '../../../test/support/sample-nights.ts';
import { historySchema } from '../document/history.ts';
import { buildHistory, findAlarm } from './build-history.ts';
import { buildTrend } from './build-trend.ts';
import { trendDefaults } from './trend-options.ts';
import type { TrendRun } from './trend-run.ts';

const twoRuns = (night: number, levels: readonly number[]) =>
  levels.map((level, run) =>
    runOf({ 'turn.ok.p99': Math.exp(level) }, { startedAt: startOf(night, run), sitting: String(night) }),
  );

describe('a history', () => {
  test('contains the variance of runs within nights and of the means of nights', () => {
    const runs = [twoRuns(0, [1, 3]), twoRuns(1, [2, 4, 3]), twoRuns(2, [7])].flat();
    const history = buildHistory(runs, [latencyRule]);
    expect(historySchema.parse(history)).toEqual(history);
    expect(history.groups[0]).toMatchObject({ sittings: 3, runs: 6, from: startOf(0), to: startOf(2) });
    // Within: (1 + 1) + (1 + 1 + 0) over 1 + 2 degrees. Means 2, 3, 7 about 4: (4 + 1 + 9) / 2.
    const noise = history.groups[0]?.metrics['turn.ok.p99'];
    expect(noise?.runVariance).toBeCloseTo(4 / 3, 12);
    expect(noise?.sittingVariance).toBeCloseTo(7, 12);
    expect(noise).toMatchObject({ runDegrees: 3, sittingDegrees: 2, runsPerSitting: 2 });
  });

  test('starts again with a change', () => {
    const nights = Array.from({ length: 30 }, (_, night) => twoRuns(night, [noiseAt(night) + (night < 20 ? 5 : 6)]));
    const noise = buildHistory(nights.flat(), [latencyRule]).groups[0]?.metrics['turn.ok.p99'];
    expect(noise).toMatchObject({ sittingDegrees: 9, runVariance: null, runDegrees: 0, runsPerSitting: 1 });
    expect(noise?.sittingVariance).toBeLessThan(0.0004);
  });

  test('has no entry for changes that one night cannot show, nor for metrics without figures', () => {
    const [group] = buildHistory(
      [runOf({ 'turn.ok.p99': 5 })],
      [latencyRule, { ...latencyRule, name: 'other' }],
    ).groups;
    expect(group?.metrics).toEqual({
      'turn.ok.p99': { runVariance: null, runDegrees: 0, sittingVariance: null, sittingDegrees: 0, runsPerSitting: 1 },
    });
  });
});

const trendOf = (runs: readonly TrendRun[], rule = latencyRule) =>
  buildTrend({ runs, rules: [rule], toolVersion: '0', skipped: [], warnings: [], ...trendDefaults });
const stepped = (factor: number) =>
  nightly(30, (night) => ({ 'turn.ok.p99': Math.exp(noiseAt(night)) * (night < 25 ? 1 : factor) }));

test('a change alarms as long as it is recent, a regression if it is for the worse', () => {
  const [worse, better] = [trendOf(stepped(1.3)), trendOf(stepped(0.7))];
  expect(findAlarm(worse, { on: 'regression', nights: 5 })?.date).toBe('2026-10-26');
  expect(findAlarm(worse, { on: 'regression', nights: 4 })).toBeUndefined();
  expect(findAlarm(better, { on: 'regression', nights: 5 })).toBeUndefined();
  expect(findAlarm(better, { on: 'change', nights: 5 })?.date).toBe('2026-10-26');
});

test('an informational metric raises no alarm', () => {
  expect(
    findAlarm(trendOf(stepped(1.3), { ...latencyRule, isGated: false }), { on: 'change', nights: 5 }),
  ).toBeUndefined();
});

test('a series that has ended raises no alarm any more', () => {
  const { group } = runOf({});
  const newer = runOf({ 'turn.ok.p99': 1 }, { group: { ...group, loadHash: 'another' }, startedAt: startOf(50) });
  expect(findAlarm(trendOf([...stepped(1.3), newer]), { on: 'change', nights: 5 })).toBeUndefined();
});
