import { expect, test } from 'vitest';
import { joinInTime, joinWorkers, Gauges } from './gauges.ts';

const seconds = (us: number): number => us / 1e6;

test('levels are weighted by time, interval by interval', () => {
  const levels = new Gauges(0);
  levels.changeSessions(1, 0);
  levels.changeSessions(1, 250);
  levels.changeSessions(-1, 500);
  levels.changeTurns(1, 900);
  levels.changeTurns(-1, 2100);
  expect(levels.liveSessions).toBe(1);
  const ended = levels.takeEnded(3000, Infinity);
  expect(
    ended.map(({ startMs, sessionsUs, maxSessions, turnsUs, maxTurns }) => [
      startMs,
      seconds(sessionsUs),
      maxSessions,
      seconds(turnsUs),
      maxTurns,
    ]),
  ).toEqual([
    [0, 1.25, 2, 0.1, 1],
    [1000, 1, 1, 1, 1],
    [2000, 1, 1, 0.1, 1],
  ]);
  expect(levels.takeEnded(3000, Infinity)).toEqual([]);
});

test('the interval in which the warm-up ends is split there', () => {
  const levels = new Gauges(1400);
  levels.changeSessions(2, 1000);
  levels.changeSessions(3, 1900);
  expect(levels.takeEnded(2000, Infinity)).toMatchObject([
    { startMs: 0, warmUp: true, lengthUs: 1_000_000, sessionsUs: 0 },
    { startMs: 1000, warmUp: true, lengthUs: 400_000, sessionsUs: 800_000, maxSessions: 2 },
    { startMs: 1000, warmUp: false, lengthUs: 600_000, sessionsUs: 1_500_000, maxSessions: 5 },
  ]);
});

test('sockets are levels of runs that open any', () => {
  const levels = new Gauges(0);
  levels.changeTurns(1, 100);
  levels.cut(500);
  levels.changeSockets(1, 750);
  levels.changeSockets(1, 900);
  levels.changeSockets(-1, 1500);
  const [before, first, second] = levels.takeEnded(2000, Infinity);
  expect(before).not.toHaveProperty('maxSockets');
  expect(first).toMatchObject({ socketsUs: 350_000, maxSockets: 2 });
  expect(second).toMatchObject({ socketsUs: 1_500_000, maxSockets: 2 });
  if (before === undefined || first === undefined || second === undefined) throw new Error('no intervals');
  expect(joinInTime(before, first)).toMatchObject({ socketsUs: 350_000, maxSockets: 2 });
  expect(joinInTime(first, second)).toMatchObject({ socketsUs: 1_850_000, maxSockets: 2 });
  expect(joinWorkers(first, second)).toMatchObject({ socketsUs: 1_850_000, maxSockets: 4 });
});

test('the interval in progress can be cut; its parts add up to the whole', () => {
  const levels = new Gauges(0);
  levels.changeTurns(1, 200);
  levels.cut(700);
  expect(levels.takeEnded(700, Infinity)).toMatchObject([{ startMs: 0, lengthUs: 700_000, turnsUs: 500_000 }]);
  expect(levels.takeEnded(1500, Infinity)).toMatchObject([
    { startMs: 0, lengthUs: 300_000, turnsUs: 300_000, maxTurns: 1 },
  ]);
});

test('intervals that have ended can be left for later', () => {
  const levels = new Gauges(0);
  expect(levels.takeEnded(3500, 2000).map(({ startMs }) => startMs)).toEqual([0, 1000]);
  expect(levels.takeEnded(3600, Infinity).map(({ startMs }) => startMs)).toEqual([2000]);
});

const interval = {
  startMs: 0,
  warmUp: false,
  lengthUs: 1000,
  sessionsUs: 5000,
  maxSessions: 7,
  turnsUs: 400,
  maxTurns: 3,
};
const other = { startMs: 0, warmUp: false, lengthUs: 900, sessionsUs: 100, maxSessions: 2, turnsUs: 40, maxTurns: 9 };

test('levels of one time after another keep the greater maximum', () => {
  expect(joinInTime(interval, other)).toEqual({
    startMs: 0,
    warmUp: false,
    lengthUs: 1900,
    sessionsUs: 5100,
    maxSessions: 7,
    turnsUs: 440,
    maxTurns: 9,
  });
});

test('levels of two workers at one time add up, their maxima to an upper bound', () => {
  expect(joinWorkers(interval, other)).toEqual({
    startMs: 0,
    warmUp: false,
    lengthUs: 1000,
    sessionsUs: 5100,
    maxSessions: 9,
    turnsUs: 440,
    maxTurns: 12,
  });
});
