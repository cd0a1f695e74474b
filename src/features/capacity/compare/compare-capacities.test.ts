import { describe, expect, test } from 'vitest';
import { sampleCapacity } from '../test/sample-capacity.ts';
import type { Capacity } from '../document/capacity.ts';
import { capacityComparisonSchema } from './capacity-comparison.ts';
import { compareCapacities } from './compare-capacities.ts';

const judging = { force: false, failOnInconclusive: false, toolVersion: '0' };
let at = 0;
/** A separate search: no two start at the same instant. */
const searched = (over: Partial<Capacity> = {}): Capacity =>
  sampleCapacity({}, { startedAt: new Date(Date.UTC(2026, 10, 1) + ++at).toISOString(), ...over });
const end = (load: number, times = 2) => ({ load, steps: [11, 12, 13].slice(0, times) });
const between = (holds: number, broken: number, over: Partial<Capacity> = {}): Capacity =>
  searched({
    holds: end(holds),
    broken: { ...end(broken), objective: 'turn.p95', reason: 'r', isSaturated: false },
    ...over,
  });
const side = (label: string, capacities: readonly Capacity[]) => ({
  label,
  searches: capacities.map((capacity) => ({ file: null, capacity })),
});
const compare = (base: readonly Capacity[], head: readonly Capacity[], over: Partial<typeof judging> = {}) =>
  compareCapacities({ base: side('v1', base), head: side('v2', head) }, { ...judging, ...over });

describe('two capacities', () => {
  test('that do not overlap are a regression, bounded by their ends', () => {
    const found = compare([between(180, 200)], [between(150, 160)]);
    expect(found.verdict).toBe('regressed');
    expect(found.change?.high).toBeCloseTo(160 / 180 - 1);
    expect(found.change?.low).toBeCloseTo(150 / 200 - 1);
    expect(found.summary).toBe(
      'The head sustains between 11 % and 25 % less load (180 to 200 concurrent sessions before, 150 to 160 concurrent sessions now).',
    );
    expect(capacityComparisonSchema.parse(found)).toEqual(found);
  });

  test('are an improvement in the opposite order', () => {
    const found = compare([between(150, 160)], [between(180, 200)]);
    expect([found.verdict, found.summary]).toEqual([
      'improved',
      expect.stringContaining('The head sustains between 12 % and 34 % more load') as string,
    ]);
  });

  test('that touch do not overlap, because a broken load is beyond the capacity', () => {
    const found = compare([between(180, 200)], [between(165, 180)]);
    expect([found.verdict, found.summary]).toEqual([
      'regressed',
      expect.stringContaining('up to 18 % less load') as string,
    ]);
  });

  test('that overlap show no change, and the remaining uncertainty', () => {
    const found = compare([between(180, 200)], [between(170, 190)]);
    expect(found.verdict).toBe('unchanged');
    expect(found.summary).toContain('No change shown; up to 15 % less or up to 5.6 % more is possible');
  });

  test('of one service differ by no more than a hair: 1000 pairs', () => {
    for (let pair = 0; pair < 1000; pair++) {
      const [before, now] = [100 + pair, 100 + ((pair * 7919) % 1000)];
      const found = compare(
        [between(Math.floor(before / 1.04), Math.ceil(before * 1.04) + 1)],
        [between(Math.floor(now / 1.04), Math.ceil(now * 1.04) + 1)],
      );
      const change = now / before - 1;
      expect(found.change?.low).toBeLessThanOrEqual(change);
      expect(found.change?.high).toBeGreaterThanOrEqual(change);
      if (found.verdict === 'regressed') expect(change).toBeLessThan(0);
      if (found.verdict === 'improved') expect(change).toBeGreaterThan(0);
    }
  });
});

