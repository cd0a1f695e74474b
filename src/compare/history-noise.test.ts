import { describe, expect, test } from 'vitest';
import { compareRuns } from '../../test/support/compare-runs.ts';
import { releaseRun, type ReleaseRun } from '../../test/support/release-run.ts';
import type { Result } from '../result/result.ts';
import type { Comparison } from './document/comparison.ts';
import { historySchema } from './document/history.ts';
import { metricRules } from './metrics/metric-rules.ts';
import { figuresOf } from './figures/read-figure.ts';
import { buildHistory } from './trend/build-history.ts';
import { takeTrendRun, type TrendRun } from './trend/trend-run.ts';
import { nightLabel } from './document/group-of.ts';

/** Deviation of each batch: about 1 %. */
const noise = [0.01, -0.012, 0.004, -0.009, 0.013, -0.002, 0.007, -0.011];

/** Batches of two runs of one release, each on a separate day. */
const sittings = (label: string, days: readonly number[], options: Partial<ReleaseRun> = {}): Result[] =>
  days.flatMap((day) =>
    [0, 1].map((at) => {
      const id = `${label} ${String(day)} ${String(at)}`;
      const slowness = (options.slowness ?? 1) * Math.exp(noise[day % noise.length] ?? 0);
      const sitting = `day ${String(day)}`;
      const run = releaseRun({ id, draw: day * 2 + at, sitting, intervals: 12, turnsPerInterval: 60, slowness });
      const startedAt = new Date(Date.UTC(2026, 0, 1 + day, 2, at)).toISOString();
      return { ...run, run: { ...run.run, label, startedAt } };
    }),
  );

const historyOf = (results: readonly Result[]) =>
  buildHistory(
    results.map((result): TrendRun => ({
      ...takeTrendRun(`${result.run.id}.json`, result),
      figures: figuresOf(result),
    })),
    metricRules,
  );
const compare = (base: readonly Result[], head: readonly Result[], past: readonly Result[]): Comparison =>
  compareRuns(base, head, { history: historyOf(past) });
const medianOf = ({ metrics }: Comparison) => metrics.find(({ name }) => name === 'turn.ok.p50');

describe('the usual noise between batches', () => {
  const v0 = sittings('v0', [0, 1, 2]);
  const v1 = sittings('v1', [3, 4, 5]);
  const v2 = sittings('v2', [6, 7, 8], { slowness: 1.6 });

  test('excludes the change that is compared', () => {
    const comparison = compare(v1.slice(4), v2.slice(0, 2), [...v1, ...v2]);
    expect([comparison.verdict, medianOf(comparison)?.verdict]).toEqual(['regressed', 'regressed']);
  });

  test('is the noise within releases, without changes between releases', () => {
    const older = sittings('v1', [3, 4, 5, 6], { slowness: 1.6 });
    const comparison = compare(sittings('v2', [7]), sittings('v3', [8], { slowness: 1.15 }), [
      ...sittings('v0', [0, 1, 2, 9]),
      ...older,
    ]);
    expect(medianOf(comparison)).toMatchObject({ isNoiseAssumed: false, verdict: 'regressed' });
    expect(comparison.summary).toMatch(/^One batch of runs per side relies only on the history\. Regressed/);
    expect(comparison.design.history).toMatchObject({ sittings: 8, runs: 16 });
  });

  test('is not learned from the compared batches, and a too short history is reported as such', () => {
    const comparison = compare(v1.slice(0, 2), v2.slice(0, 2), [...v0, ...v1.slice(0, 2), ...v2.slice(0, 2)]);
    expect(comparison.design.history).toMatchObject({ sittings: 3, runs: 6 });
    expect(comparison.summary).toMatch(
      /^One batch of runs per side and too short a history \(3 other batches\): batches more than a day apart or on several machines are/,
    );
    const alone = compare(v1.slice(0, 2), v2.slice(0, 2), [...v1.slice(0, 2), ...v2.slice(0, 2)]);
    expect([alone.design.history, alone.verdict]).toEqual([null, 'regressed']);
    expect(alone.summary).toMatch(/^One batch of runs per side and no history/);
  });

  test('excludes changes between versions of chat-load, and between the sides of pairs', () => {
    const sitting = sittings('base', [0, 1, 2, 3]);
    const both = [...sitting, ...sittings('head', [0, 1, 2, 3], { slowness: 1.6 })];
    const other = sittings('base', [4, 5, 6, 7], { slowness: 1.6 }).map((result) => ({
      ...result,
      run: { ...result.run, toolVersion: '9.9.9' },
    }));
    const history = historySchema.parse(structuredClone(historyOf([...both, ...other])));
    const [group] = history.groups;
    expect(group).toMatchObject({ sittings: 8, runs: 24 });
    expect(group?.metrics['turn.ok.p50']).toMatchObject({ sittingDegrees: 9, runDegrees: 12 });
    expect(group?.metrics['turn.ok.p50']?.sittingVariance).toBeLessThan(0.001);
    expect(group?.metrics['turn.ok.p50']?.runVariance).toBeLessThan(0.001);
  });

  test('of the nightly job is learned over its nights, whose labels do not name a release', () => {
    const nights = [0, 1, 2, 3, 4, 5].flatMap((day) =>
      sittings(nightLabel(new Date(Date.UTC(2026, 0, 1 + day, 2))), [day]),
    );
    expect(historyOf(nights).groups[0]?.metrics['turn.ok.p50']).toMatchObject({ sittingDegrees: 5 });
  });
});
