import { describe, expect, test } from 'vitest';
import { driftSchema, type Drift } from '../../src/result/sections/drift.ts';
import { driftMetrics } from '../../src/result/metrics/metrics.ts';
import { readGate, type Gate } from '../../src/result/gates/gates.ts';
import type { Published } from '../../src/result/metrics/metric.ts';
import { driftOf, seriesOf } from '../support/drifting-run.ts';
import { isWhole, minOf, maxOf, trials } from '../support/trials.ts';

/** Autocorrelation of consecutive intervals; all kinds in turn. */
const memories = [0.5, 0.6, 0.7, 0.8, 0.9];
const memoryOf = (seed: number): number => memories[seed % memories.length] ?? 0;
const turnsPerInterval = 30;
const latencies = ['turn.p50', 'turn.p95', 'turn.mean'] as const;

describe('over eight hours', () => {
  test('a steady service with autocorrelated noise is reported to drift in at most 5 % of runs', () => {
    const runs = trials(200);
    const alarms = Array.from({ length: runs }, (_, seed) =>
      driftOf({ seed, memory: memoryOf(seed), noise: 0.1, turnsPerInterval }),
    ).filter(({ service }) => service !== 'none');
    expect(alarms.length).toBeLessThanOrEqual(isWhole ? 0.05 * runs : maxOf(runs, 0.03));
  });

  test('a service slowed by 2 % an hour is found, and intervals cover the truth', () => {
    const count = trials(100);
    const runs = Array.from({ length: count }, (_, seed) =>
      driftOf({ seed: 1000 + seed, memory: memoryOf(seed), turnsPerInterval, slowness: (hours) => 1.02 ** hours }),
    );
    const found = runs.filter((drift) => latencies.some((name) => seriesOf(drift, name).direction === 'worse'));
    expect(found.length).toBeGreaterThan(0.85 * count);
    for (const name of latencies) {
      const covered = runs.filter((drift) => {
        const { low = NaN, high = NaN } = seriesOf(drift, name).perHour ?? {};
        return low <= 0.02 && high >= 0.02;
      });
      expect(covered.length).toBeGreaterThanOrEqual(minOf(count, 0.95));
    }
    const rates = latencies.map((name) => runs.map((drift) => seriesOf(drift, name).perHour?.value ?? NaN));
    for (const each of rates)
      expect(Math.abs(each.reduce((a, b) => a + b, 0) / each.length - 0.02)).toBeLessThan(0.002);
  });

  test('the objective is crossed when the trend gets there', () => {
    const gate = gateOf('turn.p95', '< 600ms');
    const drift = driftOf({ seed: 5, memory: 0.5, slowness: (hours) => 1.03 ** hours }, { gates: [gate] });
    const { crossing, last, perHour, shape } = seriesOf(drift, 'turn.p95');
    expect(shape).toBe('trend');
    expect(crossing?.from).toBe('gate turn.p95 < 600ms');
    // The fit starts half an hour before the end, where the last hour has its level.
    const hours = Math.log(600 / (last ?? 0)) / Math.log1p(perHour?.value ?? 0) - 0.5;
    expect(Math.abs((crossing?.inMs ?? 0) / 3.6e6 - hours)).toBeLessThan(2);
  });

  test.each([
    ['becomes twice as slow by as much an hour', (hours: number) => 1 + hours / 8],
    ['becomes slower ever faster', (hours: number) => 1 + (hours / 8) ** 2],
    ['becomes slower at first, and then stays', (hours: number) => 1 + 0.3 * Math.min(1, hours / 4)],
  ])('a service that %s is found', (_, slowness) => {
    for (const memory of [0.5, 0.7])
      expect(seriesOf(driftOf({ seed: 20, memory, slowness }), 'turn.p50').direction).toBe('worse');
  });

  test('a step is reported as a step, when and how far', () => {
    const drift = driftOf({ seed: 6, memory: 0.6, slowness: (hours) => (hours < 5 ? 1 : 1.3) });
    const { shape, step, direction } = seriesOf(drift, 'turn.p50');
    expect([shape, direction]).toEqual(['step', 'worse']);
    expect(Math.abs((step?.atMs ?? 0) / 3.6e6 - 5)).toBeLessThan(0.3);
    expect(Math.abs((step?.change ?? 0) - 0.3)).toBeLessThan(0.05);
    expect(step?.low).toBeLessThan(step?.change ?? NaN);
    expect(step?.high).toBeGreaterThan(step?.change ?? NaN);
  });

  test('a service that fills up and is restarted every hour is reported as a sawtooth', () => {
    const drift = driftOf({
      seed: 7,
      memory: 0.3,
      noise: 0.01,
      turnsPerInterval: 200,
      slowness: (hours) => 1 + 0.4 * (hours % 1),
    });
    const { shape, sawtooth } = seriesOf(drift, 'turn.mean');
    expect(shape).toBe('sawtooth');
    expect(sawtooth?.falls).toBe(7);
    expect(Math.abs((sawtooth?.everyMs ?? 0) / 3.6e6 - 1)).toBeLessThan(0.1);
  });

  test('failures that become more are found in points, while latency is not', () => {
    const drift = driftOf({ seed: 8, memory: 0.5, failedShare: (hours) => 0.01 + 0.005 * hours });
    const { verdict, direction, perHour } = seriesOf(drift, 'turns.failedShare');
    expect([verdict, direction]).toEqual(['drift', 'worse']);
    expect(Math.abs((perHour?.value ?? 0) - 0.005)).toBeLessThan(0.0015);
    expect(seriesOf(drift, 'turn.p95').verdict).toBe('none');
  });
});

