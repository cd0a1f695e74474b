import { describe, expect, test } from 'vitest';
import { compareRuns, historyWith, metricOf } from '../../test/support/compare-runs.ts';
import { releaseRun, type ReleaseRun } from '../../test/support/release-run.ts';
import { ChatLoadError } from '../base/errors.ts';
import type { Result } from '../result/result.ts';
import { comparisonSchema, type Comparison } from './document/comparison.ts';
import { gateFamily } from './metrics/metric-rules.ts';

/** Pairs of runs of one batch, all with different latencies. */
const runsOf = (name: string, options: Partial<ReleaseRun> = {}, pairs = 3): Result[] =>
  Array.from({ length: pairs }, (_, at) =>
    releaseRun({
      id: `${name}-${String(at)}`,
      draw: name.length * 100 + at,
      sitting: 'tonight',
      pair: String(at),
      ...options,
    }),
  );

const base = runsOf('v1');
const same = runsOf('v2-same');
const slower = runsOf('v2-slower', { slowness: 1.15 });
const heavier = runsOf('v2-heavier', { tail: 3 });

const verdictsOf = ({ metrics }: Comparison) => Object.fromEntries(metrics.map(({ name, verdict }) => [name, verdict]));

describe('equal releases', () => {
  const comparison = compareRuns(base, same);

  test('are a document by its schema, the gate family first', () => {
    expect(comparisonSchema.parse(structuredClone(comparison))).toEqual(comparison);
    const gated = comparison.metrics.filter(({ isGated }) => isGated);
    const streamed = ['firstToken.ok.p50', 'firstToken.ok.p99', 'gap.ok.p99'];
    expect(gated.map(({ name }) => name)).toEqual(gateFamily.filter((name) => !streamed.includes(name)));
    expect(comparison.metrics.slice(0, gated.length)).toEqual(gated);
  });

  test('are unchanged in the deciding metrics, compared by pairs', () => {
    expect(comparison.design).toMatchObject({ unit: 'pair', base: 3, head: 3, history: null });
    expect(verdictsOf(comparison)).toMatchObject({ 'turn.ok.p50': 'unchanged', 'turn.ok.mean': 'unchanged' });
    expect(comparison.metrics.filter(({ verdict }) => verdict === 'regressed')).toEqual([]);
    expect(comparison.localization?.shape).toBe('none');
  });
});

describe('a side that a cache may have answered', () => {
  const faster = runsOf('v2-faster', { slowness: 0.5 });
  const noted = 'both sides sent the same texts';
  const marked = same.map((run) => ({
    ...run,
    warnings: [{ code: 'replies_cached', message: 'A cache answered a part of the load.', remedy: null }],
  }));
  const withMode = (runs: readonly Result[], mode: 'active' | 'passive'): Result[] =>
    runs.map((run) => ({
      ...run,
      scenario: {
        ...run.scenario,
        plan: { ...run.scenario.plan, integrity: { ...run.scenario.plan.integrity, mode } },
      },
    }));

  test('is noted if the head is much faster, or a run had signs of a cache', () => {
    expect(compareRuns(base, faster).warnings.join()).toContain(`The head is much faster, and ${noted}`);
    expect(compareRuns(base, marked).warnings.join()).toContain(`There are signs of a cache, and ${noted}`);
  });

  test('is not noted otherwise, nor if the guard made the texts of each run its own', () => {
    expect(compareRuns(base, same).warnings.join()).not.toContain(noted);
    const own = compareRuns(withMode(base, 'active'), withMode(faster, 'active'));
    expect(own.warnings.join()).not.toContain(noted);
  });
});

describe('a release that is 15 % slower', () => {
  const comparison = compareRuns(base, slower);

  test('has regressed by about that much', () => {
    expect(comparison.verdict).toBe('regressed');
    expect(comparison.summary).toMatch(/^Regressed: turn\.ok\.p50 \+1[45]\.\d %, turn\.ok\.p99 \+1\d\.\d %/);
    expect(metricOf(comparison, 'turn.ok.p50')?.change).toBeCloseTo(0.15, 1);
    expect(comparison.movers).toContain('turn.ok.p50');
  });

  test('moved as a whole, over the whole time', () => {
    expect(comparison.localization?.shape).toBe('whole');
    expect(comparison.localization?.deciles).toHaveLength(10);
    for (const { change } of comparison.localization?.deciles ?? []) expect(change).toBeCloseTo(0.15, 1);
  });

  test('has improved when compared the other way round', () => {
    const turned = compareRuns(slower, base);
    expect(turned.verdict).toBe('improved');
    expect(metricOf(turned, 'turn.ok.p50')?.change).toBeCloseTo(1 / 1.15 - 1, 1);
  });

  test('is within a margin of 30 %, if requested', () => {
    const margins = new Map(['turn.ok.p50', 'turn.ok.mean'].map((name) => [name, 0.3]));
    expect(verdictsOf(compareRuns(base, slower, { margins }))).toMatchObject({
      'turn.ok.p50': 'unchanged',
      'turn.ok.mean': 'unchanged',
      'turn.ok.p99': 'regressed',
    });
  });
});

