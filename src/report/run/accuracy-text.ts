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
 * Describes the measurement error of the headline figures: `measured within 0.40 ms (first token p50), 3.10 ms (gap p95)`; a run with
 * streamed replies is described by these. '' without probes, or with too few turns for any figure.
 */
export function accuracyText(result: Result): string {
  const isStreamed = result.stream.replies > 0;
  const shown = headlineMetrics.filter((name) => name.startsWith('turn.') !== isStreamed);
  const texts = shown.flatMap((name) => {
    const metric = metricNamed(name);
    const [value, error] = [metric?.read(result).value ?? null, metric?.readError?.(result) ?? null];
    if (value === null || error === null) return [];
    return [`${formatMs(error)} (${names[name]}${isDoubtful(value, error) ? ', doubtful' : ''})`];
  });
  return texts.length === 0 ? '' : `within ${texts.join(', ')}`;
}

/** States the resolution of latencies that end with polled replies; '' if replies are not polled. */
export function resolutionText({ latency: { resolutionMs } }: Result): string {
  return resolutionMs === null ? '' : `resolution ${stepText(resolutionMs)}: replies are polled`;
}
