import { formatMs } from '../../base/format.ts';
import { metricNamed } from '../../result/metrics/metrics.ts';
import type { Published } from '../../result/metrics/metric.ts';
import { isDoubtful } from '../../result/percentiles/doubt.ts';
import type { RunReading } from '../document/side.ts';
import type { MetricRule } from '../metrics/metric-rules.ts';

/** Share of the margin that the measurement error of a compared figure may have. */
const maxErrorInMargin = 0.5;

/** Share of a figure beyond which its error matters however small it is: changes of a figure of half a millisecond would be changes of the error. */
const maxErrorInFigure = 0.25;

/** Adds the measurement error of a latency to its reading; a doubtful figure becomes a missing one. */
export function withError(
  reading: RunReading,
  rule: Pick<MetricRule, 'name' | 'unit' | 'margin'>,
  result: Published,
): RunReading {
  if (!('figure' in reading) || rule.unit !== 'ms') return reading;
  const errorMs = metricNamed(rule.name)?.readError?.(result) ?? null;
  if (errorMs === null) return reading;
  const { value } = reading.figure;
  if (isDoubtful(value, errorMs, rule.margin * maxErrorInMargin) || errorMs > maxErrorInFigure * value)
    return {
      missing: 'doubtful',
      detail: `the generator read replies late, so that the figure may be up to ${formatMs(errorMs)} too high`,
      errorMs,
    };
  return { figure: { ...reading.figure, error: errorMs / value } };
}
