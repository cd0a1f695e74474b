import { buildTrend } from '../../src/compare/trend/build-trend.ts';
import { trendDefaults } from '../../src/compare/trend/trend-options.ts';
import type { Trend } from '../../src/compare/trend/trend.ts';
import { latencyRule, nightly, noiseAt, rateRule, shareRule } from './sample-nights.ts';

/** Forty nights: a p99 of 200 ms, from the 26th night on 240 ms; failures and throughput stay. */
export function steppedTrend(): Trend {
  const runs = nightly(40, (night) => ({
    'turn.ok.p99': 200 * Math.exp(noiseAt(night)) * (night < 25 ? 1 : 1.2),
    'turns.failedShare': 0.01,
    'rates.turnsPerSecond': 50 * Math.exp(noiseAt(night + 7)),
  }));
  const rules = [{ ...rateRule, isGated: false }, latencyRule, shareRule];
  return buildTrend({ runs, rules, toolVersion: '0', skipped: [], warnings: [], ...trendDefaults });
}
