import type { MetricRule } from '../metrics/metric-rules.ts';
import { gatherNights, type Night, type NightSeries, type TrendRun } from './trend-run.ts';
import { trackMetric, type MetricTrend, type TrendStep } from './track-metric.ts';
import type { TrendOptions } from './trend-options.ts';
import type { PublishedMetric, Trend, TrendGroup, EventChange, TrendEvent } from './trend.ts';

interface TrendParts extends TrendOptions {
  /** Runs that may represent their night; see `TrendRun.unfit`. */
  runs: readonly TrendRun[];
  rules: readonly MetricRule[];
  /** True if the metrics were requested by name: those without any value are kept, so that they can be named. */
  isRequested?: boolean;
  toolVersion: string;
  skipped: Trend['skipped'];
  warnings: readonly string[];
}

export function buildTrend(parts: TrendParts): Trend {
  const { runs, toolVersion, skipped, warnings, alpha, window } = parts;
  return {
    kind: 'chat-load/trend',
    schemaVersion: 1,
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

function buildGroup(series: NightSeries, { rules, isRequested = false, alpha, window }: TrendParts): TrendGroup {
  const nights = series.nights.slice(-window);
  const trends = rules
    .map((rule) => trackMetric(nights, rule, { alpha }))
    .filter(({ points, omitted }) => isRequested || points.length > 0 || omitted.length > 0);
  const { scenario, machineClass, loadHash } = series.group;
  return {
    scenario,
    machineClass,
    loadHash,
    allNights: series.nights.length,
    nights: nights.map((night, at) => publishNight(night, latencyLack(trends, at))),
    metrics: trends.map(publishMetric),
    events: gatherEvents(trends).map((event) => publishEvent(event, nights)),
  };
}

/** Reasons for which a night has none of the deciding latencies of a series or, if none decides, none of its latencies. */
type LatencyLack = 'doubtful' | 'missing' | null;

function latencyLack(trends: readonly MetricTrend[], at: number): LatencyLack {
  const latencies = trends.filter(({ rule }) => rule.unit === 'ms');
  const deciding = latencies.filter(({ rule }) => rule.isGated);
  const asked = deciding.length === 0 ? latencies : deciding;
  const isOf = ({ night }: { night: number }): boolean => night === at;
  // A series without any of them cannot be judged in any night: its metrics are listed without data.
  if (!asked.some(({ points, omitted }) => points.length + omitted.length > 0)) return null;
  if (asked.some(({ points }) => points.some(isOf))) return null;
  return asked.some(({ omitted }) => omitted.some(isOf)) ? 'doubtful' : 'missing';
}

const publishNight = ({ date, sitting, runs }: Night, lack: LatencyLack): TrendGroup['nights'][number] => {
  const [{ file, commit, startedAt }] = runs;
  const degraded = runs.filter(({ isDegraded }) => isDegraded).length;
  const first = { date, startedAt: new Date(startedAt).toISOString(), sitting };
  const lacks = { isDoubtful: lack === 'doubtful', lacksLatency: lack === 'missing' };
  return { ...first, runs: runs.length, degraded, ...lacks, file, commit };
};

function publishMetric({ rule, points, segments, omitted }: MetricTrend): PublishedMetric {
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
    omitted: [...omitted],
  };
}

interface MetricStep {
  rule: MetricRule;
  step: TrendStep;
}

/** Steps of several metrics at about the same time: they usually have one cause. */
interface ChangeEvent {
  night: number;
  steps: readonly MetricStep[];
}

/** Maximum distance in nights between steps of one event. */
const nightsApart = 2;

/** Groups steps into events: the clearest step and the steps of other metrics around it form an event, then the clearest remaining step, and so on. */
function gatherEvents(trends: readonly MetricTrend[]): ChangeEvent[] {
  let left = trends
    .flatMap(({ rule, steps }) => steps.map((step) => ({ rule, step })))
    .toSorted((a, b) => a.step.p - b.step.p || b.step.t - a.step.t);
  const events: ChangeEvent[] = [];
  for (let [clearest] = left; clearest !== undefined; [clearest] = left) {
    const steps = around(clearest, left);
    events.push({ night: nightOf(clearest), steps });
    left = left.filter((step) => !steps.includes(step));
  }
  return events.toSorted((a, b) => a.night - b.night);
}

const nightOf = ({ step }: MetricStep): number => step.after.night;

/** Returns, for each metric, the clearest step near the given one. */
function around(clearest: MetricStep, steps: readonly MetricStep[]): MetricStep[] {
  const near = steps.filter((step) => Math.abs(nightOf(step) - nightOf(clearest)) <= nightsApart);
  return near.filter(({ rule }, index) => near.findIndex((other) => other.rule === rule) === index);
}

function publishEvent({ night, steps }: ChangeEvent, nights: readonly Night[]): TrendEvent {
  const first = nights[night];
  return {
    night,
    date: first?.date ?? '',
    nightsSince: nights.length - night,
    file: first?.runs[0].file ?? '',
    commits: commitsAround(night, nights),
    metrics: steps.map(publishStep),
  };
}

/** Returns the last known commit before the event and the first known one after it. */
function commitsAround(night: number, nights: readonly Night[]): TrendEvent['commits'] {
  const commitsOf = (some: readonly Night[]) => some.flatMap(({ runs }) => runs.flatMap(({ commit }) => commit ?? []));
  const before = commitsOf(nights.slice(0, night)).at(-1);
  const after = commitsOf(nights.slice(night)).at(0);
  return before === undefined || after === undefined ? null : { before, after };
}

const publishStep = ({ rule, step }: MetricStep): EventChange => ({
  name: rule.name,
  isGated: rule.isGated,
  direction: step.change > 0 === (rule.worse === 'higher') ? 'worse' : 'better',
  night: step.after.night,
  before: step.before.value,
  after: step.after.value,
  change: step.change,
  ci95: step.ci95,
  p: step.p,
});
