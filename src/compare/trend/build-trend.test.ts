import { describe, expect, test } from 'vitest';
import {
  latencyRule,
  nightly,
  noiseAt,
  rateRule,
  runOf,
  shareRule,
  startOf,
} from '../../../test/support/sample-nights.ts';
import { buildTrend } from './build-trend.ts';
import { trendDefaults } from './trend-options.ts';
import { trendSchema, type TrendGroup } from './trend.ts';
import type { TrendRun } from './trend-run.ts';
import { buildHistory } from './build-history.ts';

const rules = [latencyRule, rateRule, shareRule];
const trendOf = (runs: readonly TrendRun[], options = trendDefaults) =>
  buildTrend({ runs, rules, toolVersion: '0', skipped: [], warnings: [], ...options });
const groupOf = (runs: readonly TrendRun[], options = trendDefaults): TrendGroup => {
  const [group] = trendOf(runs, options).groups;
  if (group === undefined) throw new Error('no group');
  return group;
};

/** 200 ms, 20 % more from one night on; 50 per second, 10 % less from another night on. */
const steps = ({ latency, rate }: { latency: number; rate: number }) =>
  nightly(40, (night) => ({
    'turn.ok.p99': 200 * Math.exp(noiseAt(night)) * (night < latency ? 1 : 1.2),
    'rates.turnsPerSecond': 50 * Math.exp(noiseAt(night + 7)) * (night < rate ? 1 : 0.9),
  }));

describe('a trend', () => {
  test('is a document of its schema', () => {
    const trend = trendOf(steps({ latency: 25, rate: 10 }));
    expect(trendSchema.parse(JSON.parse(JSON.stringify(trend)))).toEqual(trend);
  });

  test('contains the time, size, first result and commits of a change', () => {
    const { events } = groupOf(steps({ latency: 25, rate: 99 }));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      night: 25,
      date: '2026-10-26',
      nightsSince: 15,
      file: 'night-25.json',
      commits: { before: 'commit-24', after: 'commit-25' },
      metrics: [{ name: 'turn.ok.p99', direction: 'worse', night: 25 }],
    });
    const [change] = events[0]?.metrics ?? [];
    expect(Math.abs((change?.change ?? 0) - 0.2)).toBeLessThan(0.02);
    expect(change?.ci95.low).toBeLessThan(0.2);
    expect(change?.ci95.high).toBeGreaterThan(0.2);
    expect(change?.before).toBeCloseTo(200, -1);
    expect(change?.after).toBeCloseTo(240, -1);
  });

  test('has intervals of shares within 0 to 100 %', () => {
    const noisy = (night: number): number => (night % 2 === 0 ? 0.5 : 0.6);
    const [rising, falling] = [1, 0].map((end) =>
      nightly(40, (night) => ({ 'turns.failedShare': night < 37 ? noisy(night) : end })),
    );
    const changes = [rising, falling].flatMap((runs) => groupOf(runs ?? []).events.flatMap(({ metrics }) => metrics));
    expect(changes).toHaveLength(2);
    for (const { before, ci95 } of changes) {
      expect(before + ci95.low).toBeGreaterThanOrEqual(-1e-12);
      expect(before + ci95.high).toBeLessThanOrEqual(1 + 1e-12);
    }
  });

  test('makes one event of changes within two nights, two of changes further apart', () => {
    const nightsOf = (rate: number) =>
      groupOf(steps({ latency: 20, rate })).events.map(({ metrics }) => metrics.map(({ name }) => name).toSorted());
    const both = ['rates.turnsPerSecond', 'turn.ok.p99'];
    expect(nightsOf(22)).toEqual([both]);
    expect(nightsOf(18)).toEqual([both]);
    expect(nightsOf(23)).toEqual([['turn.ok.p99'], ['rates.turnsPerSecond']]);
  });

  test('calls it worse by the direction of the metric', () => {
    const directions = (more: number) =>
      groupOf(
        nightly(30, (night) => ({ 'rates.turnsPerSecond': Math.exp(noiseAt(night)) * (night < 20 ? 1 : more) })),
      ).events.flatMap(({ metrics }) => metrics.map(({ direction }) => direction));
    expect(directions(0.8)).toEqual(['worse']);
    expect(directions(1.2)).toEqual(['better']);
  });

  test('averages the runs of a night as ratios, shares as such', () => {
    const runs = [
      runOf({ 'turn.ok.p99': 100, 'turns.failedShare': 0.01 }, { startedAt: startOf(0, 1), sitting: 'a' }),
      runOf({ 'turn.ok.p99': 400, 'turns.failedShare': 0.03 }, { startedAt: startOf(0, 2), sitting: 'a' }),
    ];
    const values = groupOf(runs).metrics.map(({ points }) => points[0]);
    expect(values[0]?.value).toBeCloseTo(200, 9);
    expect(values[1]?.value).toBeCloseTo(0.02, 9);
    expect(values[0]?.runs).toBe(2);
  });

  test('counts the runs of a night that are degraded by their own verdict', () => {
    const place = (minute: number) => ({ startedAt: startOf(0, minute), sitting: 'a' });
    const runs = [
      runOf({ 'turn.ok.p99': 9 }, place(1)),
      runOf({ 'turn.ok.p99': 9 }, { ...place(2), isDegraded: true }),
    ];
    expect(groupOf(runs).nights).toMatchObject([{ runs: 2, degraded: 1 }]);
  });

  test('examines the last nights only, and counts the others', () => {
    const group = groupOf(steps({ latency: 10, rate: 99 }), { ...trendDefaults, window: 25 });
    expect([group.nights.length, group.allNights]).toEqual([25, 40]);
    expect(group.nights[0]?.file).toBe('night-15.json');
    expect(group.events).toEqual([]);
  });

  test('keeps to its nights if a metric is missing on some', () => {
    const runs = steps({ latency: 25, rate: 99 }).map((run, night) =>
      [3, 11, 30].includes(night) ? { ...run, figures: new Map() } : run,
    );
    const group = groupOf(runs);
    expect(group.events.map(({ night }) => night)).toEqual([25]);
    expect(group.metrics[0]?.points).toHaveLength(37);
    expect(group.metrics[0]?.segments.map(({ night, nights }) => [night, nights])).toEqual([
      [0, 23],
      [25, 14],
    ]);
  });

  test('does not guess commits that results do not contain', () => {
    const runs = steps({ latency: 25, rate: 99 }).map((run) => ({ ...run, commit: null }));
    expect(groupOf(runs).events[0]?.commits).toBeNull();
  });
});

