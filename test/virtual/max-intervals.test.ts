import { expect, test } from 'vitest';
import { maxIntervalEntries } from '../../src/record/interval-width.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import { snapshotSchema } from '../../src/record/snapshot.ts';
import { resultSchema } from '../../src/result/result.ts';
import { witness } from '../support/virtual-run.ts';

test('a run with as many intervals as there can be, and two of each, is within the bounds of its documents', async () => {
  const pieces: Snapshot[] = [];
  const { result } = await witness(
    {
      duration: '565s',
      warmUp: '2s',
      thinkTime: '1s',
      // Sessions that begin in the warm-up last to the end, together with later ones.
      turns: 2000,
      load: { sessionsPerSecond: 1 },
      retry: { patient: { maxAttempts: 3 }, hasty: { maxAttempts: 2 }, none: 'none' },
    },
    () => ({ afterMs: 100 }),
    { atMs: 0, forMs: 0, onInterval: (piece) => pieces.push(piece) },
  );
  expect(result.intervals.length).toBeGreaterThan(1100);
  expect(result.intervals.length).toBeLessThan(0.75 * maxIntervalEntries);
  expect(resultSchema.safeParse(result).success).toBe(true);
  expect(pieces.every((piece) => snapshotSchema.safeParse(piece).success)).toBe(true);
});