describe("the generator's own drift", () => {
  const leaking = (hours: number) => ({
    rssBytes: 100e6 + 20e6 * hours + 3e6 * Math.sin(hours * 900),
    heapBytes: 40e6 + 2e6 * Math.sin(hours * 700),
    eventLoopDelayP99Ms: 2 + 0.4 * Math.sin(hours * 800),
    cpuShare: 0.2,
  });

  test('is distinguished from drift of the service', () => {
    const drift = driftOf({ seed: 9, memory: 0.5, generator: leaking });
    expect([drift.service, drift.generator]).toEqual(['none', 'drift']);
    expect(seriesOf(drift, 'generator.rss')).toMatchObject({ verdict: 'drift', direction: 'worse', shape: 'trend' });
    expect(seriesOf(drift, 'generator.heap').verdict).toBe('none');
    expect(seriesOf(drift, 'generator.eventLoopDelay').verdict).toBe('none');
  });

  test('is none if its memory finds its size early and stays there', () => {
    const settling = (hours: number) => ({ ...leaking(0), rssBytes: 100e6 + 15e6 * (1 - Math.exp(-hours * 6)) });
    expect(driftOf({ seed: 10, memory: 0.5, generator: settling }).generator).toBe('none');
  });
});

describe('a short run', () => {
  test('has no verdict below five minutes, and its gate no data', () => {
    const drift = driftOf({ seed: 11, memory: 0.5, intervals: 299, intervalMs: 1000 });
    expect([drift.service, drift.generator]).toEqual(['too_short', 'too_short']);
    expect(reading(drift)).toEqual({
      value: null,
      reason: 'at least 5 minutes of steady load in 60 intervals are needed',
    });
  });

  test('has figures that JSON can represent, whatever its noise', () => {
    const lengths = { intervals: 300, intervalMs: 1000, turnsPerInterval: 12, noise: 3 };
    for (let seed = 0; seed < 5; seed++) {
      const drift = driftOf({ seed, memory: 0.97, ...lengths });
      expect(driftSchema.parse(JSON.parse(JSON.stringify(drift)))).toEqual(drift);
    }
  });

  test('has one from five minutes on, if there are turns enough', () => {
    const lengths = { intervals: 300, intervalMs: 1000 };
    expect(driftOf({ seed: 12, memory: 0.5, ...lengths }).service).toBe('none');
    const sparse = driftOf({ seed: 12, memory: 0.5, turnsPerInterval: 0.2, ...lengths });
    expect(seriesOf(sparse, 'turn.p95')).toMatchObject({ verdict: 'too_short', reason: 'too few turns' });
  });
});

describe('a gate on drift', () => {
  test('fits a change per hour, or the change of a value that falls below zero', () => {
    expect(gateOf('drift.turn.p95', '< 2%/h').limit).toBe(0.02);
    expect(gateOf('drift.rates.turnsPerSecond', '> -1.5 % / h').limit).toBe(-0.015);
    for (const condition of ['< 2%', '< 2/h', '< --2%/h', '< %/h', '< 2h'])
      expect(readGate('drift.turn.p95', condition)).toHaveProperty('problem');
  });

  test('detects a drift with a slope, and reports none otherwise', () => {
    const drifting = driftOf({ seed: 13, memory: 0.5, slowness: (hours) => 1.03 ** hours });
    expect(reading(drifting).value).toBe(seriesOf(drifting, 'turn.p95').perHour?.value);
    expect(Math.abs((reading(drifting).value ?? 0) - 0.03)).toBeLessThan(0.01);
    expect(reading(driftOf({ seed: 14, memory: 0.5 })).value).toBe(0);
  });
});

function gateOf(metric: string, condition: string): Gate {
  const read = readGate(metric, condition);
  if ('problem' in read) throw new Error(read.problem);
  return read.ok;
}

const reading = (drift: Drift) =>
  driftMetrics.find(({ name }) => name === 'drift.turn.p95')?.read({ drift } as Published) ?? { value: NaN };
