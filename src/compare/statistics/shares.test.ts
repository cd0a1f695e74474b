import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawEvents } from '../../../test/support/draw-events.ts';
import { maxOf, trials } from '../../../test/support/trials.ts';
import { randomOf } from '../../base/random.ts';
import { openRun } from '../figures/open-run.ts';
import { readFigure } from '../figures/read-figure.ts';
import type { Observed } from '../document/side.ts';
import { type MetricRule, metricRules } from '../metrics/metric-rules.ts';
import { judgeFamily } from './judge-family.ts';

const ruleOf = (name: string): MetricRule => {
  const found = metricRules.find((rule) => rule.name === name);
  if (found === undefined) throw new Error(`no metric ${name}`);
  return found;
};
const shares = ['turns.failedShare', 'outcomes.timed_out.share', 'integrity.failed', 'goodput.share'].map(ruleOf);
const failedShare = ruleOf('turns.failedShare');

interface Counted {
  events: number;
  count: number;
}

/** A run with these counts in one interval, which does not show its own noise. */
function runOf(rule: MetricRule, { events, count }: Counted, place: Partial<Observed> = {}): Observed {
  const { source } = rule;
  if (source.kind !== 'share') throw new Error(`${rule.name} is not a share`);
  const counts = new Map([
    [source.of, events],
    [source.among, count],
  ]);
  const reading = readFigure(openRun([{ lengthMs: 1000, counts, series: new Map() }]), rule);
  if (!('figure' in reading)) throw new Error(reading.detail);
  return { figure: reading.figure, sitting: 'tonight', pair: null, ...place };
}

function judge(rule: MetricRule, base: readonly Counted[], head: readonly Counted[]) {
  const [judged] = judgeFamily(
    [{ rule, base: base.map((each) => runOf(rule, each)), head: head.map((each) => runOf(rule, each)) }],
    { q: 0.05 },
  );
  if (judged === undefined) throw new Error('nothing was judged');
  return judged;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const runs = fc.integer({ min: 1, max: 6 });

describe('equal shares', () => {
  test.each(shares)('do not differ, whatever the number of turns and runs: $name', (rule) => {
    const cases = fc.record({
      part: fc.integer({ min: 0, max: 40 }),
      rest: fc.integer({ min: 0, max: 400 }),
      times: fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 500 })),
      runs: fc.tuple(runs, runs),
    });
    fc.assert(
      fc.property(cases, (drawn) => {
        const whole = drawn.part + drawn.rest;
        fc.pre(whole > 0);
        const side = (at: 0 | 1) =>
          times(drawn.runs[at], { events: drawn.part * drawn.times[at], count: whole * drawn.times[at] });
        expect(judge(rule, side(0), side(1)).change).toBe(0);
      }),
    );
  });

  test('without a count are unchanged, with a reason', () => {
    for (const count of [1, 32, 80, 20_000]) {
      const judged = judge(failedShare, times(3, { events: 0, count: 80 }), times(3, { events: 0, count }));
      expect(judged).toMatchObject({
        verdict: 'unchanged',
        reason: 'none on both sides',
        change: 0,
        base: 0,
        head: 0,
      });
    }
  });

  test('of 100 % are unchanged if that is the desired value', () => {
    const [base, head] = [times(3, { events: 80, count: 80 }), times(3, { events: 32, count: 32 })];
    expect(judge(ruleOf('goodput.share'), base, head)).toMatchObject({
      verdict: 'unchanged',
      reason: '100 % on both sides',
      change: 0,
      base: 1,
      head: 1,
    });
    expect(judge(failedShare, base, head)).toMatchObject({ change: 0, base: 1, head: 1 });
  });

  test('without a count are unchanged with one run per side, whose noise is unknown', () => {
    const judged = judge(failedShare, [{ events: 0, count: 80 }], [{ events: 0, count: 32 }]);
    expect(judged).toMatchObject({ verdict: 'unchanged', reason: 'none on both sides', change: 0 });
  });
});