describe('an outcome without an interval', () => {
  const atMost = (load: number) => searched({ outcome: 'holds_at_max', holds: end(load), broken: null });
  const atLeast = (load: number) =>
    searched({
      outcome: 'fails_at_min',
      holds: null,
      broken: { ...end(load), objective: 'turn.p95', reason: 'r', isSaturated: false },
    });

  test('reports its bound', () => {
    expect(compare([between(180, 200)], [atMost(1000)])).toMatchObject({
      verdict: 'improved',
      summary: expect.stringContaining('at least 400 % more') as string,
      change: { low: 4, high: null },
    });
    expect(compare([between(180, 200)], [atLeast(1)])).toMatchObject({
      verdict: 'regressed',
      summary: expect.stringContaining('at least 99 % less') as string,
    });
  });

  test('is inconclusive if its bound does not suffice, with the reason', () => {
    const found = compare([between(180, 200)], [atMost(190)]);
    expect(found.verdict).toBe('inconclusive');
    expect(found.reason).toContain('holds at max');
    expect(found.summary).toContain('any amount more');
  });

  test('ignores an end that only one step shows', () => {
    const once = between(150, 160, {
      outcome: 'bounded',
      holds: end(150, 1),
      broken: { ...end(160, 1), objective: null, reason: 'r', isSaturated: false },
    });
    const found = compare([between(180, 200)], [once]);
    expect([found.verdict, found.change]).toEqual(['inconclusive', { low: null, high: null }]);
    expect(found.warnings).toEqual([expect.stringContaining('shows neither end twice (bounded)')]);
  });
});

test('several searches of a side are a range that holds them all', () => {
  const base = [between(180, 200), between(170, 185)];
  expect(compare(base, [between(150, 160)]).base.range).toEqual({ holds: 170, broken: 200 });
  expect(compare(base, [between(165, 175)]).verdict).toBe('unchanged');
  expect(compare(base, [between(150, 170)]).verdict).toBe('regressed');
});

describe('a comparison is rejected', () => {
  const sample = between(180, 200);
  const { scenario } = sample;
  test.each<[string, Partial<Capacity>]>([
    ['scenario.hash', { scenario: { ...scenario, hash: 'b'.repeat(64) } }],
    ['by', { by: 'rate' }],
    ['objectives', { objectives: sample.objectives.slice(1) }],
    ['scenario.protocol', { scenario: { ...scenario, protocol: 'openai-chat' } }],
    ['target.embedded', { scenario: { ...scenario, target: null } }],
    ['machine', { machine: 'another, 64 cores' }],
  ])('if the %s differs, unless it is forced', (key, over) => {
    const [base, head] = [[between(180, 200)], [between(150, 160, over)]];
    const found = compare(base, head);
    expect([found.verdict, found.change]).toEqual(['not_comparable', null]);
    expect(found.comparability.refusals.map((each) => each.key)).toEqual([key]);
    const forced = compare(base, head, { force: true });
    expect([forced.verdict, forced.comparability.forced]).toEqual(['regressed', true]);
  });

  test('of a search with itself', () => {
    expect(compare([sample], [sample]).comparability.refusals.map(({ key }) => key)).toEqual(['startedAt']);
  });

  test('but not if a limit is only written in another way, or the address is another', () => {
    const [first, ...others] = sample.objectives;
    if (first === undefined) throw new Error('there is an objective');
    const head = between(150, 160, {
      objectives: [...others, { ...first, condition: ' <2000 ms' }],
      scenario: { ...scenario, target: 'https://next.example/' },
      machine: 'an unknown machine',
    });
    expect(compare([sample], [head]).verdict).toBe('regressed');
  });
});

test('reports other seeds, tools, step lengths and another failing objective', () => {
  const sample = between(180, 200);
  const head = between(150, 160, {
    scenario: { ...sample.scenario, seed: 2 },
    toolVersion: '9',
    bounds: { ...sample.bounds, maxStepMs: 1000 },
    broken: { ...end(160), objective: 'turns.failedShare', reason: 'r', isSaturated: false },
  });
  const found = compare([sample], [head]);
  expect(found.comparability.warnings.map(({ key }) => key)).toEqual([
    'scenario.seed',
    'bounds.maxStepMs',
    'toolVersion',
  ]);
  expect(found.warnings).toEqual([
    'The objective that fails first has changed: turn.p95 before, turns.failedShare now.',
  ]);
});
