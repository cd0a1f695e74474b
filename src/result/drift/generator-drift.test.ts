import { expect, test } from 'vitest';
import { driftOf } from '../../../test/support/drifting-run.ts';
import { generatorDrift, driftWarnings } from '../sections/drift.ts';

const leaking = (hours: number) => ({
  rssBytes: 100e6 + 20e6 * hours,
  heapBytes: 40e6,
  eventLoopDelayP99Ms: 2,
  cpuShare: 0.2,
});

test('a leaking generator with a steady service is a warning', () => {
  const drift = driftOf({ seed: 9, memory: 0.5, generator: leaking });
  expect(generatorDrift(drift)?.isShared).toBe(false);
  expect(driftWarnings(drift)).toMatchObject([{ code: 'generator_drifted' }]);
  expect(driftWarnings(drift)[0]?.message).toMatch(/^the generator's own memory grew by 1\d\d %/);
});

test('with a slower service it degrades the validity instead', () => {
  const drift = driftOf({ seed: 9, memory: 0.5, generator: leaking, slowness: (hours) => 1.03 ** hours });
  expect(generatorDrift(drift)).toMatchObject({ isShared: true });
  expect(generatorDrift(drift)?.message).toContain('may be a slower generator');
  expect(driftWarnings(drift)).toEqual([]);
});

test('a steady generator does not affect the validity', () => {
  const drift = driftOf({ seed: 9, memory: 0.5, generator: () => leaking(0), slowness: (hours) => 1.03 ** hours });
  expect(generatorDrift(drift)).toBeUndefined();
  expect(generatorDrift(undefined)).toBeUndefined();
});
