import { describe, expect, test } from 'vitest';
import { failedTurns } from '../../record/counters.ts';
import { encodeValues } from '../../../test/support/encode-values.ts';
import { nightResult } from '../../../test/support/night-result.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { witness, type ServiceModel } from '../../../test/support/virtual-run.ts';
import { heatFromMs, heatStep, type Timeline } from '../page/page.ts';
import type { Result } from '../../result/result.ts';
import { readSparse } from '../../record/sparse-histogram.ts';
import { buildTimeline } from './build-timeline.ts';
import { heatCells } from './series-columns.ts';

const timelineOf = (result: Result): Timeline => buildTimeline(result, 'run').timeline;

/** Returns the sum of a column of rates over some intervals. */
function totalOf({ columns, lengthMs, startMs }: Timeline, name: string, fromMs = 0): number {
  const column = columns[name] ?? [];
  return column.reduce<number>(
    (sum, rate, at) => ((startMs[at] ?? 0) < fromMs ? sum : sum + ((rate ?? 0) * (lengthMs[at] ?? 0)) / 1000),
    0,
  );
}

const steady: ServiceModel = () => ({ afterMs: 50 });

describe('columns of rates', () => {
  test('add up to the outcomes', () => {
    const result = resultOf(finishedRun());
    const timeline = timelineOf(result);
    const { turns, attempts } = result.outcomes;
    expect(totalOf(timeline, 'turnsPerSecond.ok')).toBeCloseTo(turns.ok, 0);
    expect(totalOf(timeline, 'turnsPerSecond.failed')).toBeCloseTo(failedTurns(turns), 0);
    expect(totalOf(timeline, 'turnsPerSecond.sent')).toBeCloseTo(result.retries.turnsSent, 0);
    expect(totalOf(timeline, 'retriesPerSecond')).toBeCloseTo(result.retries.retries, 0);
    expect(totalOf(timeline, 'attemptsPerSecond.timed_out')).toBeCloseTo(attempts.timed_out, 0);
  });

  test('add up to the outcomes after a warm-up, whose rest is separate', async () => {
    const warm = { duration: '10s', warmUp: '3s', turns: 40, load: { concurrency: 8 } } as const;
    const { result } = await witness(warm, steady);
    const timeline = timelineOf(result);
    expect(totalOf(timeline, 'turnsPerSecond.ok', 3000)).toBeCloseTo(result.outcomes.turns.ok, 0);
    // The load continues: sessions of the warm-up still send next to the measured ones.
    const left = result.books.warmUp.turns;
    const rest = totalOf(timeline, 'turnsPerSecond.ofWarmUp');
    expect(rest).toBeGreaterThanOrEqual(0);
    expect(totalOf(timeline, 'turnsPerSecond.ok') - result.outcomes.turns.ok + rest).toBeCloseTo(left.ok, 0);
  });

  test('show no peak and no dip in the warm-up if it ends within an interval', async () => {
    const warm = { duration: '6s', warmUp: '2300ms', turns: 40, load: { concurrency: 8 } } as const;
    const timeline = timelineOf((await witness(warm, () => ({ afterMs: 200 }))).result);
    const rates = timeline.columns['turnsPerSecond.ok'] ?? [];
    expect(timeline.startMs.slice(0, 5)).toEqual([0, 1000, 2000, 2300, 3000]);
    expect(Math.abs((rates[2] ?? NaN) - (rates[1] ?? NaN))).toBeLessThan(0.1 * (rates[1] ?? NaN));
  });

  test('have one position for every instant', () => {
    const { startMs } = timelineOf(resultOf(finishedRun({ warmUp: '1500ms' })));
    expect(startMs).toEqual([...new Set(startMs)].toSorted((a, b) => a - b));
  });
});

