import { formatMs } from '../../base/format.ts';
import { metricNamed } from '../../result/metrics/metrics.ts';
import type { Result } from '../../result/result.ts';
import { isDoubtful } from '../../result/percentiles/doubt.ts';
import { headlineMetrics } from '../../result/metrics/doubtful.ts';
import { stepText } from '../words/measured-text.ts';

/** Names of the headline figures in sentences. */
const names: Readonly<Record<(typeof headlineMetrics)[number], string>> = {
  'turn.p50': 'turn p50',
  'turn.p95': 'turn p95',
  'firstToken.p50': 'first token p50',
  'gap.p95': 'gap p95',
};

/**
 * Describes the measurement error of the headline figures: `within 0.40 ms (first token p50), 3.10 ms (gap p95)`; a run with
 * streamed replies is described by these. Figures that end with polled replies are known up to the interval of the polls, unless
 * their error is larger. '' without probes and polls, or with too few turns for any figure.
 */
export function accuracyText(result: Result): string {
  const isStreamed = result.stream.replies > 0;
  const { resolutionMs } = result.latency;
  const figures = headlineMetrics
    .filter((name) => name.startsWith('turn.') !== isStreamed)
    .flatMap((name) => {
      const metric = metricNamed(name);
      const value = metric?.read(result).value ?? null;
      return value === null ? [] : [{ name: names[name], value, error: metric?.readError?.(result) ?? null }];
    });
  const isPolled = ({ error }: (typeof figures)[number]): boolean =>
    resolutionMs !== null && (error ?? 0) <= resolutionMs;
  const polled = figures.filter(isPolled).map(({ name }) => name);
  const texts = figures.flatMap((figure) => {
    const { name, value, error } = figure;
    if (error === null || isPolled(figure)) return [];
    return [`${formatMs(error)} (${name}${isDoubtful(value, error) ? ', doubtful' : ''})`];
  });
  const all = resolutionMs === null || polled.length === 0 ? texts : [polledText(resolutionMs, polled), ...texts];
  return all.length === 0 ? '' : `within ${all.join(', ')}`;
}

function polledText(resolutionMs: number, figures: readonly string[]): string {
  const step = stepText(resolutionMs);
  return `${step} (${figures.join(', ')}: replies are polled every ${step}; shorten reply.then.poll.every in the definition)`;
}