describe('retries per turn', () => {
  const amplification = ruleOf('retries.amplification');
  const run = (sent: number, retries: number): Observed => {
    const counts = new Map([
      ['attempts.sent', sent + retries],
      ['turns.sent', sent],
    ]);
    const reading = readFigure(openRun([{ lengthMs: 1000, counts, series: new Map() }]), amplification);
    if (!('figure' in reading)) throw new Error(reading.detail);
    return { figure: reading.figure, sitting: 'tonight', pair: null };
  };
  const judgeRuns = (base: readonly Observed[], head: readonly Observed[]) =>
    judgeFamily([{ rule: amplification, base, head }], { q: 0.05 })[0];

  test('are none on both sides if there were none, however few the turns', () => {
    const judged = judgeRuns(times(3, run(32, 0)), times(3, run(80, 0)));
    expect(judged).toMatchObject({ verdict: 'unchanged', reason: 'none on both sides', change: 0, base: 1, head: 1 });
  });

  test('differ by no less than their counts may, though runs are too short to judge their noise', () => {
    // A single retry in each run of the head, without noise between the runs, may be chance.
    expect(judgeRuns(times(3, run(32, 0)), times(3, run(32, 1)))?.verdict).toBe('inconclusive');
    expect(judgeRuns(times(3, run(320, 0)), times(3, run(320, 100)))?.verdict).toBe('regressed');
  });
});

describe('a share of few turns', () => {
  test('is measured equally well from its upper end: goodput that falls from 100 % by one in a hundred', () => {
    const [base, head] = [times(5, { events: 20_000, count: 20_000 }), times(5, { events: 19_800, count: 20_000 })];
    const judged = judge(ruleOf('goodput.share'), base, head);
    expect(judged.verdict).toBe('regressed');
    expect(judged.change).toBeCloseTo(-0.01, 12);
    expect(judged.ci95?.low).toBeGreaterThan(-0.012);
    expect(judged.ci95?.high).toBeLessThan(-0.008);
    expect(judged.smallestDetectable).toBeLessThan(0.001);
    expect(judge(ruleOf('goodput.share'), head, base).verdict).toBe('improved');
  });

  test('has at least the noise of its count, although its runs are too short to judge their own', () => {
    // 1 of 32 turns failed in every run of the head: 3 of 96 against 0 of 240.
    const judged = judge(failedShare, times(3, { events: 0, count: 80 }), times(3, { events: 1, count: 32 }));
    expect(judged.p).toBeGreaterThan(0.05);
    expect(judged.verdict).toBe('inconclusive');
  });

  test('that is ten times as large is detected', () => {
    const judged = judge(failedShare, times(3, { events: 4, count: 2000 }), times(3, { events: 24, count: 1200 }));
    expect(judged.verdict).toBe('regressed');
    expect(judged.change).toBeCloseTo(0.018, 12);
  });
});

const comparisons = trials(3000);
const maxAlarms = maxOf(comparisons, 0.05);

describe('two sides of one release with unlike numbers of turns', () => {
  test.each(
    [0, 0.0001, 0.001, 0.01, 0.05].flatMap((share) =>
      (
        [
          [80, 32],
          [2000, 1200],
          [20_000, 5000],
        ] as const
      ).map(([base, head]) => ({ share, base, head })),
    ),
  )('raise an alarm in at most 5 %: share $share, $base and $head turns a run', ({ share, base, head }) => {
    const random = randomOf(12, base, Math.round(share * 1e6));
    for (const runs of [2, 3, 5]) {
      let alarms = 0;
      for (let comparison = 0; comparison < comparisons; comparison++) {
        const side = (count: number) =>
          Array.from({ length: runs }, () => ({ events: drawEvents(random, { share, count }), count }));
        const { p } = judge(failedShare, side(base), side(head));
        if (p !== null && p <= 0.05) alarms++;
      }
      expect(alarms, `${String(runs)} runs`).toBeLessThanOrEqual(maxAlarms);
    }
  });
});

test('goodput of one release raises an alarm in at most 5 % of comparisons', () => {
  const random = randomOf(13, 1);
  const goodput = ruleOf('goodput.share');
  let alarms = 0;
  for (let comparison = 0; comparison < comparisons; comparison++) {
    const side = (count: number) =>
      Array.from({ length: 3 }, () => ({ events: count - drawEvents(random, { share: 0.01, count }), count }));
    if ((judge(goodput, side(2000), side(1200)).p ?? 1) <= 0.05) alarms++;
  }
  expect(alarms).toBeLessThanOrEqual(maxAlarms);
});
