import { describe, expect, test } from 'vitest';
import { runOf, shareRule, startOf } from '../../../test/support/sample-nights.ts';
import { buildHistory } from './build-history.ts';
import { buildTrend, trendDefaults } from './build-trend.ts';
import type { TrendRun } from './trend-run.ts';

/** Two runs a night, of which so many turns failed; the level is that of the run by itself. */
const nights = (count: number, turnsAt: (night: number) => { failed: number; count: number }): TrendRun[] =>
  Array.from({ length: count }, (_, night) => {
    const { failed, count: turns } = turnsAt(night);
    const value = failed / turns;
    const level = 2 * Math.sqrt(value + 0.375 / turns);
    const figure = { level, value, count: turns, withinVariance: 1 / turns };
    const figures = new Map([[shareRule.name, { figure }]]);
    return [0, 1].map((run) => runOf({}, { startedAt: startOf(night, run), sitting: String(night), figures }));
  }).flat();

/** As under closed load against a service that became slower: a third of the turns in the same time. */
const fewerFromNight20 = (night: number): number => (night < 20 ? 96 : 32);

const eventsOf = (runs: readonly TrendRun[]) =>
  buildTrend({ runs, rules: [shareRule], toolVersion: '0', skipped: [], warnings: [], ...trendDefaults }).groups[0]
    ?.events;
const noiseOf = (runs: readonly TrendRun[]) => buildHistory(runs, [shareRule]).groups[0]?.metrics[shareRule.name];

describe('a share over nights with unlike numbers of turns', () => {
  test('that was nothing all the time did not change', () => {
    expect(eventsOf(nights(30, (night) => ({ failed: 0, count: fewerFromNight20(night) })))).toEqual([]);
  });

  test('that was the same all the time did not change', () => {
    const same = (night: number) => ({ failed: fewerFromNight20(night) / 32, count: fewerFromNight20(night) });
    expect(eventsOf(nights(30, same))).toEqual([]);
  });

  test('that rose is found', () => {
    const rose = (night: number) => ({ failed: night < 20 ? night % 2 : 6, count: fewerFromNight20(night) });
    expect(eventsOf(nights(30, rose))?.map(({ night }) => night)).toEqual([20]);
  });

  test('has a history as noisy as its counts at least, though no turn ever failed', () => {
    const noise = noiseOf(nights(8, () => ({ failed: 0, count: 50 })));
    // 1 / 50 of a run; of a night, the mean of two runs, half of it.
    expect(noise?.runVariance).toBeCloseTo(1 / 50, 12);
    expect(noise?.sittingVariance).toBeCloseTo(1 / 100, 12);
  });
});
