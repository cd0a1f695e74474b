import { expect, test } from 'vitest';
import { capacitiesCompared } from '../test/compared-capacities.ts';
import { sampleCapacity } from '../test/sample-capacity.ts';
import { viewCapacitiesRow, viewCapacityRow } from './capacity-rows.ts';

const place = { id: 'an-id', folder: 0, file: 'peak-capacity.json' };
const later = '2026-11-03T08:00:00.000Z';

test('the row of a capacity has its answer, label and start, and no figures of a run', () => {
  const capacity = sampleCapacity();
  const row = viewCapacityRow(place, capacity);
  expect(row).toMatchObject({
    document: 'capacity',
    scenario: 'peak',
    label: 'v1.4',
    at: capacity.startedAt,
    verdict: 'PASSED',
    reason: expect.stringMatching(
      /^sustains \d+ concurrent sessions, confirmed by 2 steps; fails at \d+: turn\.p95/,
    ) as string,
    figures: { firstToken: '-', turn: '-', failed: '-', rate: '-' },
  });
});

test.each([
  ['fails_at_min', 'FAILED'],
  ['generator_limited', 'INVALID'],
] as const)('a search that ended as %s is %s', (outcome, verdict) => {
  expect(viewCapacityRow(place, sampleCapacity({}, { outcome })).verdict).toBe(verdict);
});

test('the row of a comparison of them is placed by its newest search', () => {
  const head = sampleCapacity({ places: 14 }, { startedAt: later });
  expect(viewCapacitiesRow(place, capacitiesCompared([sampleCapacity()], [head]))).toMatchObject({
    document: 'comparison',
    at: later,
    label: 'v1.5 against v1.4',
    verdict: 'FAILED',
    reason: expect.stringContaining('less load') as string,
  });
});
