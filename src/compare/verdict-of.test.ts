import { expect, test } from 'vitest';
import { inconclusive } from '../../test/support/synthetic-comparison.ts';
import { changed, familyOf } from '../../test/support/synthetic-metrics.ts';
import type { Comparison, MetricComparison } from './document/comparison.ts';
import { findingSentence } from './verdict-of.ts';

/** Returns the statement about a comparison in which these metrics are open, by the number of runs that would decide each. */
const saidOf = (open: Readonly<Record<string, number | null>>, unit: Comparison['design']['unit'] = 'run'): string => {
  const metrics = Object.entries(open).reduce<MetricComparison[]>(
    (all, [name, runsNeeded]) => changed(all, name, { verdict: 'inconclusive', runsNeeded }),
    familyOf({}),
  );
  return findingSentence({ ...inconclusive, metrics, design: { ...inconclusive.design, unit } });
};

test('the number of runs is computed from a percentile of turns, which is named, even if a creation needs many more', () => {
  const said = saidOf({ 'turn.ok.p50': 9, 'turn.ok.p99': 31, 'turns.failedShare': 60, 'sessionCreate.p99': 491 });
  expect(said).toMatch(/; about 31 runs per side would decide turn\.ok\.p99\.$/);
});

test('the number of runs is computed from failures if the percentiles of turns are decided, or no number is known for them', () => {
  const open = { 'turns.failedShare': 60, 'sessionCreate.p99': 491 };
  for (const said of [saidOf(open), saidOf({ ...open, 'turn.ok.p50': null })])
    expect(said).toMatch(/; about 60 runs per side would decide turns\.failedShare\.$/);
});

test('the number of runs is computed from the only open metric, and counts batches if these are compared', () => {
  expect(saidOf({ 'sessionCreate.p99': 491 })).toMatch(
    /whether sessionCreate\.p99 changed; about 491 runs per side would decide it\.$/,
  );
  expect(saidOf({ 'sessionCreate.p99': 8 }, 'sitting')).toContain('about 8 batches of runs per side would decide it');
});

test('no number of runs is named if none is known to help', () => {
  expect(saidOf({ 'turn.ok.p50': null })).toMatch(/whether turn\.ok\.p50 changed\.$/);
});
