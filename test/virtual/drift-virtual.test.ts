import { expect, test } from 'vitest';
import { randomOf } from '../../src/base/random.ts';
import { resultSchema } from '../../src/result/result.ts';
import { runVirtually, type ServiceModel } from '../support/virtual-run.ts';

/** Turns of 90 to 110 ms, at random though the same every time, which take 3 % longer an hour. */
const model: ServiceModel = (operation, at) => {
  const hours = at / 3_600_000;
  const draw = randomOf(3, Math.round(at * 1000))();
  return { afterMs: operation === 'create' ? 5 : (90 + 20 * draw) * 1.03 ** hours };
};

test('a whole run of eight hours against a service that slows down finds it, through recorder, result and gates', async () => {
  const { result } = await runVirtually(
    {
      duration: '8h',
      warmUp: '5m',
      thinkTime: '60s',
      turns: 40,
      load: { concurrency: 4 },
      gates: { 'drift.turn.p50': '< 2%/h', 'drift.turns.failedShare': '< 1%/h' },
    },
    model,
  );
  const { drift } = resultSchema.parse(result);
  expect(drift.service).toBe('drift');
  expect(drift.generator).toBe('too_short');
  // The warm-up is out, and so is what follows the duration.
  expect(drift.fromMs).toBeGreaterThanOrEqual(300_000);
  expect(drift.toMs).toBeLessThanOrEqual(8 * 3_600_000);
  const { low = NaN, high = NaN } = drift.series.find(({ name }) => name === 'turn.p50')?.perHour ?? {};
  expect(low).toBeLessThan(0.03);
  expect(high).toBeGreaterThan(0.03);
  expect(result.gates.map(({ verdict }) => verdict)).toEqual(['fail', 'pass', 'pass']);
});
