import { type MetricRule, metricRules } from '../../src/compare/metrics/metric-rules.ts';
import { openRun } from '../../src/compare/figures/open-run.ts';
import { readFigure } from '../../src/compare/figures/read-figure.ts';
import type { RunFigure } from '../../src/compare/document/side.ts';
import { intervalPart } from '../../src/compare/figures/run-part.ts';
import { randomOf } from '../../src/base/random.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import { encodeValues } from './encode-values.ts';
import { modelRun, type ModelSecond, type ModelService } from './queue-model.ts';

/** The figures of a run by the names of their metrics. */
export type Figures = ReadonlyMap<string, RunFigure>;

/** Metrics of comparisons of non-streamed replies, except those missing from intervals. */
export const gateRules: readonly MetricRule[] = metricRules.filter(
  (rule) => rule.isGated && rule.isOfStreams !== true && rule.isOfTotals !== true,
);

interface PoolOptions {
  runs: number;
  seed: number;
  rules?: readonly MetricRule[];
}

/** The figures of runs of one service, with nothing but chance between them. About 0.1 s for a run of 60,000 turns. */
export function poolOf(service: ModelService, { runs, seed, rules = gateRules }: PoolOptions): Figures[] {
  return Array.from({ length: runs }, (_, number) => figuresOfModel(modelRun(service, randomOf(seed, number)), rules));
}

/** Figures as the product reads them from the intervals of a result. */
function figuresOfModel(seconds: readonly ModelSecond[], rules: readonly MetricRule[]): Figures {
  const asked = new Set(rules.flatMap(({ source }) => ('series' in source ? [source.series] : [])));
  const run = openRun(seconds.map((second, number) => intervalPart(intervalOf(second, number, asked))));
  return new Map(
    rules.flatMap((rule) => {
      const reading = readFigure(run, rule);
      return 'figure' in reading ? [[rule.name, reading.figure]] : [];
    }),
  );
}

/** A second as the interval of a result, with only the requested series. */
function intervalOf(second: ModelSecond, number: number, asked: ReadonlySet<string>): Interval {
  const { turns, failedTurns, retries, attempts, creations, failedCreations } = second;
  const started = creations.length + failedCreations;
  const sent = turns.length + failedTurns;
  const series = Object.entries({ 'turn.ok': turns, 'attempt.ok': attempts, sessionCreate: creations });
  return {
    startMs: number * 1000,
    lengthMs: 1000,
    warmUp: false,
    turns: { sent, ok: turns.length, failed: failedTurns, good: turns.length, byClass: {} },
    attempts: {
      total: sent + retries,
      retries,
      byClass: { ok: attempts.length, internal_error: failedTurns + retries },
    },
    createAttempts: { total: started, byClass: { ok: creations.length, internal_error: failedCreations } },
    sessions: { started, created: creations.length, createFailed: failedCreations, ended: started },
    integrity: { replies: 0, failed: 0 },
    concurrency: null,
    generator: null,
    latency: Object.fromEntries(
      series.flatMap(([name, values]) => (asked.has(name) && values.length > 0 ? [[name, stored(values)]] : [])),
    ),
  };
}

const stored = (values: readonly number[]) => ({
  count: values.length,
  sumMs: values.reduce((sum, us) => sum + us, 0) / 1000,
  minMs: Math.min(...values) / 1000,
  maxMs: Math.max(...values) / 1000,
  hdr: encodeValues(values),
});
