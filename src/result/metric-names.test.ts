import { describe, expect, test } from 'vitest';
import {
  adjustedNames,
  countNames,
  driftNames,
  extremeNames,
  integrityNames,
  latencyNames,
  percentileNames,
  type MetricName,
} from '../scenario/metric-name.ts';
import { defineScenario } from '../scenario/define-scenario.ts';
import type { RetryClass, Scenario } from '../scenario/scenario.ts';
import { finishedClassNames } from '../protocol/outcome.ts';
import { metrics } from './metrics/metrics.ts';

/** Every name that the type allows, written out. */
const typed: readonly MetricName[] = [
  ...latencyNames.flatMap((name) => [...percentileNames, ...extremeNames].map((end) => `${name}.${end}` as const)),
  ...adjustedNames.flatMap((name) => percentileNames.map((end) => `${name}.${end}` as const)),
  ...countNames,
  ...finishedClassNames.flatMap((name) => [`outcomes.${name}.share`, `outcomes.${name}.count`] as const),
  ...integrityNames.map((name) => `integrity.${name}.failed` as const),
  ...driftNames.map((name) => `drift.${name}` as const),
];

describe('the names that an editor completes', () => {
  test('in gates are those of the registry of metrics, no more and no fewer', () => {
    expect([...typed].sort()).toEqual(metrics.map(({ name }) => name).sort());
  });

  // What is wrong here breaks the build: `tsc` reads the tests too.
  test('in gates and retry.classes are checked by the compiler', () => {
    const least = { name: 'x', messages: ['Hi'], sessions: 1 };
    const right: Scenario = defineScenario({
      ...least,
      gates: { 'turn.p95': '< 2s', 'position.17+.p99.9': { gate: '< 9s' }, 'outcomes.timed_out.share': '< 1%' },
      retry: { classes: ['rate_limited', 'timed_out'] },
    });
    // @ts-expect-error there is no such metric
    const wrongGate: Scenario = { ...least, gates: { 'turn.p59': '< 2s' } };
    // @ts-expect-error there is no such class
    const wrongClass: Scenario = { ...least, retry: { classes: ['rate_limit'] } };
    // @ts-expect-error what is ok is not retried
    const ok: RetryClass = 'ok';
    expect([right, wrongGate, wrongClass, ok]).toHaveLength(4);
  });
});
