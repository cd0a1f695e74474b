import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnOf } from '../../test/support/session-records.ts';
import { planFor, syntheticRun, tellAll, type Told } from '../../test/support/synthetic-run.ts';
import { isWhole } from '../../test/support/trials.ts';
import { instant, ms } from '../base/time.ts';
import { sumCounters, total } from './counters.ts';
import { snapshotSchema, type Snapshot, mergeSnapshots } from './snapshot.ts';
import { createRecorder, type Recorder, type RecorderOptions } from './recorder.ts';
import { seriesTable } from './series-table.ts';
import { mergeTallies } from './tally.ts';

/** A recorder whose deferred work is done by the snapshot, unless a test changes it. */
const recorderFor = (options: Partial<RecorderOptions> = {}): Recorder =>
  createRecorder({ plan: planFor(), startedAt: instant(0), defer: () => undefined, ...options });

/** Reports a run to recorders that are rolled once per second. */
function record(told: readonly Told[], ...recorders: Recorder[]): void {
  let second = 0;
  for (const each of told) {
    while (each.at >= (second + 1) * 1000) for (const recorder of recorders) recorder.roll(instant(++second * 1000));
    tellAll([each], ...recorders);
  }
}

const endOf = (told: readonly Told[]) => instant((told.at(-1)?.at ?? 0) + 1);
const withoutMaxima = (snapshot: Snapshot) => ({
  ...snapshot,
  workers: [],
  levels: snapshot.levels.map((each) => ({ ...each, maxSessions: 0, maxTurns: 0 })),
});
const measured = (snapshot: Snapshot) => mergeTallies(snapshot.totals.filter((tally) => !tally.warmUp));

