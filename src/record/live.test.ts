import { beforeEach, expect, test } from 'vitest';
import { planFor, syntheticRun, tellAll } from '../../test/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { total } from './counters.ts';
import { createRecorder, type Recorder } from './recorder.ts';

let recorder: Recorder;
beforeEach(() => {
  recorder = createRecorder({ plan: planFor({ warmUp: '1s' }), startedAt: instant(0), defer: () => undefined });
});

test('live figures hold everything so far, whether its interval is open, being put away or closed', () => {
  const told = syntheticRun({ sessions: 200 });
  const end = instant((told.at(-1)?.at ?? 0) + 1);
  tellAll(told, recorder);
  const open = recorder.live(end);
  recorder.roll(end);
  const waiting = recorder.live(end);
  const { totals } = recorder.snapshot(end);
  const closed = recorder.live(end);
  expect(waiting.turns).toEqual(open.turns);
  expect(closed.turns).toEqual(open.turns);
  expect(open.turns.ok).toBe(totals.reduce((sum, tally) => sum + (tally.counters.turns?.['ok'] ?? 0), 0));
  expect(total(open.turns)).toBeGreaterThan(200);
  expect(open).toMatchObject({ sessionsLive: 0, turnsInFlight: 0, sessionsDone: open.sessionsStarted });
});

test('the last second is the last whole one, ok and failed turns together', () => {
  const told = syntheticRun({ sessions: 400 });
  const until = told.findIndex((each) => each.at >= 3400);
  tellAll(told.slice(0, until), recorder);
  const { lastSecond } = recorder.live(instant(3400));
  const snapshot = recorder.snapshot(instant(3400));
  const of = snapshot.intervals.filter((each) => each.startMs === 2000);
  const turns = of.flatMap((each) => Object.entries(each.series)).filter(([name]) => name.startsWith('turn.'));
  expect(lastSecond.turns).toBe(turns.reduce((sum, [, series]) => sum + series.count, 0));
  expect(lastSecond.turns).toBeGreaterThan(50);
  expect(lastSecond.p50Ms).toBeGreaterThan(20);
  expect(lastSecond.p95Ms).toBeGreaterThan(lastSecond.p50Ms ?? Infinity);
});

test('a second without turns has no percentiles', () => {
  expect(recorder.live(instant(5000)).lastSecond).toEqual({ turns: 0, p50Ms: null, p95Ms: null });
});
