import { describe, expect, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { keyOf, randomOf } from '../../src/base/random.ts';
import { arrivalOffsets } from '../../src/schedule/arrivals.ts';
import type { LoadOptions, Scenario } from '../../src/scenario/scenario.ts';
import { runVirtually, type ServiceModel, type Witnessed } from '../support/virtual-run.ts';

const model: ServiceModel = () => ({ afterMs: 5 });

/** When sessions were started under a load, whatever becomes of them. */
async function startsUnder(load: LoadOptions, rest: Partial<Scenario>): Promise<Witnessed & { starts: number[] }> {
  const witnessed = await runVirtually({ load, ...rest }, model);
  const creations = witnessed.served.filter(({ operation }) => operation === 'create');
  return { ...witnessed, starts: creations.map(({ sentAt }) => sentAt) };
}

const seconds = (value: number): '1s' => `${String(value)}s` as '1s';

describe('open load in virtual time', () => {
  // At least 200 sessions each: 0.5 % of fewer would be less than one of them.
  test.each([
    [0.2, 1000],
    [1, 300],
    [7.3, 100],
    [100, 20],
    [1000, 3],
    [20_000, 0.2],
  ])('of %d sessions a second starts every session at its scheduled instant', async (rate, length) => {
    const { result, starts } = await startsUnder({ sessionsPerSecond: rate }, { duration: seconds(length) });
    expect(starts).toHaveLength(Math.ceil(rate * length - 1e-9));
    const drift = starts.map((at, n) => Math.abs(at - (n * 1000) / rate));
    expect(Math.max(...drift)).toBeLessThan(1e-6);
    const reached = (result.rates.sessionsStartedPerSecond ?? 0) * (result.rates.measuredMs / (length * 1000));
    expect(Math.abs(reached / rate - 1)).toBeLessThan(0.005);
    expect(result.latency.sessionLateness.maxMs).toBe(0);
  });

  test('follows stages: at any instant as many have started as the area under the rate so far', async () => {
    const stages: LoadOptions['stages'] = [
      { duration: '10s', sessionsPerSecond: 100 },
      { duration: '5s', sessionsPerSecond: 100 },
      { duration: '10s', sessionsPerSecond: 0.2 },
      { duration: '20s', sessionsPerSecond: 0.2 },
    ];
    const areaAt = (at: number): number => {
      if (at <= 10) return 5 * at ** 2;
      if (at <= 15) return 500 + 100 * (at - 10);
      if (at <= 25) return 1000 + 100 * (at - 15) - (99.8 / 20) * (at - 15) ** 2;
      return 1501 + 0.2 * (at - 25);
    };
    const { starts } = await startsUnder({ stages }, {});
    expect(starts).toHaveLength(1505);
    for (let at = 0.05; at < 45; at += 0.1)
      expect(starts.filter((start) => start < at * 1000)).toHaveLength(Math.ceil(areaAt(at)));
  });

  test.each([{ arrivals: 'poisson' } as const, { arrivals: 'gamma', burstiness: 0.5 } as const])(
    'with %j starts every session at the due instant that the schedule has drawn',
    async (arrivals) => {
      const load = { sessionsPerSecond: 100, ...arrivals };
      const { result, starts } = await startsUnder(load, { sessions: 2000, seed: 5 });
      const segments = [{ startMs: ms(0), endMs: null, from: 100, to: 100 }];
      const burstiness = arrivals.arrivals === 'gamma' ? arrivals.burstiness : 1;
      const schedule = arrivalOffsets(
        { segments, arrivals: { kind: 'gamma', burstiness } },
        randomOf(5, keyOf('arrivals')),
      );
      expect(starts).toEqual(starts.map(() => schedule.next().value));
      expect(starts).toHaveLength(2000);
      expect(result.latency.sessionLateness.maxMs).toBe(0);
    },
  );
});
