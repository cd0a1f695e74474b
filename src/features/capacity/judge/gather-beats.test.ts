import { expect, test } from 'vitest';
import type { Beat } from './player.ts';
import { gatherBeats, gatherByLatency, generationOf } from './gather-beats.ts';
import { beatsInFlight } from '../test/capacity-beats.ts';

const beatOf = (at: number, rest: Partial<Beat> = {}): Beat => ({
  startMs: at * 250,
  lengthMs: 250,
  turns: 1,
  turnMeanMs: 100,
  sessionsStarted: 1,
  sessionsEnded: 1,
  sessionsLive: 4,
  turnsInFlight: 2,
  parts: [{ part: 1, whole: 2 }],
  ...rest,
});

test('adds counts of ended turns, and averages levels and latencies', () => {
  const beats = [
    beatOf(0, { turns: 3, turnMeanMs: 200, turnsInFlight: 6 }),
    beatOf(1, { turns: 0, turnMeanMs: null }),
    beatOf(2),
    beatOf(3),
    beatOf(4),
  ];
  expect(gatherBeats(beats, 1000)).toEqual([
    {
      startMs: 0,
      lengthMs: 1000,
      turns: 5,
      turnMeanMs: 160,
      sessionsStarted: 4,
      sessionsEnded: 4,
      sessionsLive: 4,
      turnsInFlight: 3,
      parts: [{ part: 4, whole: 8 }],
    },
  ]);
});

test('merges intervals to the length of a turn, unless too few would remain', () => {
  const beats = Array.from({ length: 400 }, (_, at) => beatOf(at, { turnMeanMs: 2000 }));
  expect(gatherByLatency(beats, 10)).toHaveLength(50);
  expect(gatherByLatency(beats, 40)).toHaveLength(80);
});

const beats = (ended: (at: number) => number, rest = {}) =>
  beatsInFlight(
    Array.from({ length: 100 }, () => 10),
    { sessionsLive: 20, sessionsStarted: 2, ...rest },
  ).map((beat, at) => ({ ...beat, sessionsEnded: ended(at) }));

test('by concurrency: until as many sessions have ended as are live', () => {
  expect(
    generationOf(
      beats((at) => (at >= 9 ? 2 : 0)),
      false,
    ),
  ).toBe(19);
  expect(
    generationOf(
      beats(() => 0),
      false,
    ),
  ).toBeNull();
});

test('by rate: the lag of departures after arrivals, once it was observed twice', () => {
  expect(
    generationOf(
      beats((at) => (at >= 10 ? 2 : 0)),
      true,
    ),
  ).toBe(10);
  expect(
    generationOf(
      beats((at) => (at >= 60 ? 2 : 0)),
      true,
    ),
  ).toBeNull();
  expect(
    generationOf(
      beats(() => 0),
      true,
    ),
  ).toBeNull();
});
