import { beforeEach, expect, test } from 'vitest';
import { planFor, syntheticRun, tellAll } from '../../test/support/synthetic-run.ts';
import { witness } from '../../test/support/virtual-run.ts';
import { instant, later, ms } from '../base/time.ts';
import { sumCounters, total } from './counters.ts';
import type { Live } from './live.ts';
import { createRecorder, type Recorder } from './recorder.ts';

let recorder: Recorder;
beforeEach(() => {
  recorder = createRecorder({ plan: planFor({ warmUp: '1s' }), startedAt: instant(0), defer: () => undefined });
});

test('live figures contain everything so far, whether its interval is open, being closed or closed', () => {
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
  const creations = sumCounters(totals.map(({ counters }) => counters)).createAttempts;
  expect(creations.aborted).toBeGreaterThan(0);
  const ended = Object.entries(creations).filter(([name]) => name !== 'ok' && name !== 'aborted');
  expect(open.failedCreations).toBe(ended.reduce((sum, [, count]) => sum + count, 0));
  expect(open).toMatchObject({ sessionsLive: 0, turnsInFlight: 0, sessionsDone: open.sessionsStarted });
});

test('live figures count sessions that were not created and failed attempts separately', async () => {
  // Concurrency of 1: 50 ms, a backoff of 100 ms, 50 ms.
  const retry = { maxAttempts: 2, base: '100ms', jitter: 'none' } as const;
  const seen: Live[] = [];
  await witness({ sessions: 4, turns: 1, retry, load: { concurrency: 1 } }, () => ({ afterMs: 50, status: 503 }), {
    atMs: 0,
    forMs: 0,
    watch: (witnessed, { clock }) =>
      clock.wakeAt(later(clock.now(), ms(430)), () => seen.push(witnessed.live(clock.now()))),
  });
  expect(seen).toMatchObject([{ sessionsDone: 2, sessionsLive: 1, sessionsNotCreated: 2, failedCreations: 4 }]);
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
  const none = { p50Ms: null, p95Ms: null };
  expect(recorder.live(instant(5000)).lastSecond).toEqual({
    turns: 0,
    ...none,
    firstToken: none,
    gap: none,
    tokenTime: none,
  });
});