/** Two runs per night, with these numbers of failed turns; a run's level is its own share. */
const nights = (count: number, turnsAt: (night: number) => { failed: number; count: number }): TrendRun[] =>
  Array.from({ length: count }, (_, night) => {
    const { failed, count: turns } = turnsAt(night);
    const value = failed / turns;
    const level = 2 * Math.sqrt(value + 0.375 / turns);
    const figure = { level, value, count: turns, withinVariance: 1 / turns };
    const figures = new Map([[shareRule.name, { figure }]]);
    return [0, 1].map((run) => runOf({}, { startedAt: startOf(night, run), sitting: String(night), figures }));
  }).flat();

/** Closed load against a service that became slower: a third of the turns in the same time. */
const fewerFromNight20 = (night: number): number => (night < 20 ? 96 : 32);

const eventsOf = (runs: readonly TrendRun[]) =>
  buildTrend({ runs, rules: [shareRule], toolVersion: '0', skipped: [], warnings: [], ...trendDefaults }).groups[0]
    ?.events;
const noiseOf = (runs: readonly TrendRun[]) => buildHistory(runs, [shareRule]).groups[0]?.metrics[shareRule.name];

describe('a share over nights with unlike numbers of turns', () => {
  test('that was always zero did not change', () => {
    expect(eventsOf(nights(30, (night) => ({ failed: 0, count: fewerFromNight20(night) })))).toEqual([]);
  });

  test('that was constant did not change', () => {
    const same = (night: number) => ({ failed: fewerFromNight20(night) / 32, count: fewerFromNight20(night) });
    expect(eventsOf(nights(30, same))).toEqual([]);
  });

  test('that rose is found', () => {
    const rose = (night: number) => ({ failed: night < 20 ? night % 2 : 6, count: fewerFromNight20(night) });
    expect(eventsOf(nights(30, rose))?.map(({ night }) => night)).toEqual([20]);
  });

  test('has a history as noisy as its counts at least, although no turn ever failed', () => {
    const noise = noiseOf(nights(8, () => ({ failed: 0, count: 50 })));
    // 1 / 50 for a run; half of that for a night, the mean of two runs.
    expect(noise?.runVariance).toBeCloseTo(1 / 50, 12);
    expect(noise?.sittingVariance).toBeCloseTo(1 / 100, 12);
  });
});
