import { expect, test } from 'vitest';
import { sampleCapacity } from '../test/sample-capacity.ts';
import { shownLatency } from './capacity-facts.ts';
import { curveRows } from './curve-section.ts';
import { stepTable } from './capacity-outline.ts';

const sample = sampleCapacity();
const capacity = {
  ...sample,
  objectives: [{ metric: 'firstToken.p95', condition: '< 800ms', unit: 'ms', limit: 800, isGuard: false }],
  steps: sample.steps.map((step) => ({
    ...step,
    objectives: [{ ...step.objectives[0], metric: 'firstToken.p95', actual: 123 }],
  })) as typeof sample.steps,
};

test('tables and the curve show the latency that is searched for', () => {
  expect(shownLatency(capacity)).toMatchObject({ metric: 'firstToken.p95', limitMs: 800 });
  expect(stepTable(capacity).columns.map(({ head, terminal = head }) => terminal)).toContain('firstToken.p95');
  expect(curveRows(capacity).every(({ latencyMs }) => latencyMs === 123)).toBe(true);
  expect(shownLatency(sample)).toMatchObject({ metric: 'turn.p95' });
});
