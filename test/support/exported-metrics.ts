import type { MetricData } from '@opentelemetry/sdk-metrics';
import type { ExportedRun } from '../../src/edge/metrics/exported-metrics.ts';
import { instant } from '../../src/base/time.ts';
import { createRecorder } from '../../src/record/recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { runFacts } from './synthetic-result.ts';
import { planFor, syntheticRun, tellAll } from './synthetic-run.ts';

/** An exported value, independent of the export format. `name` is the name in OpenTelemetry. */
export interface ExportedValue {
  name: string;
  attributes: Readonly<Record<string, unknown>>;
  /** A count or, of a series, how many values it has. */
  value: number;
  /** Sum of the values of a series, in seconds. */
  sum?: number | undefined;
}

/** A synthetic run that has ended, as it is exported, and its snapshot. Two policies, a warm-up, all kinds of failures. */
export function exportedRun(scenario: Partial<Scenario> = {}): { run: ExportedRun; snapshot: Snapshot } {
  const plan = planFor({
    sessions: 300,
    warmUp: '1500ms',
    load: { sessionsPerSecond: 60 },
    retry: { one: {}, two: { maxAttempts: 2 } },
    ...scenario,
  });
  const told = syntheticRun({ sessions: 300, policies: plan.retry.length });
  const recorder = createRecorder({ plan, startedAt: instant(0), defer: () => undefined });
  tellAll(told, recorder);
  const end = instant(Math.ceil(told.at(-1)?.at ?? 0));
  const snapshot = recorder.snapshot(end);
  const run: ExportedRun = {
    plan,
    run: runFacts,
    target: { address: 'agent.example', port: 443, protocol: 'chat-messaging' },
    live: () => recorder.live(end),
    totals: () => recorder.totals(),
  };
  return { run, snapshot };
}

/** Lists the values in metric data. */
export function valuesIn(metrics: readonly MetricData[]): ExportedValue[] {
  return metrics.flatMap(({ descriptor, dataPoints }) =>
    dataPoints.map(({ attributes, value }) => ({
      name: descriptor.name.replace(/\.seconds$/, ''),
      attributes,
      ...(typeof value === 'number' ? { value } : { value: value.count, sum: value.sum }),
    })),
  );
}

/** The sum of the values of a metric that have these attributes. */
export function sumOf(
  values: readonly ExportedValue[],
  name: string,
  where: ExportedValue['attributes'] = {},
): { value: number; sum: number } {
  const found = values.filter(
    (each) => each.name === name && Object.entries(where).every(([key, wanted]) => each.attributes[key] === wanted),
  );
  return found.reduce((so, each) => ({ value: so.value + each.value, sum: so.sum + (each.sum ?? 0) }), {
    value: 0,
    sum: 0,
  });
}