test('a tail that takes three times as long is reported as the tail', () => {
  const comparison = compareRuns(base, heavier);
  expect(verdictsOf(comparison)).toMatchObject({ 'turn.ok.p50': 'unchanged', 'turn.ok.p99': 'regressed' });
  expect(comparison.localization?.shape).toBe('tail');
  expect(comparison.localization?.summary).toMatch(
    /^Only the tail of the turn latencies moved: p50 \S+ %, p99 \+(19|20)\d %\.$/,
  );
});

describe('replies that are no whole answers', () => {
  const withEnds = (runs: readonly Result[], share: number): Result[] =>
    runs.map((run) => {
      const { outcomes } = run;
      const length = Math.round(share * outcomes.turns.ok);
      const finish = { ...outcomes.finish, complete: outcomes.turns.ok - length, none: 0, length };
      return { ...run, outcomes: { ...outcomes, finish } };
    });
  const faster = runsOf('v2-faster', { slowness: 0.5 });

  test('in more than a point more turns leave a faster side without an improvement', () => {
    expect(metricOf(compareRuns(withEnds(base, 0), withEnds(faster, 0)), 'turn.ok.p50')?.verdict).toBe('improved');
    const cut = compareRuns(withEnds(base, 0), withEnds(faster, 0.05));
    expect(metricOf(cut, 'turn.ok.p50')).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(/^not an improvement: the shares of replies cut at a limit of tokens/),
    });
    expect(metricOf(cut, 'finish.lengthShare')?.verdict).toBe('regressed');
  });

  test('do not hide that a side is slower', () => {
    const slow = compareRuns(withEnds(base, 0), withEnds(slower, 0.05));
    expect(metricOf(slow, 'turn.ok.p50')?.verdict).toBe('regressed');
  });
});

describe('failed turns', () => {
  test('that increased by over a point leave latency without a verdict', () => {
    // 6 of 206 turns per interval: p99 is censored, other figures are not comparable.
    const comparison = compareRuns(base, runsOf('v2-failing', { slowness: 0.5, failed: 6 }));
    expect(metricOf(comparison, 'turns.failedShare')).toMatchObject({ verdict: 'regressed', isGated: true });
    expect(metricOf(comparison, 'turn.ok.p99')).toMatchObject({
      verdict: 'no_data',
      reason: 'head: more than 1 % of turns failed: only the failed share is judged',
    });
    expect(metricOf(comparison, 'turn.ok.p50')).toMatchObject({ verdict: 'inconclusive', isGated: false });
    expect(metricOf(comparison, 'turn.ok.p50')?.notGatedBecause).toMatch(/^not comparable/);
    expect(comparison.verdict).toBe('regressed');
    expect(comparison.localization?.errors).toEqual([
      { class: 'internal_error', base: 0, head: 3 * 60 * 6, isNew: true },
    ]);
  });

  test('that did not occur leave latency in the gate, whatever the number of turns', () => {
    // 810 and 330 turns per run: none failed, and they took nearly four times as long.
    const short: Partial<ReleaseRun> = { intervals: 3, scenario: { duration: '3s' } };
    const comparison = compareRuns(
      runsOf('v1', { ...short, turnsPerInterval: 270 }),
      runsOf('v2-slow', { ...short, turnsPerInterval: 110, slowness: 3.92 }),
    );
    expect(metricOf(comparison, 'turns.failedShare')).toMatchObject({
      verdict: 'unchanged',
      change: 0,
      reason: 'none on both sides',
    });
    expect(metricOf(comparison, 'turn.ok.p50')).toMatchObject({ verdict: 'regressed', isGated: false });
    expect(metricOf(comparison, 'turn.ok.p50')?.notGatedBecause).toMatch(/^throughput changed/);
    expect(comparison.summary).toMatch(/p50 \+2\d\d %/);
  });

  test('that increased by over a point, but perhaps by chance, leave latency in the gate', () => {
    // 12 of 102 turns in one of three runs: one point more on average, but one run is not evidence.
    const short: Partial<ReleaseRun> = { intervals: 3, turnsPerInterval: 30, scenario: { duration: '3s' } };
    const unlucky = runsOf('v2-failed', { ...short, failed: 4 });
    const comparison = compareRuns(runsOf('v1', short), [
      ...unlucky.slice(0, 1),
      ...runsOf('v2-lucky', short).slice(1),
    ]);
    const share = metricOf(comparison, 'turns.failedShare');
    expect([share?.verdict, (share?.change ?? 0) > 0.01]).toEqual(['inconclusive', true]);
    for (const { notGatedBecause } of comparison.metrics) expect(notGatedBecause ?? '').not.toMatch(/^not comparable/);
  });

  test('of classes that did not occur are not mentioned', () => {
    expect(compareRuns(base, same).metrics.filter(({ name }) => name.startsWith('outcomes.'))).toEqual([]);
  });
});

