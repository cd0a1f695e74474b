import { expect, test } from 'vitest';
import { planFor, syntheticRun, type Told } from '../../test/support/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { sumCounters } from './counters.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import type { Snapshot } from './snapshot.ts';
import { writeSparse } from './histogram.ts';

const plan = planFor({
  sessions: 200,
  warmUp: '1500ms',
  load: { sessionsPerSecond: 60 },
  retry: { one: {}, two: { maxAttempts: 2 } },
});
const told = syntheticRun({ sessions: 200, policies: 2 });

/** The totals of a recorder, as a snapshot has them. */
const totalsOf = (recorder: Recorder) =>
  recorder.totals().map(({ warmUp, policy, counters, series }) => ({
    warmUp,
    policy,
    counters,
    series: Object.fromEntries(
      Object.entries(series).map(([name, { histogram, sumUs, minUs, maxUs }]) => [
        name,
        { count: histogram.total, sumUs, minUs, maxUs, hdr: writeSparse(histogram) },
      ]),
    ),
  }));

const totalsIn = ({ totals }: Snapshot) =>
  totals.map(({ warmUp, policy, counters, series }) => ({
    warmUp,
    policy,
    counters: sumCounters([counters]),
    series: Object.fromEntries(
      Object.entries(series).map(([name, { count, sumUs, minUs, maxUs, hdr }]) => [
        name,
        { count, sumUs, minUs, maxUs, hdr },
      ]),
    ),
  }));

/** Records the events up to an instant, with this number of archiving steps per second. */
function recordUntil(endMs: number, stepsPerSecond: number): Recorder {
  let waiting: (() => void)[] = [];
  const recorder = createRecorder({ plan, startedAt: instant(0), defer: (run) => waiting.push(run) });
  let second = 0;
  const pass = (): void => {
    recorder.roll(instant(++second * 1000));
    for (let step = 0; step < stepsPerSecond; step++) waiting.shift()?.();
  };
  for (const each of told.filter(({ at }: Told) => at <= endMs)) {
    while (each.at > (second + 1) * 1000) pass();
    each.tell(recorder);
  }
  waiting = [];
  return recorder;
}

test.each([
  [2400, 0],
  [4700, 3],
  [4700, 17],
  [9300, 1000],
])('the totals after %d ms contain everything once, with %d steps of archiving a second', (endMs, steps) => {
  const totals = totalsOf(recordUntil(endMs, steps));
  const snapshot = recordUntil(endMs, steps).snapshot(instant(endMs));
  const expected = totalsIn(snapshot);
  expect(expected.length).toBeGreaterThan(1);
  expect(totals.filter(({ series }) => Object.keys(series).length > 0)).toEqual(expected);
});

test('recording does not change returned totals', () => {
  const recorder = recordUntil(2400, 5);
  const totals = recorder.totals();
  const before = structuredClone(totals);
  for (const each of told.filter(({ at }) => at > 2400)) each.tell(recorder);
  expect(totals).toEqual(before);
});
