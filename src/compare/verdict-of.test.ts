import { describe, expect, test } from 'vitest';
import { inconclusive, notConfirmed, unchanged } from '../../test/support/synthetic-comparison.ts';
import { changed, familyOf } from '../../test/support/synthetic-metrics.ts';
import type { Comparison, MetricComparison } from './document/comparison.ts';
import { findingSentence, undecidedText } from './verdict-of.ts';

type Open = Readonly<Record<string, Partial<MetricComparison>>>;

/** Returns a comparison with these undecided metrics. */
const withOpen = (open: Open, unit: Comparison['design']['unit'] = 'run'): Comparison => {
  const metrics = Object.entries(open).reduce<MetricComparison[]>(
    (all, [name, over]) => changed(all, name, { verdict: 'inconclusive', ...over }),
    familyOf({}),
  );
  return { ...inconclusive, metrics, design: { ...inconclusive.design, unit } };
};
const saidOf = (open: Open, unit?: Comparison['design']['unit']): string => findingSentence(withOpen(open, unit));

describe('the smallest change that the data could show', () => {
  test('is for a percentile of turns, and names it, even if a creation percentile is much noisier', () => {
    const open = {
      'turn.ok.p50': { visibleFrom: 0.08 },
      'turn.ok.p99': { visibleFrom: 0.31 },
      'turns.failedShare': { visibleFrom: 0.6 },
      'sessionCreate.p99': { visibleFrom: 0.9 },
    };
    expect(saidOf(open)).toMatch(
      /: a change of less than 31\.0 % \(turn\.ok\.p99\) cannot be seen with 5 runs per side; use chat-load ab\.$/,
    );
  });

  test('is for failures if the percentiles of turns are decided, or their noise is unknown', () => {
    const open = { 'turns.failedShare': { visibleFrom: 0.0125 }, 'sessionCreate.p99': { visibleFrom: 0.9 } };
    for (const said of [saidOf(open), saidOf({ ...open, 'turn.ok.p50': { visibleFrom: null } })])
      expect(said).toContain('a change of less than 1.25 pp (turns.failedShare) cannot be seen');
  });

  test.each([
    ['run', 'with 5 runs per side; use chat-load ab.'],
    ['sitting', 'with 5 runs per side; use chat-load ab.'],
    ['pair', 'with 5 pairs; about 12 pairs would show one of 10.0 % (turn.ok.p99).'],
  ] as const)('counts what was compared, with the way to see smaller ones: %s', (unit, end) => {
    const said = saidOf({ 'turn.ok.p99': { visibleFrom: 0.2, runsNeeded: 12 } }, unit);
    expect(said.slice(-end.length)).toBe(end);
  });

  test('recommends no number of pairs that nobody runs', () => {
    const said = saidOf({ 'sessionCreate.p99': { visibleFrom: 1.74, runsNeeded: 2176 } }, 'pair');
    expect(said).toMatch(/less than 174 % \(sessionCreate\.p99\) .* 5 pairs; use more pairs or longer runs\.$/);
  });

  test('names the margin if that is larger than the noise', () => {
    expect(saidOf({ 'turn.ok.p50': { visibleFrom: 0.05 } }, 'pair')).toMatch(
      /a change of about 5\.0 % \(turn\.ok\.p50\), its margin, is not yet decided with 5 pairs; use more pairs or longer runs\.$/,
    );
  });

  test('is missing if the noise is unknown', () => {
    expect(saidOf({ 'turn.ok.p50': { visibleFrom: null } })).toMatch(/: the noise is unknown; use chat-load ab\.$/);
  });

  test.each([
    ['pair', 'figures of only 1 of 3 pairs can be compared; use more pairs or longer runs, on an idle machine.'],
    ['run', 'figures of only 1 of 3 runs per side can be compared; use chat-load ab, on an idle machine.'],
  ] as const)('is missing if too few figures can be used, since others are doubtful: %s', (unit, end) => {
    const said = saidOf({ 'turn.ok.p50': { visibleFrom: null, runs: { base: 1, head: 1 } } }, unit);
    expect(said.slice(-end.length)).toBe(end);
  });
});

test('an alarm that was not confirmed leaves no metric undecided', () => {
  expect(undecidedText(notConfirmed)).toBe('a second set of runs did not show the regression again');
  expect(findingSentence(notConfirmed)).toBe('Inconclusive: a second set of runs did not show the regression again.');
});

test('metrics without data are excluded from the ones shown to be unchanged', () => {
  const metrics = changed(familyOf({}), 'turn.ok.p99', { verdict: 'no_data' });
  expect(findingSentence({ ...unchanged, metrics })).toBe(
    'Unchanged: every deciding metric is shown to be within its margin, except 1 without data.',
  );
});

test('without any deciding metric there is not enough data', () => {
  const metrics = familyOf({}).map((each) => ({ ...each, verdict: 'no_data' as const }));
  expect(undecidedText({ ...inconclusive, metrics })).toBe('no deciding metric has enough data');
});
