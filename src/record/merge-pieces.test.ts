import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planFor, syntheticRun, tellAll } from '../../test/support/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { type Snapshot, PieceMerger } from './snapshot.ts';
import { createRecorder } from './recorder.ts';

/** The pieces of a run of an hour or less, and the snapshot of its recorder. */
function recordPieces(seconds: number): { pieces: Snapshot[]; whole: Snapshot } {
  const pieces: Snapshot[] = [];
  const recorder = createRecorder({
    plan: planFor({ warmUp: '1500ms' }),
    startedAt: instant(0),
    defer: () => undefined,
    onInterval: (piece) => pieces.push(piece),
  });
  const told = syntheticRun({ sessions: 100, spreadMs: seconds * 900 }).filter(({ at }) => at < seconds * 1000);
  let second = 0;
  for (const each of told) {
    while (each.at >= (second + 1) * 1000) recorder.roll(instant(++second * 1000));
    tellAll([each], recorder);
  }
  const whole = recorder.snapshot(instant(seconds * 1000));
  return { pieces, whole };
}

test.each([1, 30, 600, 1300])('the pieces of a run of %d s merge into the snapshot of its recorder', (seconds) => {
  const { pieces, whole } = recordPieces(seconds);
  expect(pieces).toHaveLength(seconds);
  const merger = new PieceMerger();
  for (const piece of pieces) merger.add(piece);
  expect(merger.whole()).toEqual(whole);
});

test('in any order', () => {
  const { pieces, whole } = recordPieces(200);
  fc.assert(
    fc.property(fc.shuffledSubarray(pieces, { minLength: pieces.length }), (shuffled) => {
      const merger = new PieceMerger();
      for (const piece of shuffled) merger.add(piece);
      expect(merger.whole()).toEqual(whole);
    }),
    { numRuns: 10, seed: 6 },
  );
});

test('continues after a snapshot, and is empty without parts', () => {
  const { pieces, whole } = recordPieces(20);
  const merger = new PieceMerger();
  expect(merger.whole()).toBeUndefined();
  for (const piece of pieces) {
    merger.add(piece);
    merger.whole();
  }
  expect(merger.whole()).toEqual(whole);
});
