import { expect, test } from 'vitest';
import { playTurn } from '../../test/support/session-records.ts';
import { heldMemory } from '../../test/support/held-memory.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { createRecorder, type Recorder } from './recorder.ts';

/** A second of a run: some turns of sessions that appear in no other second. */
function tellSecond(recorder: Recorder, second: number): void {
  for (let turn = 0; turn < 4; turn++) {
    const start = instant(second * 1000 + turn * 200);
    const end = instant(start + 20 + ((second * 7 + turn * 13) % 100));
    const session = { number: second * 4 + turn, policy: 0, due: start, startedAt: start };
    playTurn(recorder, { session, due: start, ready: start, firstSentAt: start, endedAt: end });
  }
  recorder.roll(instant((second + 1) * 1000));
}

test('a run of eighty minutes retains no more memory than a run of twenty minutes, both with 600 intervals', () => {
  const held = heldMemory();
  const recorder = createRecorder({ plan: planFor(), startedAt: instant(0), defer: (work) => work() });
  let second = 0;
  for (; second < 1200; second++) tellSecond(recorder, second);
  const before = held();
  for (; second < 4800; second++) tellSecond(recorder, second);
  expect(held() - before).toBeLessThan(1.5e6);
  expect(recorder.snapshot(instant(4_800_000)).levels.length).toBeLessThanOrEqual(601);
});