describe('load models', () => {
  test('closed: if throughput changed, latency is reported but does not decide', () => {
    const scenario = { load: { concurrency: 50 } };
    const fewer = { slowness: 1.3, turnsPerInterval: 160, scenario };
    const comparison = compareRuns(runsOf('v1', { scenario }), runsOf('v2-fewer', fewer));
    expect(metricOf(comparison, 'rates.turnsPerSecond')).toMatchObject({ verdict: 'regressed', isGated: true });
    expect(metricOf(comparison, 'turn.ok.p50')).toMatchObject({ verdict: 'regressed', isGated: false });
    expect(metricOf(comparison, 'turn.ok.p50')?.notGatedBecause).toMatch(/^throughput changed/);
    expect(comparison.summary).toMatch(
      /^Regressed: turns take longer: p50 \+(29|30)\.\d % \(\d{3} ms to \d{3} ms\), so throughput fell (19|20)\.\d %/,
    );
    // 9,600 turns are too few for p99.
    expect(comparison.summary).toMatch(/; turn\.ok\.p95 \+(29|30)\.\d % is not gated, because throughput fell/);
  });

  test('closed: if throughput changed, the summary names the tail too, which decides nothing', () => {
    const scenario = { load: { concurrency: 50 } };
    const fewer = { slowness: 1.3, tail: 2, turnsPerInterval: 170, scenario };
    const { summary, metrics } = compareRuns(runsOf('v1', { scenario }), runsOf('v2-tail', fewer));
    expect(metrics.find(({ name }) => name === 'turn.ok.p99')).toMatchObject({ isGated: false, verdict: 'regressed' });
    expect(summary).toMatch(
      /so throughput fell .*; turn\.ok\.p99 \+1\d\d % is not gated, because throughput fell: use open load to compare latency\.$/,
    );
  });

  test('closed: a tail that grew is named though throughput rose', () => {
    const scenario = { load: { concurrency: 50 } };
    const mixed = { slowness: 0.7, tail: 4, turnsPerInterval: 280, scenario };
    const { verdict, summary } = compareRuns(runsOf('v1', { scenario }), runsOf('v2-mixed', mixed));
    expect(verdict).toBe('improved');
    expect(summary).toMatch(/; turn\.ok\.p99 \+1\d\d % is not gated, because throughput rose/);
  });

  test('closed: the summary reports throughput that rose because turns take less time', () => {
    const scenario = { load: { concurrency: 50 } };
    const faster = { slowness: 0.7, turnsPerInterval: 280, scenario };
    const { summary } = compareRuns(runsOf('v1', { scenario }), runsOf('v2-faster', faster));
    expect(summary).toMatch(
      /^Improved: turns take less time: p50 −\d\d\.\d % \(.+\), so throughput rose (39|40)\.\d %/,
    );
  });

  test('closed: throughput that fell though turns take no longer has no such cause', () => {
    const scenario = { load: { concurrency: 50 } };
    const { summary } = compareRuns(runsOf('v1', { scenario }), runsOf('v2-idle', { turnsPerInterval: 160, scenario }));
    expect(summary).toMatch(/^Regressed: rates\.turnsPerSecond −20\.0 %\.$/);
  });

  test('open: throughput is reported but does not decide', () => {
    const scenario = { load: { sessionsPerSecond: 40 } };
    const fewer = runsOf('v2-fewer', { turnsPerInterval: 160, scenario });
    const comparison = compareRuns(runsOf('v1', { scenario }), fewer);
    expect(metricOf(comparison, 'rates.turnsPerSecond')).toMatchObject({ verdict: 'regressed', isGated: false });
    expect(metricOf(comparison, 'rates.turnsPerSecond')?.notGatedBecause).toMatch(/^under open load/);
    expect(comparison.warnings.some((warning) => warning.includes('did not keep up'))).toBe(true);
    expect(comparison.verdict).not.toBe('regressed');
  });
});

