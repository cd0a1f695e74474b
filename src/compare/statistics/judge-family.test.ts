import { describe, expect, test } from 'vitest';
import { latencyRule, rateRule, runsOf, shareRule, shareRuns } from '../../../test/support/observed-runs.ts';
import { metricComparisonSchema } from '../document/comparison.ts';
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
