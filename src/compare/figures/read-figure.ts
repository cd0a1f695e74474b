import type { MetricSource } from '../../result/metrics/comparison-rule.ts';
import type { MetricRule } from '../metrics/metric-rule.ts';
import { scaleOf } from '../metrics/scale.ts';
import type { OpenRun } from './open-run.ts';
import { readQuantile } from './read-quantile.ts';
import type { RunFigure, RunReading } from '../document/run-figure.ts';
import { sumOf } from '../../statistics/sum-of.ts';
import { withinError } from '../../statistics/within-error.ts';

/**
 * One metric of one run. Its variance comes from the segments, where there are 12 or more (statistics of batch means);
 * shares and ratios have at least the noise of their counts.
 */
export function readFigure(run: OpenRun, { source }: Pick<MetricRule, 'source'>): RunReading {
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
  }
}

function readMean(run: OpenRun, series: string): RunReading {
  const { count, sumMs, opened } = run.series(series);
  if (count === 0 || sumMs === 0) return { missing: 'no_data', detail: 'no values' };
  const mean = sumMs / count;
  const error = withinError(
    run,
    opened.map((part) => part.sumMs - mean * part.count),
  );
  return { figure: relative(mean, { count, error, size: sumMs }) };
}

function readRate(run: OpenRun, of: string): RunReading {
  const done = run.counts(of);
  const count = sumOf(done);
  if (count === 0 || run.lengthMs === 0) return { missing: 'no_data', detail: 'nothing happened' };
  const perMs = count / run.lengthMs;
  const error = withinError(
    run,
    run.parts.map(({ lengthMs }, at) => (done[at] ?? 0) - perMs * lengthMs),
  );
  return { figure: relative(perMs * 1000, { count, error, size: count }) };
}

type Ratio = Extract<MetricSource, { kind: 'ratio' }>;
type Share = Extract<MetricSource, { kind: 'share' }>;

/** The excess over one each is a count too, with the noise of at least one: no retries and one are indistinguishable. */
function readRatio(run: OpenRun, { of, per }: Ratio): RunReading {
  const [tops, bottoms] = [run.counts(of), run.counts(per)];
  const [top, count] = [sumOf(tops), sumOf(bottoms)];
  if (top === 0 || count === 0) return { missing: 'no_data', detail: 'nothing happened' };
  const ratio = top / count;
  const error = withinError(
    run,
    tops.map((each, at) => each - ratio * (bottoms[at] ?? 0)),
  );
  const least = Math.sqrt(Math.max(0, top - count) + 1);
  return { figure: relative(ratio, { count, error: Math.max(least, error ?? 0), size: top }) };
}

/**
 * Anscombe's root has a variance of 1/n for independent events whatever the share, however short the run; the batches
 * say how far they cluster beyond that.
 */
function readShare(run: OpenRun, source: Share): RunReading {
  const [events, wholes] = [run.counts(source.of), run.counts(source.among)];
  const [event, count] = [sumOf(events), sumOf(wholes)];
  if (count === 0) return { missing: 'no_data', detail: 'nothing happened' };
  const value = event / count;
  const error = withinError(
    run,
    events.map((each, at) => each - value * (wholes[at] ?? 0)),
  );
  const rare = source.rare === 'rest' ? count - event : event;
  const withinVariance = Math.max(1 / count, (error ?? 0) ** 2 / (count * Math.max(rare, 1)));
  return { figure: { level: scaleOf({ source }).levelOf(value, count), withinVariance, value, count } };
}

/** On the scale of logarithms the error of a sum is relative to the sum's size. */
const relative = (
  value: number,
  { count, error, size }: { count: number; error: number | null; size: number },
): RunFigure => ({
  level: Math.log(value),
  withinVariance: error === null ? null : (error / size) ** 2,
  value,
  count,
});
