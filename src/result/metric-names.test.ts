import { describe, expect, test } from 'vitest';
import { defineScenario } from '../scenario/define-scenario.ts';
import type { RetryClass } from '../scenario/scenario-values.ts';
import type { Scenario } from '../scenario/scenario.ts';

describe('the names that an editor completes', () => {
  // Errors here break the build: `tsc` reads the tests too.
  test('in gates and retry.classes are checked by the compiler', () => {
    const min = { name: 'x', messages: ['Hi'], sessions: 1 };
    const right: Scenario = defineScenario({
      ...min,
      gates: { 'turn.p95': '< 2s', 'position.17+.p99.9': { gate: '< 9s' }, 'outcomes.timed_out.share': '< 1%' },
      retry: { classes: ['rate_limited', 'timed_out'] },
    });
    // @ts-expect-error unknown metric
    const wrongGate: Scenario = { ...min, gates: { 'turn.p59': '< 2s' } };
    // @ts-expect-error unknown class
    const wrongClass: Scenario = { ...min, retry: { classes: ['rate_limit'] } };
    // @ts-expect-error ok is not retried
    const ok: RetryClass = 'ok';
    expect([right, wrongGate, wrongClass, ok]).toHaveLength(4);
  });
});
