import { describe, expect, test } from 'vitest';
import { shownSteps } from '../test/shown-steps.ts';
import type { SearchState } from './search.ts';
import { planStep } from './plan-step.ts';

const settings: SearchState['settings'] = {
  by: 'concurrency',
  objectives: [],
  min: 4,
  max: 100,
  maxLive: 1000,
  sessionTurns: 1,
  tolerance: 0.1,
  maxStepMs: 300_000,
  maxDurationMs: null,
  isDurationUsual: false,
  maxTurns: null,
  maxSessions: null,
  maxCost: null,
  restMs: 2000,
};
type ShownInput = Parameters<typeof shownSteps>[0];

const decide = (
  seen: ShownInput,
  { ceiling = Infinity, ...rest }: Partial<SearchState['settings']> & { ceiling?: number } = {},
) =>
  planStep({
    settings: { ...settings, ...rest },
    shown: shownSteps(seen),
    ceiling: { load: ceiling, why: 'busy' },
    fullTurns: 10_000,
    fullMs: 10_000,
  });

const probe = (load: number, verdict: 'holds' | 'broken' | 'undecided' | 'no_evidence', turnsPerSecond = load) =>
  ({ load, verdict, certainty: 'probe', purpose: 'probe', pace: { turnsPerSecond, cycleMs: 1000 } }) as const;
const probes = (load: number) => ({ play: { load, by: 'concurrency', purpose: 'probe', certainty: 'probe' } });
const quick = (load: number, verdict: 'holds' | 'broken' | 'undecided' | 'no_evidence') =>
  ({ load, verdict, certainty: 'quick', purpose: 'climb' }) as const;
const twice = (load: number, verdict: 'holds' | 'broken') => [
  { load, verdict },
  { load, verdict },
];
const climbs = (load: number, certainty = 'quick') => ({ play: { load, purpose: 'climb', certainty } });
const confirms = (load: number) => ({ play: { load, purpose: 'confirm', certainty: 'full' } });

describe('upwards', () => {
  test.each<[string, ShownInput, unknown]>([
    ['probes the lowest load first', [], probes(4)],
    ['doubles', [probe(4, 'holds')], probes(8)],
    ['goes on from a load that is undecided', [probe(4, 'holds'), { ...probe(8, 'undecided'), share: 0 }], probes(16)],
    ['goes no higher than it may', [probe(64, 'holds')], probes(100)],
    ['repeats a probe that was no evidence', [probe(64, 'no_evidence')], probes(64)],
    ['shows the highest load twice', [probe(100, 'holds')], confirms(100)],
    ['and again', [probe(100, 'holds'), { load: 100, verdict: 'holds' }], confirms(100)],
    ['then the capacity is beyond', [probe(100, 'holds'), ...twice(100, 'holds')], { end: 'holds_at_max' }],
    ['shows that the lowest load fails', [probe(4, 'broken')], confirms(4)],
    ['without a number between', [probe(4, 'broken'), ...twice(4, 'broken')], { end: 'fails_at_min' }],
  ])('%s', (_, seen, decision) => {
    expect(decide(seen)).toMatchObject(decision as object);
  });

  test.each<[string, ShownInput, unknown]>([
    ['climbs from half of the throughput that was busy', [], climbs(4)],
    ['continues above an undecided load', [{ ...quick(4, 'undecided'), share: 0 }], climbs(5.6)],
    ['up to that throughput', [quick(4, 'holds'), quick(5.6, 'holds'), quick(6.8, 'holds')], climbs(8)],
    ['and beyond it by longer steps each time', [quick(8, 'holds'), quick(9.6, 'holds')], climbs(13.8)],
    ['continues below a broken load', [quick(4, 'broken')], climbs(2.4)],
  ])('by rate, %s', (_, seen, decision) => {
    const busy = [probe(1, 'holds', 4), probe(2, 'holds', 8), probe(4, 'holds', 8)].map((each) => ({
      ...each,
      by: 'concurrency' as const,
    }));
    expect(decide([...busy, ...seen], { by: 'rate', min: 0.1, max: 1000 })).toMatchObject(decision as object);
  });

  test('abandons a load that stays undecided in three full steps', () => {
    const seen = [
      probe(100, 'holds'),
      ...Array.from({ length: 3 }, () => ({ load: 100, verdict: 'undecided' as const })),
    ];
    expect(decide(seen)).toMatchObject({ end: 'undecided' });
  });
});

describe('a generator at its limit', () => {
  test('continues between, shows the highest passing load, and claims nothing about the service', () => {
    const held = [probe(4, 'holds'), probe(16, 'holds')];
    expect(decide(held, { ceiling: 32 })).toMatchObject(climbs(23));
    const near = [...held, quick(28, 'holds')];
    expect(decide(near, { ceiling: 32 })).toMatchObject(confirms(28));
    expect(decide([...near, ...twice(28, 'holds')], { ceiling: 32 })).toEqual({
      end: 'generator_limited',
      reason: 'busy',
    });
  });

  test('a failure above it does not count', () => {
    expect(decide([probe(4, 'holds'), probe(40, 'broken')], { ceiling: 32 })).toMatchObject(climbs(11));
  });

  test('not even at the lowest load', () => {
    expect(decide([], { ceiling: 4 })).toMatchObject({ end: 'generator_limited' });
  });
});

const loadOf = (decision: ReturnType<typeof decide>): number => ('play' in decision ? decision.play.load : NaN);

describe('between the load that holds and the load that breaks', () => {
  const bracket = [probe(16, 'holds'), probe(32, 'broken')];

  test('starts with a quick step, about half way', () => {
    expect(decide(bracket)).toEqual({ play: { load: 22, purpose: 'narrow', certainty: 'quick' } });
  });

  test('nearer to the end that is near the limit', () => {
    const near = [...bracket, { ...quick(32, 'broken'), share: 0.09 }];
    expect(decide(near)).toMatchObject({ play: { certainty: 'quick' } });
    expect(loadOf(decide(near))).toBeGreaterThan(loadOf(decide(bracket)));
  });

  test('does not repeat an undecided quick step, but runs a full one', () => {
    const decision = decide([...bracket, { ...quick(23, 'undecided'), share: 0.05 }]);
    expect(decision).toMatchObject({ play: { certainty: 'full' } });
  });

  test('ends when both ends were shown twice and are close enough', () => {
    expect(decide([...bracket, ...twice(20, 'holds'), ...twice(22, 'broken')])).toMatchObject({ end: 'found' });
    expect(decide([...bracket, ...twice(20, 'holds'), { load: 22, verdict: 'broken' }])).toMatchObject(confirms(22));
    expect(decide([...bracket, { load: 20, verdict: 'holds' }, ...twice(22, 'broken')])).toMatchObject(confirms(20));
    expect(decide([...bracket, ...twice(20, 'holds'), ...twice(25, 'broken')])).toMatchObject({ play: { load: 22 } });
  });

  test('a load that held and broke is neither end', () => {
    const both = [...twice(20, 'holds'), { load: 20, verdict: 'broken' as const }, ...twice(22, 'broken')];
    expect(decide([...bracket, ...both])).not.toMatchObject({ end: 'found' });
  });

  test('ends after ninety steps, whatever their verdicts', () => {
    const many = Array.from({ length: 90 }, () => ({ load: 20, verdict: 'undecided' as const }));
    expect(decide([...bracket, ...many])).toMatchObject({ end: 'undecided' });
  });
});
