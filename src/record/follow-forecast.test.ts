import { expect, test } from 'vitest';
import { createRecorder } from './recorder.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { followForecast } from './follow-forecast.ts';

const fresh = createRecorder({ plan: planFor(), startedAt: instant(0) }).live(instant(0));

/** What is told a second apart, given what is forecast of the end (undefined: nothing yet). */
function told(ends: readonly (number | undefined)[]) {
  const follow = followForecast(({ elapsedMs }) => {
    const end = ends[elapsedMs / 1000];
    return end === undefined ? undefined : Math.max(0, end - elapsedMs);
  });
  return ends.map((_, second) => follow({ ...fresh, elapsedMs: second * 1000 }));
}

test('the time left is not given while one forecast contradicts the next', () => {
  const rests = told([undefined, 600_000, 8000, 90_000, 40_000, 60_000, 60_000, 60_000]).map(({ restMs }) => restMs);
  expect(rests.slice(0, 7)).toEqual(Array(7).fill(undefined));
  expect(rests[7]).toBe(53_000);
});

test('a shown forecast moves by steps, and converges to the truth', () => {
  const steady = Array<number>(10).fill(60_000);
  const ends = told([...steady, ...Array<number>(20).fill(40_000)]).map(({ restMs = NaN }, i) => restMs + i * 1000);
  const steps = ends.slice(3).map((end, index) => Math.abs(end - (ends[index + 2] ?? NaN)));
  expect(Math.max(...steps)).toBeLessThan(8000);
  expect(Math.abs((ends.at(-1) ?? NaN) - 40_000)).toBeLessThan(500);
});

test('the share that is done never falls, and is absent while nothing is known', () => {
  const shares = told([60_000, 60_000, 60_000, 60_000, 90_000, 120_000, 120_000, 60_000]).map(
    ({ doneShare }) => doneShare,
  );
  expect(shares[0]).toBe(0);
  expect(shares.at(-1)).toBeGreaterThan(0);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
});
