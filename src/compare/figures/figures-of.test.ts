import { describe, expect, test } from 'vitest';
import { releaseRun } from '../../../test/support/release-run.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { metricNamed } from '../../result/metrics/metrics.ts';
import { figuresOf, headlineFigures } from './read-figure.ts';
import { measuredWindow } from './open-run.ts';
import { gateFamily, metricRules } from '../metrics/metric-rules.ts';
import type { RunReading } from '../document/run-figure.ts';

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
    // Where a percentile has too few samples for one it may have enough for the other.
    if (value === undefined || published === null || published === undefined) return;
    // Published percentiles are the upper ends of buckets, by rank; these lie within them.
    const most = rule.source.kind === 'quantile' ? 0.02 : 1e-9;
    expect(Math.abs(value - published)).toBeLessThanOrEqual(most * published);
  });

  test('are there for what the run has, without noise but that of counts', () => {
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

  test('give integrity as a share of the replies looked at', () => {
    const { failed, replies } = result.integrity;
    expect(valueOf(figures.get('integrity.failed'))).toBe(failed / replies);
  });
});

describe('the figures of intervals', () => {
  test('are those of the totals where nothing is left out', () => {
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

describe('the measured window', () => {
  const run = releaseRun({ id: 'a', intervals: 20 });
  const [first] = run.intervals;
  const at = (startMs: number, warmUp = false) =>
    ({ ...(first ?? run.intervals[0]), startMs, warmUp }) as NonNullable<typeof first>;
  const startsOf = (scenario: typeof run.scenario) =>
    measuredWindow({ scenario, intervals: [at(0, true), at(500), at(1000), at(19_000), at(20_000), at(21_000)] }).map(
      ({ startMs }) => startMs,
    );

  test('ends with the duration: the drain is left out, and the warm-up', () => {
    expect(startsOf(run.scenario)).toEqual([500, 1000, 19_000]);
  });

  test('holds everything but the warm-up of a run by a number of sessions', () => {
    const plan = { ...run.scenario.plan, durationMs: null, sessions: 400 };
    expect(startsOf({ ...run.scenario, plan })).toEqual([500, 1000, 19_000, 20_000, 21_000]);
  });
});
