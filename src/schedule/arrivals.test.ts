import { describe, expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import type { Arrivals, Segment } from '../plan/plan.ts';
import { randomOf } from '../base/random.ts';
import { arrivalOffsets, ownArrivals, traceOffsets } from './arrivals.ts';
import { memoryTrace } from '../../test/support/memory-trace.ts';

const flat = (rate: number): Segment[] => [{ startMs: ms(0), endMs: null, from: rate, to: rate }];
const constant: Arrivals = { kind: 'constant' };
const gamma = (burstiness: number): Arrivals => ({ kind: 'gamma', burstiness });

function offsetsBefore(endMs: number, segments: Segment[], arrivals: Arrivals, seed = 1): number[] {
  const offsets: number[] = [];
  for (const offset of arrivalOffsets({ segments, arrivals }, randomOf(seed))) {
    if (offset >= endMs) break;
    offsets.push(offset);
  }
  return offsets;
}

const gapsOf = (offsets: readonly number[]): number[] =>
  offsets.slice(1).map((offset, i) => offset - (offsets[i] ?? 0));

describe('constant arrivals', () => {
  test('of 20/s for 10 s are 200, due at 0, 0.05, ... 9.95 s', () => {
    const offsets = offsetsBefore(10_000, flat(20), constant);
    expect(offsets).toEqual(Array.from({ length: 200 }, (_, i) => i * 50));
  });

  test.each([0.2, 0.3, 1, 3, 7, 33.3, 1000, 20_000])('keep a rate of %d/s without drift', (rate) => {
    const seconds = Math.max(10, 3 / rate);
    const offsets = offsetsBefore(seconds * 1000, flat(rate), constant);
    expect(offsets).toHaveLength(Math.ceil(seconds * rate - 1e-9));
    expect(Math.abs((offsets.at(-1) ?? 0) - ((offsets.length - 1) / rate) * 1000)).toBeLessThan(1e-6);
  });

  test('follow a ramp: the area under it is the number of sessions, and instants follow its integral', () => {
    const ramp: Segment[] = [
      { startMs: ms(0), endMs: ms(10_000), from: 0, to: 20 },
      { startMs: ms(10_000), endMs: null, from: 20, to: 20 },
    ];
    const offsets = offsetsBefore(10_000, ramp, constant);
    expect(offsets).toHaveLength(100);
    offsets.forEach((offset, n) => expect(offset).toBeCloseTo(Math.sqrt(n) * 1000, 6));
    expect(offsetsBefore(12_000, ramp, constant)).toHaveLength(140);
  });

  test('follow a ramp below 1/s, which whole numbers per second would reduce to zero', () => {
    const slow: Segment[] = [{ startMs: ms(0), endMs: ms(60_000), from: 0, to: 0.5 }];
    expect(offsetsBefore(60_000, slow, constant)).toHaveLength(15);
  });

  test('stop if the rate ends at 0, and pause while it is 0', () => {
    const pause: Segment[] = [
      { startMs: ms(0), endMs: ms(1000), from: 10, to: 10 },
      { startMs: ms(1000), endMs: ms(5000), from: 0, to: 0 },
      { startMs: ms(5000), endMs: ms(6000), from: 10, to: 10 },
      { startMs: ms(6000), endMs: null, from: 0, to: 0 },
    ];
    const offsets = offsetsBefore(Infinity, pause, constant);
    expect(offsets).toHaveLength(20);
    expect(offsets.filter((offset) => offset >= 1000 && offset < 5000)).toEqual([]);
  });
});

describe('random arrivals', () => {
  const offsets = (k: number): number[] => offsetsBefore(2_000_000, flat(10), gamma(k));

  test.each([0.25, 1, 4])('of burstiness %d have a coefficient of variation of 1/sqrt(k) and keep the rate', (k) => {
    const gaps = gapsOf(offsets(k));
    const mean = gaps.reduce((a, b) => a + b) / gaps.length;
    const sd = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(sd / mean / (1 / Math.sqrt(k))).toBeCloseTo(1, 1);
    expect(gaps.length / 20_000).toBeCloseTo(1, 1);
  });

  test('are the same for the same seed, and others for another', () => {
    expect(offsetsBefore(10_000, flat(5), gamma(1), 3)).toEqual(offsetsBefore(10_000, flat(5), gamma(1), 3));
    expect(offsetsBefore(10_000, flat(5), gamma(1), 4)).not.toEqual(offsetsBefore(10_000, flat(5), gamma(1), 3));
  });
});

const instants = [0, 10, 10, 10.5, 400, 7000];
const trace = memoryTrace(instants.map((atMs) => ({ atMs, turns: [[0, null, null]] })));

test('sessions are due at the times of the trace', () => {
  expect([...traceOffsets(trace)]).toEqual(instants);
});

test.each([1, 2, 3, 4])('%d shards together start the sessions of one', (count) => {
  const arrivalsOf = (index: number, of: number) => [...ownArrivals(traceOffsets(trace), { index, count: of })];
  const dealt = Array.from({ length: count }, (_, index) => arrivalsOf(index, count)).flat();
  expect(dealt.toSorted((a, b) => a.number - b.number)).toEqual(arrivalsOf(0, 1));
});
