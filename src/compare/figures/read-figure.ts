import type { Result } from '../../result/result.ts';
import { type MetricRule, metricRules, scaleOf } from '../metrics/metric-rules.ts';
import { withError } from './trusted-figure.ts';
import { openResult, type OpenResult, openRun, type OpenRun } from './open-run.ts';
import type { RunReading, RunFigure } from '../document/side.ts';
import type { ResultHead } from '../document/group-of.ts';
import { wholePart } from './run-part.ts';
import type { MetricSource } from '../../result/metrics/metric.ts';
import { maxUnknownShare } from '../../result/sections/cost.ts';
import { isAttributed, minAttributed } from '../../result/sections/model.ts';
import { sumOf } from '../../statistics/averages.ts';
import { withinError } from '../../statistics/batch-error.ts';
import { quantileOf } from '../../record/histogram.ts';
import { countsBelow, type SeriesWindow } from '../../result/percentiles/series-window.ts';

/**
 * Returns the metrics of a run by name, from the intervals of its measured window, with the noise within the run. Intervals
 * do not contain turns by position, and turns are cut after the window has ended: those figures are read from the totals,
 * without noise.
 */
export function figuresOf(result: Result): ReadonlyMap<string, RunReading> {
  const open = openResult(result);
  return new Map(metricRules.map((rule) => [rule.name, readByRule(open, rule)]));
}

export function readByRule({ window, whole }: OpenResult, rule: MetricRule): RunReading {
  return readFigure(rule.isOfTotals === true ? whole : window, rule);
}

/** Returns the metrics of a run from its totals alone, without noise and without doubtful figures: cheap enough for thousands of results. */
export function headlineFigures(head: ResultHead): ReadonlyMap<string, RunReading> {
  const whole = openRun([wholePart(head)]);
  return new Map(metricRules.map((rule) => [rule.name, withError(readFigure(whole, rule), rule, head)]));
}

/**
 * Reads one metric of one run. Its variance is estimated from the segments if there are 12 or more (batch means); shares
 * and ratios have at least the noise of their counts.
 */
export function readFigure(
  run: OpenRun,
  { source, isOfAttributedCalls = false }: Pick<MetricRule, 'source' | 'isOfAttributedCalls'>,
): RunReading {
  if (isOfAttributedCalls && !isAttributed(sumOf(run.counts('model.attributed')), sumOf(run.counts('model.calls'))))
    return {
      missing: 'no_data',
      detail: `less than ${percent(minAttributed)} of the model calls belong to a known turn`,
    };
  switch (source.kind) {
    case 'quantile':
      return readQuantile(run, source);
    case 'mean':
      return readMean(run, source.series);
    case 'rate':
      return readRate(run, source.of);
    case 'ratio':
      return readRatio(run, source);
    case 'share':
      return readShare(run, source);
    case 'quotient':
      return readQuotient(run, source);
  }
}

function readMean(run: OpenRun, series: string): RunReading {
  const { count, sumMs, opened } = run.series(series);
  if (count === 0 || sumMs === 0) return { missing: 'no_data', detail: 'no values' };
  const mean = sumMs / count;
  const error = excessError(run, { of: opened.map((part) => part.sumMs), per: mean, wholes: opened.map(countIn) });
  return { figure: relative(mean, { count, error, size: sumMs }) };
}

function readRate(run: OpenRun, of: string): RunReading {
  const done = run.counts(of);
  const count = sumOf(done);
  if (count === 0 || run.lengthMs === 0) return { missing: 'no_data', detail: 'nothing happened' };
  const perMs = count / run.lengthMs;
  const error = excessError(run, { of: done, per: perMs, wholes: run.parts.map(({ lengthMs }) => lengthMs) });
  return { figure: relative(perMs * 1000, { count, error, size: count }) };
}

/** A cost that is only a lower bound is not compared. */
function readQuotient(run: OpenRun, { of, per, scale }: Extract<MetricSource, { kind: 'quotient' }>): RunReading {
  const [tops, bottoms] = [run.counts(of), run.counts(per)];
  const [top, count] = [sumOf(tops), sumOf(bottoms)];
  if (top === 0 || count === 0) return { missing: 'no_data', detail: 'nothing was reported' };
  if (of === 'cost.nanos' && sumOf(run.counts('cost.unknown')) > sumOf(run.counts('cost.among')) * maxUnknownShare)
    return {
      missing: 'no_data',
      detail: `the cost of more than ${percent(maxUnknownShare)} of the attempts or model calls is not known`,
    };
  const error = excessError(run, { of: tops, per: top / count, wholes: bottoms });
  return { figure: relative(top / count / scale, { count, error, size: top }) };
}

type Ratio = Extract<MetricSource, { kind: 'ratio' }>;
type Share = Extract<MetricSource, { kind: 'share' }>;

