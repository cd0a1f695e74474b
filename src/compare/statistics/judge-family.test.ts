import { describe, expect, test } from 'vitest';
import { latencyRule, rateRule, runsOf, shareRule, shareRuns } from '../../../test/support/observed-runs.ts';
import { metricComparisonSchema } from '../document/comparison.ts';
import { type MetricRule, metricRules } from '../metrics/metric-rules.ts';
import { judgeFamily, type MeasuredMetric } from './judge-family.ts';

const levels = [4.6, 4.61, 4.59, 4.605, 4.595];
const moved = (by: number, rule = latencyRule): MeasuredMetric => ({
  rule,
  base: runsOf(levels),
  head: runsOf(levels.map((level) => level + by)),
});

describe('a family of metrics', () => {
  test('requires stronger evidence of each the more metrics there are', () => {
    const [alone] = judgeFamily([moved(0.016)], { q: 0.05 });
    const [among] = judgeFamily([moved(0.016), ...Array.from({ length: 7 }, () => moved(0))], { q: 0.05 });
    expect(alone?.pAdjusted).toBe(alone?.p);
    expect(among?.p).toBe(alone?.p);
    expect(among?.pAdjusted).toBeCloseTo(8 * (alone?.p ?? NaN), 12);
  });

  test('is judged in input order, including metrics without figures', () => {
    const judged = judgeFamily(
      [{ rule: rateRule, base: [], head: runsOf(levels) }, moved(0.2), { ...moved(0), rule: shareRule }],
      { q: 0.05 },
    );
    expect(judged.map(({ name }) => name)).toEqual([rateRule.name, latencyRule.name, shareRule.name]);
    expect(judged.map(({ verdict }) => verdict).slice(0, 2)).toEqual(['no_data', 'regressed']);
    // Two metrics have a p: the one without figures does not affect the others.
    expect(judged[1]?.pAdjusted).toBeCloseTo(2 * (judged[1]?.p ?? NaN), 12);
    for (const each of judged) expect(metricComparisonSchema.parse(each)).toEqual(each);
  });

  test('continues if the noise of one is unknown', () => {
    const unknown = { rule: latencyRule, base: runsOf([1]), head: runsOf([1.1]) };
    const [open, judged] = judgeFamily([unknown, moved(0.2)], { q: 0.05 });
    expect(open).toMatchObject({ verdict: 'inconclusive', p: null, pAdjusted: null });
    expect(judged?.pAdjusted).toBe(judged?.p);
  });

  test('returns both sides in the unit of the metric', () => {
    const [latency, share] = judgeFamily(
      [
        { rule: latencyRule, base: runsOf([Math.log(100), Math.log(121)]), head: runsOf([Math.log(50)]) },
        { rule: shareRule, base: shareRuns([0, 0], 3000), head: shareRuns([6, 6], 3000) },
      ],
      { q: 0.05 },
    );
    expect(latency?.base).toBeCloseTo(110, 9);
    expect(latency?.head).toBeCloseTo(50, 9);
    expect(share?.base).toBeCloseTo(0, 12);
    expect(share?.head).toBeCloseTo(0.002, 12);
    expect(share?.change).toBeCloseTo(0.002, 12);
  });
});

describe('the number of metrics that p is adjusted for', () => {
  const none = { rule: shareRule, base: shareRuns([0, 0, 0], 3000), head: shareRuns([0, 0, 0], 3000) };
  const lacking = { rule: rateRule, base: [], head: runsOf(levels) };

  test('excludes metrics without data, and those without any event on either side', () => {
    const judged = judgeFamily([moved(0.016), none, lacking, moved(0)], { q: 0.05 });
    expect(judged.map(({ adjustedFor }) => adjustedFor)).toEqual([2, null, null, 2]);
    expect(judged[0]?.pAdjusted).toBeCloseTo(2 * (judged[0]?.p ?? NaN), 12);
    expect(judged[1]).toMatchObject({ verdict: 'unchanged', p: null, pAdjusted: null, change: 0 });
  });

  test('includes a metric with an event on one side', () => {
    const some = { ...none, head: shareRuns([1, 0, 0], 3000) };
    const judged = judgeFamily([moved(0.016), some], { q: 0.05 });
    expect(judged.map(({ adjustedFor }) => adjustedFor)).toEqual([2, 2]);
  });
});

