import { metricNamed } from './metrics.ts';
import type { Published } from './metric.ts';
import { isDoubtful, type DoubtfulFigure } from '../percentiles/doubt.ts';

/** Figures that most readers look at: a run in which one of them is doubtful is degraded. */
export const headlineMetrics = ['turn.p50', 'turn.p95', 'firstToken.p50', 'gap.p95'] as const;

/** Returns the doubtful figures among metrics, each once. */
export function findDoubtful(metrics: readonly string[], published: Published): DoubtfulFigure[] {
  return [...new Set(metrics)].flatMap((name) => {
    const metric = metricNamed(name);
    // Only latencies have an error; other metrics may need the validity itself.
    const errorMs = metric?.readError?.(published) ?? null;
    const valueMs = errorMs === null ? null : (metric?.read(published).value ?? null);
    const isKnown = valueMs !== null && errorMs !== null && Number.isFinite(valueMs);
    return isKnown && isDoubtful(valueMs, errorMs) ? [{ metric: name, valueMs, errorMs }] : [];
  });
}
