import { expect, test } from 'vitest';
import { latencyRule, nightly, noiseAt, runOf, startOf } from '../../../test/support/sample-nights.ts';
import { buildTrend, trendDefaults } from './build-trend.ts';
import { findAlarm } from './find-alarm.ts';
import type { TrendRun } from './trend-run.ts';

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