describe('the change from which on a regression can be seen', () => {
  const seen = (by: number, others: readonly number[] = []) =>
    judgeFamily([moved(by), ...others.map((each) => moved(each))], { q: 0.05, assumedNoise: 0.05 })[0];

  test.each([
    ['among unchanged metrics', [0, 0, 0]],
    ['among changed metrics', [0.02, 0.02, 0.02]],
    ['alone', []],
  ])('is never above a change that regressed, nor below one that is possibly noise: %s', (_, others) => {
    for (let by = 0.001; by < 0.03; by += 0.0005) {
      const { verdict, reason, change, visibleFrom } = seen(by, others) ?? {};
      const isBeyond = (change ?? NaN) >= (visibleFrom ?? NaN) - 1e-12;
      if (verdict === 'regressed') expect(isBeyond).toBe(true);
      if (reason === 'beyond the margin, but possibly noise') expect(isBeyond).toBe(false);
    }
  });

  test('is at least the margin', () => {
    expect(seen(0.001)?.visibleFrom).toBeCloseTo(latencyRule.margin, 12);
  });

  test('is a decrease if less is worse, and missing if the base permits none', () => {
    const rate = { rule: rateRule, base: runsOf([5], { sitting: '1' }), head: runsOf([5], { sitting: '2' }) };
    const [judged] = judgeFamily([rate], { q: 0.05, assumedNoise: 0.05 });
    expect(judged?.visibleFrom).toBeCloseTo(-Math.expm1(-1.959964 * Math.SQRT2 * 0.05), 6);
    const few = { rule: shareRule, base: shareRuns([2, 3, 2], 3), head: shareRuns([3, 3, 2], 3) };
    expect(judgeFamily([few], { q: 0.05 })[0]).toMatchObject({ visibleFrom: null, smallestDetectable: null });
  });
});

describe('an interval of a bounded figure', () => {
  const bounded = metricRules.filter(({ source }) => source.kind === 'share' || source.kind === 'ratio');
  const sideOf = (rule: MetricRule, events: readonly number[], count: number, sitting: string) =>
    rule.source.kind === 'share'
      ? shareRuns(events, count, { sitting })
      : runsOf(
          events.map((each) => Math.log(1 + each / count)),
          { sitting, count, within: 0.01 },
        );

  test('covers shares of both kinds and ratios', () => {
    expect(new Set(bounded.map(({ source }) => (source.kind === 'share' ? (source.rare ?? '') : 'ratio'))).size).toBe(
      3,
    );
  });

  test.each(bounded.map((rule) => [rule.name, rule] as const))('stays within what the base permits: %s', (_, rule) => {
    for (const [from, to] of [
      [0, 0],
      [0, 1],
      [1, 9],
      [9, 10],
      [10, 10],
      [10, 0],
    ] as const) {
      const [base, head] = [sideOf(rule, [from, from, from], 10, '1'), sideOf(rule, [to, to, to], 10, '1')];
      const [judged] = judgeFamily([{ rule, base, head }], { q: 0.05 });
      const value = judged?.base ?? NaN;
      const [min, max] = rule.unit === 'share' ? [-value, 1 - value] : [1 / value - 1, Infinity];
      for (const end of [judged?.ci95, judged?.ci90]) {
        if (end === null || end === undefined) continue;
        expect(end.low).toBeGreaterThanOrEqual(min - 1e-12);
        expect(end.high).toBeLessThanOrEqual(max + 1e-12);
        expect(end.low).toBeLessThanOrEqual(end.high);
      }
      for (const size of [judged?.visibleFrom, judged?.smallestDetectable])
        expect(size ?? 0).toBeLessThanOrEqual(Math.max(-min, max));
    }
  });
});

describe('a metric that some runs do not have', () => {
  const lacking = { missing: 'insufficient_data', detail: 'it takes 10,000 values, there are 800' } as const;

  test('is compared by the remaining runs, with a remark', () => {
    const [judged] = judgeFamily([{ ...moved(0.2), missing: { base: [], head: [lacking] } }], { q: 0.05 });
    expect(judged?.verdict).toBe('regressed');
    expect(judged?.reason).toBe(`1 of 6 head runs omitted: ${lacking.detail}`);
    expect(judged?.runs).toEqual({ base: 5, head: 5 });
  });

  test('is without data when no run of a side has it', () => {
    const [judged] = judgeFamily(
      [{ rule: latencyRule, base: runsOf(levels), head: [], missing: { base: [], head: [lacking] } }],
      { q: 0.05 },
    );
    expect(judged).toMatchObject({ verdict: 'no_data', reason: `head: ${lacking.detail}`, change: null, p: null });
  });

  test('is without data when a run was too slow to have it: the others would flatter its side', () => {
    const censored = { missing: 'censored', detail: 'more than 1 % of turns failed' } as const;
    const [judged] = judgeFamily([{ ...moved(0), missing: { base: [], head: [censored] } }], { q: 0.05 });
    expect(judged).toMatchObject({ verdict: 'no_data', reason: 'head: more than 1 % of turns failed' });
  });
});
