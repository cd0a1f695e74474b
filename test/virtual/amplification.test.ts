import { describe, expect, test } from 'vitest';
import { instant, ms } from '../../src/base/time.ts';
import { JournalGathering } from '../../src/result/journal/gather-journal.ts';
import { buildPolicyIntervals } from '../../src/result/policies/policy-intervals.ts';
import { newCounters } from '../../src/record/counters.ts';
import { countSession } from '../../src/record/session-sums.ts';
import { createRecorder } from '../../src/record/recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { JournalHeader } from '../../src/result/journal/journal.ts';
import { resultOf, runFacts } from '../support/synthetic-result.ts';
import { planFor } from '../support/synthetic-run.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

describe('amplification counts turns when they are sent', () => {
  test('so a gate with abort never sees less than 1, however long the first replies take', async () => {
    const slow: ServiceModel = (operation) => ({ afterMs: operation === 'message' ? 8000 : 10 });
    const { result } = await witness(
      {
        duration: '20s',
        load: { concurrency: 4 },
        gates: { 'retries.amplification': { gate: '>= 1', abort: true } },
      },
      slow,
    );
    expect(result.run.stop).toBeNull();
    expect(result.retries.amplification).toBe(1);
  });

  test('so a run that died with turns in flight has no less than 1, under each of its policies too', () => {
    const { plan, pieces } = died();
    const run: JournalHeader['run'] = { ...runFacts };
    const gathering = new JournalGathering(
      { kind: 'chat-load/journal', schemaVersion: 1, run, plan, environment: null, calibration: null, warnings: [] },
      { isStrict: false },
    );
    for (const [index, piece] of pieces.entries())
      gathering.add({
        line: index + 2,
        kind: 'entry',
        entry: {
          kind: 'interval',
          run: run.id,
          number: index + 1,
          elapsedMs: piece.elapsedMs,
          generator: null,
          samples: [],
          traffic: null,
          transport: null,
          piece,
        },
      });
    const { retries, books } = resultOf(
      { plan, snapshot: gathering.end().snapshot },
      { run: { ...runFacts, status: 'recovered' } },
    );
    expect([books.turns.sent, books.attempts.total]).toEqual([8, 0]);
    expect([retries, ...retries.policies].map(({ amplification }) => amplification)).toEqual([1.25, 1.25, 1.25]);
  });

  test('so its interval under a policy has no end below 1', () => {
    const sums = newCounters().sessionSums;
    for (let session = 0; session < 40; session++)
      countSession(sums, { turns: 4, good: 4, attempts: session === 0 ? 9 : 4, lostMs: ms(0), costNanos: 0 });
    const { amplification } = buildPolicyIntervals(sums);
    expect(amplification?.value).toBeCloseTo(1 + 5 / 160, 12);
    expect(amplification?.low).toBe(1);
  });
});

/** Eight turns were sent, and a retry of every fourth, when the run ended. */
function died() {
  const plan = planFor({ retry: { a: {}, b: {} } });
  const pieces: Snapshot[] = [];
  const recorder = createRecorder({
    plan,
    startedAt: instant(0),
    defer: () => undefined,
    onInterval: (piece) => pieces.push(piece),
  });
  for (let number = 1; number <= 8; number++) {
    const session = { number, policy: number % 2, due: instant(0), startedAt: instant(0) };
    recorder.sessionStarted(session);
    recorder.sessionCreated(session, instant(10));
    recorder.turnSent(session, instant(10), instant(10));
    if (number > 6)
      recorder.retry({
        session,
        operation: 'message',
        countedFrom: instant(10),
        cause: 'timed_out',
        retryAfter: 'absent',
        plannedMs: ms(20),
        actualMs: ms(20),
        sentAt: instant(900),
      });
  }
  recorder.snapshot(instant(1000));
  return { plan, pieces };
}