/** The excess over one attempt each is a count, with the noise of at least one: no retries and one are indistinguishable. */
function readRatio(run: OpenRun, { of, per }: Ratio): RunReading {
  const [tops, bottoms] = [run.counts(of), run.counts(per)];
  const [top, count] = [sumOf(tops), sumOf(bottoms)];
  if (top === 0 || count === 0) return { missing: 'no_data', detail: 'nothing happened' };
  const ratio = top / count;
  const error = excessError(run, { of: tops, per: ratio, wholes: bottoms });
  const min = Math.sqrt(Math.max(0, top - count) + 1);
  return { figure: relative(ratio, { count, error: Math.max(min, error ?? 0), size: top }) };
}

/**
 * Anscombe's root has a variance of 1/n for independent events whatever the share, however short the run; the batches show
 * how far events cluster beyond that.
 */
function readShare(run: OpenRun, source: Share): RunReading {
  const [events, wholes] = [run.counts(source.of), run.counts(source.among)];
  const [event, count] = [sumOf(events), sumOf(wholes)];
  if (count === 0) return { missing: 'no_data', detail: 'nothing happened' };
  const value = event / count;
  const error = excessError(run, { of: events, per: value, wholes });
  const rare = source.rare === 'rest' ? count - event : event;
  const withinVariance = Math.max(1 / count, (error ?? 0) ** 2 / (count * Math.max(rare, 1)));
  return { figure: { level: scaleOf({ source }).levelOf(value, count), withinVariance, value, count } };
}

const countIn = ({ count }: { count: number }): number => count;

/** Returns the error of a sum over the segments, by its excess over the expected part of each segment. */
const excessError = (
  run: OpenRun,
  { of, per, wholes }: { of: readonly number[]; per: number; wholes: readonly number[] },
): number | null =>
  withinError(
    run,
    of.map((each, at) => each - per * (wholes[at] ?? 0)),
  );

/** On the logarithmic scale, the error of a sum is relative to the sum. */
const relative = (
  value: number,
  { count, error, size }: { count: number; error: number | null; size: number },
): RunFigure => ({
  level: Math.log(value),
  withinVariance: error === null ? null : (error / size) ** 2,
  value,
  count,
});

/** Minimum number of values beyond a quantile on either side. */
const minBeyond = 100;

export function valuesNeeded(quantile: number): number {
  return Math.ceil(minBeyond / Math.min(quantile, 1 - quantile) - 1e-6);
}

/** Reads a quantile of a series, unless too few values lie beyond it or it falls among failures. */
function readQuantile(run: OpenRun, { series, quantile }: { series: string; quantile: number }): RunReading {
  const cut = cutOf(run, series);
  if (cut !== undefined && cut.share > 1 - quantile)
    return { missing: 'censored', detail: `more than ${percent(1 - quantile)} of ${cut.what}` };
  const window = run.series(series);
  const { count } = window;
  const needed = valuesNeeded(quantile);
  if (count === 0) return { missing: 'no_data', detail: 'no values' };
  if (count < needed)
    return {
      missing: 'insufficient_data',
      detail: `${grouped(needed)} values are needed, but the measured window has ${grouped(count)}`,
    };
  const value = quantileOf(window.whole, quantile);
  const below = countsBelow(window, quantile);
  const error = excessError(run, { of: below, per: quantile, wholes: window.opened.map(countIn) });
  const withinVariance = error === null ? null : invert(window, quantile, error / count);
  return { figure: { level: Math.log(value), withinVariance, value, count } };
}

/** Woodruff (1952): converts the error of the share of values below the quantile to an error of its logarithm. */
function invert({ whole }: SeriesWindow, quantile: number, shareError: number): number {
  const high = quantileOf(whole, Math.min(1, quantile + shareError));
  const low = quantileOf(whole, Math.max(0, quantile - shareError));
  return (Math.log(high / low) / 2) ** 2;
}

function cutOf(run: OpenRun, series: string): { share: number; what: string } | undefined {
  const cut = cutBy[series];
  if (cut === undefined) return undefined;
  const [of, among, what] = cut;
  return { share: sumOf(run.counts(of)) / Math.max(1, sumOf(run.counts(among))), what };
}

type Cut = readonly [of: string, among: string, what: string];

const ofTurns: Cut = ['turns.failed', 'turns.finished', 'turns failed: only the failed share is judged'];
const ofAttempts: Cut = [
  'attempts.timed_out',
  'attempts.finished',
  'attempts timed out: only the failed share is judged',
];
const cutBy: Readonly<Record<string, Cut>> = {
  'turn.ok': ofTurns,
  'effective.ok': ofTurns,
  'effectiveFirstToken.ok': ofTurns,
  'attempt.ok': ofAttempts,
  'firstToken.ok': ofAttempts,
  'firstAnswer.ok': ofAttempts,
  sessionCreate: ['createAttempts.timed_out', 'createAttempts.finished', 'attempts to create a session timed out'],
};

const percent = (share: number): string => `${String(Number((share * 100).toPrecision(6)))} %`;
const grouped = (count: number): string => count.toLocaleString('en-US');
