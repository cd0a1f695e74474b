import { expect, test } from 'vitest';
import { attemptOf, exchangeOf } from '../../test/support/session-records.ts';
import { heldMemory } from '../../test/support/held-memory.ts';
import { isWhole } from '../../test/support/trials.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { finishedClassNames } from '../protocol/outcome.ts';
import { maxExamples } from './examples.ts';
import { createRecorder, type Recorder } from './recorder.ts';

const failures = finishedClassNames.filter((name) => name !== 'ok');

/** A failure unlike any other: with its own session and text. */
function tellFailure(recorder: Recorder, number: number): void {
  const at = number * 0.5;
  const session = { number, policy: 0, due: instant(at), startedAt: instant(at) };
  const detail = `error ${String(number)}: ${'no such thing as '.repeat(12)}${String(number * 7919)}`;
  const exchange = exchangeOf({
    sentAt: instant(at),
    firstByteAt: instant(at + 10),
    endedAt: instant(at + 20),
    status: 500,
    detail,
  });
  const outcome = failures[number % failures.length] ?? 'internal_error';
  recorder.attempt(attemptOf({ session, countedFrom: instant(at), detail, outcome, exchange }));
  if (number % 2000 === 0) recorder.roll(instant(at + 20));
}

const errors = isWhole ? 200_000 : 60_000;

test('of ten thousand distinct errors, ten per class are kept, in no more memory than for the first thousand', () => {
  const held = heldMemory();
  const recorder = createRecorder({ plan: planFor(), startedAt: instant(0), defer: (work) => work() });
  for (let number = 1; number <= 1000; number++) tellFailure(recorder, number);
  const before = held();
  for (let number = 1001; number <= errors; number++) tellFailure(recorder, number);
  // Includes intervals: some 20 kB for 2,000 errors.
  expect(held() - before).toBeLessThan(40 * errors);
  const { examples } = recorder.snapshot(instant(errors / 2 + 1000));
  expect(examples.length).toBe(failures.length * maxExamples);
});