describe('a recorder', () => {
  test('returns totals that are exactly the sums of its intervals, by phase and policy', () => {
    const plan = planFor({ warmUp: '1500ms', retry: { gentle: { base: '1s' }, harsh: { base: '1ms' } } });
    const told = syntheticRun({ sessions: 300, policies: 2 });
    const recorder = recorderFor({ plan });
    record(told, recorder);
    const snapshot = recorder.snapshot(endOf(told));
    expect(snapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
    expect(snapshot.totals.map(({ warmUp, policy }) => [warmUp, policy])).toEqual([
      [true, 0],
      [true, 1],
      [false, 0],
      [false, 1],
    ]);
    for (const { warmUp, policy, ...tally } of snapshot.totals) {
      const intervals = snapshot.intervals.filter((each) => each.warmUp === warmUp && each.policy === policy);
      expect(intervals.length).toBeGreaterThan(4);
      expect(mergeTallies(intervals)).toEqual(tally);
    }
  });

  test('knows the waits for the event loop of every series that contains reads, and of the lateness', () => {
    const told = syntheticRun({ sessions: 300, policies: 1 });
    const recorder = recorderFor({ waited: () => ms(0.01) });
    record(told, recorder);
    const { series } = measured(recorder.snapshot(endOf(told)));
    const isWaiting = (name: string): boolean =>
      name === 'lateness' ||
      seriesTable.some((each) => name.split('.')[0] === each.name && !['none', 'elsewhere'].includes(each.delays));
    const recorded = Object.entries(series).map(([name, stored]) => [name, stored.shifts !== undefined] as const);
    expect(recorded).toEqual(recorded.map(([name]) => [name, isWaiting(name)]));
    const kinds = new Set(recorded.filter(([, waits]) => waits).map(([name]) => name.split('.')[0]));
    expect([...kinds].toSorted()).toMatchInlineSnapshot(`
      [
        "attempt",
        "connect",
        "effective",
        "firstByte",
        "lateness",
        "sessionCreate",
        "turn",
      ]
    `);
  });

  test('puts turns that began in the warm-up and ended later into a warm-up interval of that later time', () => {
    const told = syntheticRun({ sessions: 50, spreadMs: 900 });
    const recorder = recorderFor({ plan: planFor({ warmUp: '1s' }) });
    record(told, recorder);
    const { intervals } = recorder.snapshot(endOf(told));
    expect(intervals.some((each) => each.warmUp && each.startMs >= 1000)).toBe(true);
    expect(intervals.some((each) => !each.warmUp && each.startMs < 1000)).toBe(false);
  });

  test('continues after a snapshot, as if none had been taken', () => {
    const told = syntheticRun({ sessions: 60 });
    const [plain, disturbed] = [recorderFor(), recorderFor()];
    record(told, plain);
    record(told.slice(0, 400), disturbed);
    disturbed.snapshot(instant(told[400]?.at ?? 0));
    tellAll(told.slice(400), disturbed);
    expect(disturbed.snapshot(endOf(told))).toEqual(plain.snapshot(endOf(told)));
  });

  test('returns the same snapshot with deferred and with immediate work', () => {
    const told = syntheticRun({ sessions: 60 });
    const waiting: (() => void)[] = [];
    const [late, prompt] = [recorderFor(), recorderFor({ defer: (run) => waiting.push(run) })];
    for (const each of told) {
      record([each], late);
      record([each], prompt);
      prompt.roll(instant(each.at));
      for (const run of waiting.splice(0)) run();
    }
    expect(prompt.snapshot(endOf(told))).toEqual(late.snapshot(endOf(told)));
  });

  test('reports its intervals one by one; merged, they equal the snapshot', () => {
    const pieces: Snapshot[] = [];
    const told = syntheticRun({ sessions: 100 });
    const recorder = recorderFor({ plan: planFor({ warmUp: '1500ms' }), onInterval: (piece) => pieces.push(piece) });
    record(told, recorder);
    const end = Math.ceil(endOf(told) / 1000) * 1000;
    const whole = recorder.snapshot(instant(end));
    const [first, ...rest] = pieces.map((piece) => snapshotSchema.parse(JSON.parse(JSON.stringify(piece))));
    expect(pieces.length).toBe(end / 1000);
    if (first === undefined) throw new Error('no pieces');
    expect(mergeSnapshots(first, ...rest)).toEqual(whole);
  });

  test('reports an interval only a second after its end, so that late reports are still in it', () => {
    const pieces: Snapshot[] = [];
    const waiting: (() => void)[] = [];
    const recorder = recorderFor({ onInterval: (piece) => pieces.push(piece), defer: (run) => waiting.push(run) });
    const turnsTold = (until: number): (number | undefined)[] => {
      recorder.roll(instant(until));
      while (waiting.length > 0) waiting.shift()?.();
      return pieces.splice(0).map(({ totals }) => totals[0]?.counters.turnFlow?.['sent']);
    };
    const send = (at: number) =>
      recorder.turnSent({ number: 1, policy: 0, due: instant(0), startedAt: instant(0) }, instant(at), instant(at));
    send(500);
    expect(turnsTold(1999)).toEqual([]);
    send(999);
    expect(turnsTold(2000)).toEqual([2]);
    expect(turnsTold(2001)).toEqual([]);
    send(2500);
    expect(turnsTold(6000)).toEqual([undefined, 1, undefined, undefined]);
  });

  test('counts neither the latency of aborted attempts nor creations among the attempts', () => {
    const told = syntheticRun({ sessions: 300 });
    const recorder = recorderFor();
    tellAll(told, recorder);
    const { counters, series } = measured(recorder.snapshot(endOf(told)));
    const { attempts, createAttempts, exchanges, retries } = sumCounters([counters]);
    expect(attempts.aborted).toBeGreaterThan(0);
    expect(createAttempts.ok).toBeGreaterThan(0);
    expect(exchanges.attempts).toBe(total(attempts));
    expect(series['attempt.ok']?.count).toBe(attempts.ok);
    expect(series['attempt.failed']?.count).toBe(total(attempts) - attempts.ok - attempts.aborted);
    expect(series.backoff?.count).toBe(total(retries));
  });

  test('keeps at most ten examples of a class, the earliest, with their secrets removed', () => {
    const told = syntheticRun({ sessions: 400 });
    const recorder = recorderFor({ redact: (text) => text.replace('was', '***') });
    record(told, recorder);
    const { examples } = recorder.snapshot(endOf(told));
    const lost = examples.filter((example) => example.outcome === 'connection_lost');
    expect(lost).toHaveLength(10);
    expect(lost[0]).toMatchObject({ status: 0, detail: 'it *** connection_lost' });
    expect(examples.some((example) => example.outcome === 'ok')).toBe(false);
  });

  test('records session lateness under open load only', () => {
    const told = syntheticRun({ sessions: 20 });
    const closed = recorderFor();
    const open = recorderFor({ plan: planFor({ load: { sessionsPerSecond: 4 } }) });
    tellAll(told, closed, open);
    const { counters, series } = measured(open.snapshot(endOf(told)));
    expect(series.sessionLateness?.count).toBe(sumCounters([counters]).sessions.started);
    expect(measured(closed.snapshot(endOf(told))).series.sessionLateness).toBeUndefined();
  });
});

describe('the interval of an observation', () => {
  const turnEndingAt = (endedAt: number, recorder: Recorder): void => {
    recorder.turn(turnOf({ endedAt: instant(endedAt) }));
  };
  const okByStart = (snapshot: Snapshot) =>
    Object.fromEntries(snapshot.intervals.map((each) => [each.startMs, each.counters.turns?.['ok']]));

  test('is the interval of its end; a boundary belongs to the next', () => {
    const recorder = recorderFor({ startedAt: instant(0.3) });
    for (const at of [0, 999.999, 1000, 1999.9999, 2000]) turnEndingAt(0.3 + at, recorder);
    expect(okByStart(recorder.snapshot(instant(2500)))).toEqual({ 0: 2, 1000: 2, 2000: 1 });
  });

  test('is kept for late and early reports', () => {
    const recorder = recorderFor();
    turnEndingAt(500, recorder);
    for (let second = 1; second <= 10; second++) recorder.roll(instant(second * 1000));
    for (const at of [500, 10_500, 8500, 11_500, 500, 9999]) turnEndingAt(at, recorder);
    recorder.roll(instant(20_000));
    turnEndingAt(700, recorder);
    const snapshot = recorder.snapshot(instant(20_000));
    expect(okByStart(snapshot)).toEqual({ 0: 4, 8000: 1, 9000: 1, 10_000: 1, 11_000: 1 });
    expect(mergeTallies(snapshot.intervals)).toEqual(measured(snapshot));
  });

  test('doubles in width when there would be more than 600, and loses nothing', () => {
    const pieces: Snapshot[] = [];
    const recorder = recorderFor({ onInterval: (piece) => pieces.push(piece), defer: (run) => run() });
    for (let second = 0; second < 1500; second++) {
      turnEndingAt(second * 1000 + 250, recorder);
      if (second % 2 === 0) turnEndingAt(second * 1000 + 750, recorder);
      recorder.roll(instant(second * 1000));
    }
    const snapshot = recorder.snapshot(instant(1_500_000));
    expect(snapshot.intervalMs).toBe(4000);
    expect(snapshot.intervals.map((each) => each.startMs)).toEqual(Array.from({ length: 375 }, (_, i) => i * 4000));
    expect(new Set(snapshot.intervals.map((each) => each.counters.turns?.['ok']))).toEqual(new Set([6]));
    expect(mergeTallies(snapshot.intervals)).toEqual(measured(snapshot));
    const sumUs = Array.from({ length: 1500 }, (_, i) => i * 1e6 + 250_000 + (i % 2 === 0 ? i * 1e6 + 750_000 : 0));
    expect(measured(snapshot).series['turn.1.ok']?.sumUs).toBe(sumUs.reduce((sum, us) => sum + us));
    expect(snapshot.levels.map((each) => each.lengthUs)).toEqual(Array.from({ length: 375 }, () => 4_000_000));
    const [first, ...rest] = pieces;
    expect(first && mergeSnapshots(first, ...rest)).toEqual(snapshot);
  });

  test('loses nothing if it doubles again while still folding', () => {
    let second = 0;
    // The work of the last minute and a half is deferred.
    const recorder = recorderFor({ defer: (run) => second < 510 && run() });
    for (; second < 601; second++) {
      turnEndingAt(second * 1000 + 250, recorder);
      recorder.roll(instant(second * 1000));
    }
    for (const elapsedMs of [602_000, 1_201_000, 2_402_000]) recorder.roll(instant(elapsedMs));
    const snapshot = recorder.snapshot(instant(2_402_000));
    expect(snapshot.intervalMs).toBe(8000);
    expect(okByStart(snapshot)).toMatchObject({ 0: 8, 592_000: 8, 600_000: 1 });
    expect(mergeTallies(snapshot.intervals)).toEqual(measured(snapshot));
  });
});

describe('snapshots', () => {
  test('of a run split over workers merge to the snapshot of the whole, in any order', () => {
    const scenario = fc.record({
      seed: fc.nat(1000),
      sessions: fc.integer({ min: 3, max: 25 }),
      spreadMs: fc.constantFrom(500, 4000, 700_000),
      split: fc.array(fc.nat(2), { minLength: 25, maxLength: 25 }),
      warmUp: fc.constantFrom('0s', '1s', '1700ms'),
    });
    fc.assert(
      fc.property(scenario, ({ split, warmUp, ...options }) => {
        const plan = planFor({ warmUp });
        const told = syntheticRun(options);
        const whole = recorderFor({ plan });
        record(told, whole);
        const parts = [0, 1, 2].map((worker) => {
          const recorder = recorderFor({ plan, worker: String(worker) });
          record(
            told.filter((each) => split[each.session - 1] === worker),
            recorder,
          );
          return recorder.snapshot(endOf(told));
        });
        const [a, b, c] = parts;
        if (a === undefined || b === undefined || c === undefined) throw new Error('three parts');
        const expected = withoutMaxima(whole.snapshot(endOf(told)));
        expect(withoutMaxima(mergeSnapshots(a, b, c))).toEqual(expected);
        expect(withoutMaxima(mergeSnapshots(mergeSnapshots(c, a), b))).toEqual(expected);
        expect(mergeSnapshots(b, mergeSnapshots(a, c))).toEqual(mergeSnapshots(c, b, a));
      }),
      { numRuns: isWhole ? 25 : 8 },
    );
  });

  test('of runs with different warm-ups do not merge', () => {
    const [a, b] = ['0s', '1s'].map((warmUp) => recorderFor({ plan: planFor({ warmUp: warmUp as '1s' }) }));
    if (a === undefined || b === undefined) throw new Error('two recorders');
    expect(() => mergeSnapshots(a.snapshot(instant(1)), b.snapshot(instant(1)))).toThrow('different warm-ups');
  });
});