describe('columns of latency', () => {
  test('have the statistics of an interval, percentiles from their sample floors on', () => {
    const values = Array.from({ length: 130 }, (_, index) => 1000 * (index + 1));
    const night = nightResult(1);
    const [interval] = night.intervals;
    if (interval === undefined) throw new Error('there is no interval');
    const stored = { count: 130, sumMs: 8515, minMs: 1, maxMs: 130, hdr: encodeValues(values) };
    const { columns } = timelineOf({ ...night, intervals: [{ ...interval, latency: { 'turn.ok': stored } }] });
    const names = Object.keys(columns).filter((name) => name.startsWith('turn.'));
    expect(names).toEqual(['min', 'mean', 'p50', 'p75', 'p90', 'p95', 'max'].map((name) => `turn.${name}`));
    expect(columns['turn.mean']).toEqual([65.5]);
    expect(columns['turn.p95']?.[0]).toBeCloseTo(124, 0);
  });

  test('hold ok and failed together, and each if something failed', () => {
    const night = nightResult(2);
    const { columns } = timelineOf(night);
    const [first] = night.intervals;
    const [ok, failed] = [first?.latency['turn.ok'], first?.latency['turn.failed']];
    expect(columns['turn.max']?.[0]).toBeCloseTo(Math.max(ok?.maxMs ?? NaN, failed?.maxMs ?? NaN), -2);
    expect(columns['turn.ok.min']?.[0]).toBeCloseTo(ok?.minMs ?? NaN, 1);
    expect(columns['turn.failed.p90']?.[0]).toBeGreaterThan(columns['turn.failed.p50']?.[0] ?? NaN);
  });

  test('of one interval equal the published percentiles', async () => {
    const { result } = await witness({ sessions: 400, load: { concurrency: 400 } }, (_, at) => ({
      afterMs: 100 + (Math.round(at * 1000) % 50),
    }));
    const { columns } = timelineOf(result);
    expect(result.intervals).toHaveLength(1);
    for (const [statistic, key] of [
      ['p50', 'p50Ms'],
      ['p95', 'p95Ms'],
      ['max', 'maxMs'],
    ] as const)
      expect(columns[`turn.${statistic}`]).toEqual([Number(result.latency.turn[key]?.toPrecision(4))]);
  });

  test('show a stall of the service, while the lines of the generator stay flat', async () => {
    const stalling: ServiceModel = (operation, at) => ({
      afterMs: operation === 'message' && at >= 9000 && at < 11_000 ? 11_050 - at : 50,
    });
    const { result } = await witness({ duration: '20s', turns: 5, load: { sessionsPerSecond: 20 } }, stalling);
    const { columns, startMs } = timelineOf(result);
    const at = (ms: number): number => startMs.indexOf(ms);
    expect(columns['turn.max']?.[at(5000)]).toBe(50);
    expect(columns['turn.max']?.[at(11_000)]).toBeGreaterThan(1900);
    expect(columns['lateness.max']?.every((value) => value !== null && value < 5)).toBe(true);
  });

  test('show a stall of the generator as lateness', async () => {
    const stall = { atMs: 9000, forMs: 2000 };
    const scenario = { duration: '20s', turns: 5, thinkTime: '100ms', load: { sessionsPerSecond: 20 } } as const;
    const { columns, startMs } = timelineOf((await witness(scenario, steady, stall)).result);
    expect(columns['lateness.max']?.[startMs.indexOf(11_000)]).toBeGreaterThan(1500);
  });
});

describe('heat', () => {
  test('contains every value of its interval, each in the row of its duration', () => {
    const values = [50, 100, 118, 120, 1000, 250_000, 250_001, 2_000_000_000];
    const cells = heatCells(readSparse(encodeValues(values)));
    const counts = new Map<number, number>();
    for (const us of values) {
      const row = Math.max(0, Math.floor(Math.log(us / 1000 / heatFromMs) / Math.log(heatStep)));
      counts.set(row, (counts.get(row) ?? 0) + 1);
    }
    expect(cells).toEqual([...counts].toSorted(([a], [b]) => a - b).flat());
  });

  test('is of whole series, and empty if nothing ended', async () => {
    const pausing: ServiceModel = (_, at) => ({ afterMs: at > 900 && at < 3000 ? 3500 - at : 20 });
    const { result } = await witness({ duration: '5s', load: { concurrency: 2 } }, pausing);
    const { heat, startMs } = timelineOf(result);
    expect(heat['turn']).toHaveLength(startMs.length);
    expect(heat['turn']?.[2]).toEqual([]);
    const total = (heat['turn'] ?? []).flat().filter((_, at) => at % 2 === 1);
    expect(total.reduce((sum, count) => sum + count, 0)).toBe(result.latency.turn.count);
    expect(Object.keys(heat)).not.toContain('turn.ok');
  });
});

describe('marks', () => {
  test('cover the warm-up, ramps, and the drain after the duration', async () => {
    const stages = [
      { duration: '4s', concurrency: 10 },
      { duration: '4s', concurrency: 10 },
      { duration: '2s', concurrency: 2 },
    ] as const;
    const { result } = await witness({ load: { stages }, warmUp: '2s', turns: 3 }, () => ({ afterMs: 400 }));
    expect(timelineOf(result).marks.map(({ kind, atMs, untilMs, label }) => [kind, atMs, untilMs, label])).toEqual([
      ['warm_up', 0, 2000, 'warm-up, excluded from published figures'],
      ['ramp', 0, 4000, 'ramp from 0 to 10 concurrent'],
      ['ramp', 8000, 10_000, 'ramp from 10 to 2 concurrent'],
      ['drain', 10_000, result.run.durationMs, 'drain: no new sessions'],
    ]);
  });

  test('are of a gate that stopped the run, with its reason, and of the drain after it', async () => {
    const gates = { 'turn.p50': { gate: '< 10ms', abort: true, after: '2s' } } as const;
    const { result } = await witness({ duration: '60s', turns: 3, load: { concurrency: 5 }, gates }, () => ({
      afterMs: 73,
    }));
    const [gate, drain] = timelineOf(result).marks;
    expect(gate).toMatchObject({ kind: 'gate', untilMs: null, label: result.run.stop?.reason });
    expect(drain).toMatchObject({ kind: 'drain', atMs: gate?.atMs, untilMs: result.run.durationMs });
  });

  test('do not exist in a run of a number of sessions at one level', async () => {
    const { result } = await witness({ sessions: 20, load: { concurrency: 5 } }, steady);
    expect(timelineOf(result).marks).toEqual([]);
  });
});
