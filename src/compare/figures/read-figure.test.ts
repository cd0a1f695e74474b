import { describe, expect, test } from 'vitest';
import { modelCounters, withModel } from '../../../test/support/model-run.ts';
import { releaseRun, storedOf } from '../../../test/support/release-run.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { metricNamed } from '../../result/metrics/metrics.ts';
import { figuresOf, headlineFigures, readFigure } from './read-figure.ts';
import { measuredWindow, openRun } from './open-run.ts';
import { gateFamily, metricRules } from '../metrics/metric-rules.ts';
import type { RunReading, RunFigure } from '../document/side.ts';
import { randomLogNormal, randomNormal, randomPoisson } from 'd3-random';
import { randomOf } from '../../base/random.ts';
import type { MetricSource } from '../../result/metrics/metric.ts';
import { intervalPart, type RunPart } from './run-part.ts';

const result = resultOf(finishedRun());
const valueOf = (reading: RunReading | undefined): number | undefined =>
  reading !== undefined && 'figure' in reading ? reading.figure.value : undefined;

describe('the rules', () => {
  test('name metrics that results publish, each once', () => {
    const names = metricRules.map(({ name }) => name);
    expect(names.filter((name) => metricNamed(name) === undefined)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('begin with the gate family', () => {
    expect(gateFamily).toHaveLength(15);
    expect(metricRules.filter(({ isGated }) => isGated).map(({ name }) => name)).toEqual(gateFamily);
    expect(metricRules.slice(0, gateFamily.length).every(({ isGated }) => isGated)).toBe(true);
  });
});

describe('the figures of totals', () => {
  const figures = headlineFigures(result);

  test.each(metricRules.filter(({ name }) => name !== 'integrity.failed'))('are those published: $name', (rule) => {
    const value = valueOf(figures.get(rule.name));
    const published = metricNamed(rule.name)?.read(result).value;
    // A percentile with too few samples for one may have enough for the other.
    if (value === undefined || published === null || published === undefined) return;
    // Published percentiles are the upper ends of buckets, by rank; these lie within them.
    const max = rule.source.kind === 'quantile' ? 0.02 : 1e-9;
    expect(Math.abs(value - published)).toBeLessThanOrEqual(max * published);
  });

  test('are present for everything in the run, only counts with noise', () => {
    const read = metricRules.flatMap((rule) => {
      const reading = figures.get(rule.name);
      return reading !== undefined && 'figure' in reading ? [{ rule, figure: reading.figure }] : [];
    });
    expect(read.length).toBeGreaterThan(20);
    for (const { rule, figure } of read) {
      const isCount = rule.source.kind === 'share' || rule.source.kind === 'ratio';
      expect(figure.withinVariance !== null, rule.name).toBe(isCount);
    }
  });

  test('contain first tokens by position', () => {
    const positions = result.positions.map((each) => ({ ...each, firstToken: each }));
    const ofStreams = headlineFigures({ ...result, positions });
    const [turn, firstToken] = ['p50', 'firstToken.p50'].map((each) => valueOf(ofStreams.get(`position.1.${each}`)));
    expect(turn).toBeGreaterThan(0);
    expect(firstToken).toBe(turn);
    expect(figures.get('position.1.firstToken.p50')).not.toHaveProperty('figure');
  });

  test('give integrity as a share of the replies examined', () => {
    const { failed, replies } = result.integrity;
    expect(valueOf(figures.get('integrity.failed'))).toBe(failed / replies);
  });
});

describe('the figures of intervals', () => {
  test('equal the totals if nothing is omitted', () => {
    const [fromIntervals, fromTotals] = [figuresOf(result), headlineFigures(result)];
    for (const { name } of metricRules)
      expect(valueOf(fromIntervals.get(name)) ?? 0, name).toBeCloseTo(valueOf(fromTotals.get(name)) ?? 0, 9);
  });

  test('contain the noise within the run, but not by position', () => {
    const figures = figuresOf(releaseRun({ id: 'a' }));
    const figureOf = (name: string) => {
      const reading = figures.get(name);
      return reading && 'figure' in reading ? reading.figure : undefined;
    };
    for (const name of gateFamily) expect(figureOf(name)?.withinVariance, name).not.toBeNull();
  });
});

describe('a run with too few attributed model calls', () => {
  const runWith = (unattributed: number) =>
    resultOf(
      withModel(finishedRun(), {
        counters: { modelCalls: { ...modelCounters.modelCalls, traced: 145 - unattributed, unattributed } },
      }),
    );

  test.each([
    ['intervals', figuresOf],
    ['totals', headlineFigures],
  ])('has no figure of turns or attempts with their calls, from %s', (_, read) => {
    const [enough, tooFew] = [read(runWith(7)), read(runWith(8))];
    const figuresIn = (readings: typeof enough) =>
      [...readings].flatMap(([name, reading]) => (name.startsWith('model.') && 'figure' in reading ? [name] : []));
    expect(figuresIn(enough)).toEqual(
      expect.arrayContaining(['model.callsPerTurn', 'model.time.mean', 'model.orphaned', 'model.delivered']),
    );
    expect(figuresIn(tooFew).filter((name) => !name.startsWith('model.call.'))).toEqual(['model.attributedShare']);
    expect(tooFew.get('model.callsPerTurn')).toEqual({
      missing: 'no_data',
      detail: 'less than 95 % of the model calls belong to a known turn',
    });
  });
});

describe('the measured window', () => {
  const run = releaseRun({ id: 'a', intervals: 20 });
  const [first] = run.intervals;
  const at = (startMs: number, warmUp = false) =>
    ({ ...(first ?? run.intervals[0]), startMs, warmUp }) as NonNullable<typeof first>;
  const startsOf = (scenario: typeof run.scenario) =>
    measuredWindow({ scenario, intervals: [at(0, true), at(500), at(1000), at(19_000), at(20_000), at(21_000)] }).map(
      ({ startMs }) => startMs,
    );

  test('ends with the duration, without the drain and the warm-up', () => {
    expect(startsOf(run.scenario)).toEqual([500, 1000, 19_000]);
  });

  test('contains everything except the warm-up for a run by a number of sessions', () => {
    const plan = { ...run.scenario.plan, durationMs: null, sessions: 400 };
    expect(startsOf({ ...run.scenario, plan })).toEqual([500, 1000, 19_000, 20_000, 21_000]);
  });
});

const secondMs = 1000;

/** A segment of one second, or of another length. */
const partOf = (values: readonly number[], counts: Record<string, number> = {}, lengthMs = secondMs): RunPart => ({
  lengthMs,
  counts: new Map(
    Object.entries({ 'turns.failed': 0, 'turns.finished': values.length, 'turns.sent': values.length, ...counts }),
  ),
  series: values.length === 0 ? new Map() : new Map([['turn.ok', storedOf(values)]]),
});

const read = (parts: readonly RunPart[], source: MetricSource): RunReading => readFigure(openRun(parts), { source });

function figureOf(reading: RunReading): RunFigure {
  if ('missing' in reading) throw new Error(reading.detail);
  return reading.figure;
}

const quantile = (q: number): MetricSource => ({ kind: 'quantile', series: 'turn.ok', quantile: q });
const seconds = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a quantile', () => {
  test('has its share of the values below it, to a tenth of a bucket', () => {
    // 1 to 100,000 µs, each once, each spread over its microsecond: q of them lie below 1 + 100,000 q.
    const all = seconds(100_000).map((value) => value + 1);
    for (const q of [0.01, 0.5, 0.9, 0.99, 0.999]) {
      const { value, level } = figureOf(read([partOf(all)], quantile(q)));
      expect((value * 1000) / (1 + 100_000 * q), String(q)).toBeCloseTo(1, 4);
      expect(level).toBeCloseTo(Math.log(value), 12);
    }
  });

  test('has the noise of independent values, as its formula does', () => {
    // A lognormal distribution with sigma 0.5: sd(ln Q) = 0.5 sqrt(q (1 - q) / N) / phi(z).
    const distribution = [
      { q: 0.5, density: 0.3989423 },
      { q: 0.9, density: 0.1754983 },
      { q: 0.99, density: 0.0266521 },
    ];
    const runs = seconds(25).map((run) => {
      const draw = randomLogNormal.source(randomOf(1, run))(Math.log(1e5), 0.5);
      return openRun(seconds(100).map(() => partOf(seconds(200).map(() => Math.round(draw())))));
    });
    for (const { q, density } of distribution) {
      const expected = (0.25 * q * (1 - q)) / 20_000 / density ** 2;
      const variances = runs.map((run) => figureOf(readFigure(run, { source: quantile(q) })).withinVariance ?? NaN);
      // The mean of 25 variances with 9 degrees of freedom: 0.094 is one standard deviation.
      expect(mean(variances) / expected, String(q)).toBeGreaterThan(0.75);
      expect(mean(variances) / expected, String(q)).toBeLessThan(1.3);
    }
  });

  test('has more noise if neighbours resemble each other', () => {
    const random = randomOf(3, 1);
    const noise = randomNormal.source(random)(0, 0.05);
    let drift = 0;
    const parts = seconds(120).map(() => {
      drift = 0.9 * drift + noise();
      const draw = randomLogNormal.source(random)(Math.log(1e5) + drift, 0.5);
      return partOf(seconds(200).map(() => Math.round(draw())));
    });
    const independent = (0.25 * 0.25) / 24_000 / 0.3989423 ** 2;
    expect(figureOf(read(parts, quantile(0.5))).withinVariance).toBeGreaterThan(3 * independent);
  });

  test('requires 100 values beyond it on either side', () => {
    const values = seconds(9999).map((value) => value + 1);
    expect(read([partOf(values)], quantile(0.99))).toEqual({
      missing: 'insufficient_data',
      detail: '10,000 values are needed, but the measured window has 9,999',
    });
    expect(read([partOf([...values, 1])], quantile(0.99))).toHaveProperty('figure');
    expect(read([partOf(values.slice(0, 1999))], quantile(0.05))).toHaveProperty('missing', 'insufficient_data');
    expect(read([partOf([])], quantile(0.5))).toHaveProperty('missing', 'no_data');
  });

  test('is censored if it falls among the failed turns', () => {
    const failing = (failed: number) =>
      partOf(
        seconds(10_000).map((value) => value + 1),
        { 'turns.failed': failed, 'turns.finished': 10_000 + failed },
      );
    expect(read([failing(102)], quantile(0.99))).toEqual({
      missing: 'censored',
      detail: 'more than 1 % of turns failed: only the failed share is judged',
    });
    expect(read([failing(100)], quantile(0.99))).toHaveProperty('figure');
    expect(read([failing(102)], quantile(0.9))).toHaveProperty('figure');
  });

  test('has no noise with fewer than twelve intervals', () => {
    const parts = (count: number) => seconds(count).map((at) => partOf(seconds(100).map((value) => value + at + 1)));
    expect(figureOf(read(parts(11), quantile(0.5))).withinVariance).toBeNull();
    expect(figureOf(read(parts(12), quantile(0.5))).withinVariance).not.toBeNull();
  });

  test('adds a short interval to its neighbour', () => {
    const whole = seconds(11).map((at) => partOf(seconds(100).map((value) => value + at + 1)));
    const short = partOf([1], {}, 100);
    expect(figureOf(read([...whole, short], quantile(0.5))).withinVariance).toBeNull();
    expect(figureOf(read([short, ...whole, ...whole.slice(0, 1)], quantile(0.5))).withinVariance).not.toBeNull();
  });
});

describe('a mean', () => {
  test('uses the exact sum', () => {
    const { value } = figureOf(
      read([partOf([100_003, 200_007]), partOf([300_011])], { kind: 'mean', series: 'turn.ok' }),
    );
    expect(value).toBe((100.003 + 200.007 + 300.011) / 3);
  });

  test('has the noise of independent values: their variance over their number', () => {
    const ratios = seconds(25).map((run) => {
      const draw = randomNormal.source(randomOf(5, run))(1e5, 2e4);
      const parts = seconds(100).map(() => partOf(seconds(50).map(() => Math.round(draw()))));
      return (figureOf(read(parts, { kind: 'mean', series: 'turn.ok' })).withinVariance ?? NaN) / (0.04 / 5000);
    });
    expect(mean(ratios)).toBeGreaterThan(0.75);
    expect(mean(ratios)).toBeLessThan(1.3);
  });
});

describe('a quotient', () => {
  const source: MetricSource = { kind: 'quotient', of: 'cost.nanos', per: 'turns.ok', scale: 1e9 };
  const costing = (nanos: number, unknown = 0) =>
    partOf([], { 'cost.nanos': nanos, 'turns.ok': 100, 'cost.among': 100, 'cost.unknown': unknown });

  test('is the sum over all events, with the noise between the segments', () => {
    const parts = seconds(20).map((at) => costing(1e9 + (at % 2) * 2e8));
    expect(figureOf(read(parts, source)).value).toBeCloseTo(0.011, 12);
    expect(figureOf(read(parts, source)).withinVariance).toBeGreaterThan(0);
  });

  test('of costs has no data if more than 1 % of the attempts have an unknown one, or none is known', () => {
    expect(read([costing(1e9, 1)], source)).toHaveProperty('figure');
    expect(read([costing(1e9, 2)], source)).toEqual({
      missing: 'no_data',
      detail: 'the cost of more than 1 % of the attempts or model calls is not known',
    });
    expect(read([costing(0)], source)).toMatchObject({ missing: 'no_data' });
  });
});

test('costs of model calls are unknown as a share of the model calls, not of the attempts', () => {
  const [interval] = result.intervals;
  if (interval === undefined) throw new Error('no interval');
  const usage = {
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    cacheableTokens: 0,
    costNanos: 1e9,
    unknownCosts: 3,
  };
  const turns = { ...interval.turns, sent: 100, ok: 100 };
  const counted = { ...interval, turns, attempts: { ...interval.attempts, retries: 0 }, usage, model: { calls: 400 } };
  const source: MetricSource = { kind: 'quotient', of: 'cost.nanos', per: 'turns.ok', scale: 1e9 };
  const reading = (costs: 'model' | 'reply') => readFigure(openRun([intervalPart(counted, costs)]), { source });
  expect(reading('model')).toHaveProperty('figure');
  expect(reading('reply')).toMatchObject({ missing: 'no_data' });
});

describe('figures of counts', () => {
  const counted = (counts: Record<string, number>, lengthMs?: number) => partOf([], counts, lengthMs);

  test('a rate is events per second, with the noise of a Poisson process: 1 / N', () => {
    const { value } = figureOf(
      read([counted({ 'turns.finished': 30 }), counted({ 'turns.finished': 15 }, 500)], {
        kind: 'rate',
        of: 'turns.finished',
      }),
    );
    expect(value).toBe(30);
    const ratios = seconds(60).map((run) => {
      const draw = randomPoisson.source(randomOf(7, run))(50);
      const parts = seconds(100).map(() => counted({ 'turns.finished': draw() }));
      const { withinVariance, count } = figureOf(read(parts, { kind: 'rate', of: 'turns.finished' }));
      return (withinVariance ?? NaN) * count;
    });
    expect(mean(ratios)).toBeGreaterThan(0.78);
    expect(mean(ratios)).toBeLessThan(1.25);
  });

  test('a ratio is the ratio of the sums', () => {
    const source = { kind: 'ratio', of: 'turns.finished', per: 'turns.sent' } as const;
    const parts = [
      counted({ 'turns.finished': 12, 'turns.sent': 10 }),
      counted({ 'turns.finished': 4, 'turns.sent': 6 }),
    ];
    // No event beyond the first of each: counts as one.
    expect(figureOf(read(parts, source))).toEqual({ value: 1, level: 0, count: 16, withinVariance: 1 / 16 ** 2 });
  });

  test("a share uses Anscombe's root, on which zero has a level too", () => {
    const source = { kind: 'share', of: 'turns.failed', among: 'turns.finished' } as const;
    const none = figureOf(read([counted({ 'turns.finished': 1000 })], source));
    // A single interval does not show the noise of the run, but its count has its own noise.
    expect(none).toEqual({ value: 0, level: 2 * Math.sqrt(0.375 / 1000), withinVariance: 1 / 1000, count: 1000 });
    const some = seconds(20).map(() => counted({ 'turns.failed': 1, 'turns.finished': 100 }));
    // Perfectly even, so that only the noise of independent events remains.
    expect(figureOf(read(some, source)).withinVariance).toBe(1 / 2000);
    const burst = seconds(20).map((at) => counted({ 'turns.failed': at === 3 ? 60 : 0, 'turns.finished': 100 }));
    expect(figureOf(read(burst, source)).withinVariance).toBeGreaterThan(10 / 2000);
  });

  test('a share with a rare rest uses the same root from its upper end', () => {
    const source = { kind: 'share', of: 'turns.good', among: 'turns.finished', rare: 'rest' } as const;
    const all = figureOf(read([counted({ 'turns.good': 1000, 'turns.finished': 1000 })], source));
    expect(all).toEqual({ value: 1, level: -2 * Math.sqrt(0.375 / 1000), withinVariance: 1 / 1000, count: 1000 });
    const burst = seconds(20).map((at) => counted({ 'turns.good': at === 3 ? 40 : 100, 'turns.finished': 100 }));
    expect(figureOf(read(burst, source)).withinVariance).toBeGreaterThan(10 / 2000);
  });

  test('is missing if nothing happened', () => {
    const nothing = [counted({ 'turns.finished': 0, 'turns.sent': 0 })];
    for (const source of [
      { kind: 'rate', of: 'turns.finished' },
      { kind: 'ratio', of: 'turns.finished', per: 'turns.sent' },
      { kind: 'share', of: 'turns.failed', among: 'turns.finished' },
      { kind: 'mean', series: 'turn.ok' },
    ] as const)
      expect(read(nothing, source), source.kind).toHaveProperty('missing', 'no_data');
  });
});