describe('one run per side', () => {
  const alone = (results: readonly Result[]) => results.slice(0, 1);
  const [firstOfBase] = base;
  if (firstOfBase === undefined) throw new Error('no run');
  const history = historyWith(firstOfBase);

  test('warns: fewer than three runs do not show their own noise', () => {
    const told = (runs: number): boolean =>
      compareRuns(base.slice(0, runs), slower.slice(0, runs)).warnings.some((text) =>
        text.startsWith('Fewer than 3 runs'),
      );
    expect([1, 2, 3].map(told)).toEqual([true, true, false]);
  });

  test('relies only on the history, as the summary states first', () => {
    const comparison = compareRuns(alone(base), alone(slower), { history });
    expect(comparison.summary).toMatch(/^One run per side relies only on the history\. Regressed: turn\.ok\.p50/);
    expect(comparison.design.history).toMatchObject({ sittings: 13, runs: 39 });
  });

  test('does not decide 15 % without a history; the summary starts with the assumption', () => {
    for (const given of [
      undefined,
      { ...history, groups: history.groups.map((each) => ({ ...each, loadHash: 'x' })) },
    ]) {
      const comparison = compareRuns(alone(base), alone(slower), { history: given });
      expect(comparison.verdict).toBe('inconclusive');
      expect(comparison.summary).toMatch(
        /^One run per side and no history: runs are assumed to differ by 5 % \(standard deviation, --assume-noise\); changes of turn\.ok\.p50 are seen from 21\.3 % on\. Inconclusive/,
      );
      expect(metricOf(comparison, 'turn.ok.p50')?.change).toBeCloseTo(0.15, 1);
      expect(comparison.warnings.some((warning) => warning.startsWith('The history'))).toBe(given !== undefined);
    }
  });
});

describe('runs that cannot be compared', () => {
  const elsewhere = runsOf('v2-other', { scenario: { thinkTime: '7s' } });

  test('are not compared, and the summary starts with the reason', () => {
    const comparison = compareRuns(base, elsewhere);
    expect(comparisonSchema.parse(structuredClone(comparison))).toEqual(comparison);
    expect(comparison).toMatchObject({ verdict: 'not_comparable', metrics: [], movers: [], localization: null });
    expect(comparison.summary).toBe('Not comparable: the scenarios differ: thinkTime differs (base 0s, head 7s).');
  });

  test('show only the beginning of long values, without control characters', () => {
    const long = `\u001b[2J${'x'.repeat(5_000)}`;
    const others = same.map((result) => ({ ...result, target: { ...result.target, protocol: long } }));
    const { summary } = compareRuns(base, others);
    expect(summary).toMatch(/^Not comparable: .*x{30,40}…\)/);
    expect(summary).not.toContain('\u001b');
    expect(summary.length).toBeLessThan(500);
  });

  test('are compared if forced, as the summary states first', () => {
    const comparison = compareRuns(base, elsewhere, { force: true });
    expect(comparison.verdict).not.toBe('not_comparable');
    expect(comparison.metrics.length).toBeGreaterThan(8);
    expect(comparison.summary).toMatch(/^Forced, though not comparable \(plan\.options\.thinkTime\)\. /);
  });

  test('an empty side is an error of usage', () => {
    expect(() => compareRuns(base, [])).toThrow('There is no result on the v2 side.');
    expect(() => compareRuns([], base)).toThrow(ChatLoadError);
  });

  test('a histogram that was changed is reported with its file', () => {
    const [first, ...rest] = structuredClone(base);
    const series = first?.intervals[3]?.latency['turn.ok'];
    if (first === undefined || series === undefined) throw new Error('the run has no interval');
    series.hdr = 'AAAA';
    expect(() => compareRuns([first, ...rest], same)).toThrow('v1-0.json contains a histogram that cannot be read');
  });
});

test('the same parts give the same comparison, whatever the order of runs', () => {
  expect(compareRuns(base, slower)).toEqual(compareRuns(base, slower));
  const turned = compareRuns(base.toReversed(), slower.toReversed());
  expect(metricOf(turned, 'turn.ok.p99')?.ci95?.low).toBeCloseTo(
    metricOf(compareRuns(base, slower), 'turn.ok.p99')?.ci95?.low ?? NaN,
    9,
  );
});
