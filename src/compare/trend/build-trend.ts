import type { MetricRule } from '../metrics/metric-rule.ts';
import { gatherEvents } from './gather-events.ts';
import { gatherNights, type Night, type NightSeries } from './night.ts';
import { publishEvent } from './publish-event.ts';
import { trackMetric, type MetricTrend } from './track-metric.ts';
import type { PublishedMetric, Trend, TrendGroup } from './trend.ts';
import type { TrendRun } from './trend-run.ts';

/** How a trend is looked at. */
interface TrendOptions {
  /** The greatest p of a change: 0.001 to be alarmed, 0.005 to look. */
  alpha: number;
  /** How many of the last nights are looked at. */
  window: number;
}

export const trendDefaults: TrendOptions = { alpha: 0.001, window: 60 };

interface TrendParts extends TrendOptions {
  /** Those that may represent their night; see `TrendRun.unfit`. */
  runs: readonly TrendRun[];
  rules: readonly MetricRule[];
  /** Whether the metrics were asked for by name: those without any value are kept then, so that they can be named. */
  isAsked?: boolean;
  toolVersion: string;
  skipped: Trend['skipped'];
  warnings: readonly string[];
}

export function buildTrend(parts: TrendParts): Trend {
  const { runs, toolVersion, skipped, warnings, alpha, window } = parts;
  return {
    kind: 'chat-load/trend',
    schemaVersion: 2,
    toolVersion,
    alpha,
    window,
    results: runs.length,
    groups: gatherNights(runs).map((series) => buildGroup(series, parts)),
    alarm: null,
    skipped,
    warnings: [...warnings],
  };
}

function buildGroup(series: NightSeries, { rules, isAsked = false, alpha, window }: TrendParts): TrendGroup {
  const nights = series.nights.slice(-window);
  const trends = rules
    .map((rule) => trackMetric(nights, rule, { alpha }))
    .filter(({ points }) => isAsked || points.length > 0);
  const { scenario, machineClass, loadHash } = series.group;
  return {
    scenario,
    machineClass,
    loadHash,
    allNights: series.nights.length,
    nights: nights.map(publishNight),
    metrics: trends.map(publishMetric),
    events: gatherEvents(trends).map((event) => publishEvent(event, nights)),
  };
}

const publishNight = ({ date, sitting, runs }: Night): TrendGroup['nights'][number] => {
  const [{ file, commit, startedAt }] = runs;
  const degraded = runs.filter(({ isDegraded }) => isDegraded).length;
  return { date, startedAt: new Date(startedAt).toISOString(), sitting, runs: runs.length, degraded, file, commit };
};

function publishMetric({ rule, points, segments }: MetricTrend): PublishedMetric {
  const { name, unit, worse, isGated, margin } = rule;
  return {
    name,
    unit,
    worse,
    isGated,
    margin,
    points: points.map(({ night, value, runLevels }) => ({ night, value, runs: runLevels.length })),
    segments: segments.map((segment) => ({
      night: segment.night,
      nights: segment.points.length,
      value: segment.value,
    })),
  };
}
