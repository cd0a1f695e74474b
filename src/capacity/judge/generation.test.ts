import { expect, test } from 'vitest';
import { beatsInFlight } from '../../../test/support/capacity-beats.ts';
import { generationOf } from './generation.ts';

const beats = (ended: (at: number) => number, rest = {}) =>
  beatsInFlight(
    Array.from({ length: 100 }, () => 10),
    { sessionsLive: 20, sessionsStarted: 2, ...rest },
  ).map((beat, at) => ({
    ...beat,
    sessionsEnded: ended(at),
  }));

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

test('by rate: how far departures are behind arrivals, once that was seen twice over', () => {
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
