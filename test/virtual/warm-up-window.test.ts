import { describe, expect, test } from 'vitest';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { runVirtually, witness, type ServiceModel } from '../support/virtual-run.ts';

const model: ServiceModel = () => ({ afterMs: 20 });
const reasonsOf = async (scenario: Partial<Scenario>): Promise<[string, string, string][]> => {
  const { result } = await runVirtually({ load: { concurrency: 5 }, ...scenario }, model);
  return result.validity.reasons.map(({ code, severity, blame }) => [code, severity, blame]);
};

describe('a warm-up', () => {
  const resolved = (scenario: Partial<Scenario>): unknown =>
    resolveScenario({ name: 'x', messages: ['Hi'], ...scenario }, { flags: {}, environment: {} });

  test.each<[Partial<Scenario>, RegExp]>([
    [{ duration: '5s', warmUp: '5s' }, /warmUp: 5 s is not shorter than duration, 5 s: nothing would be measured/],
    [{ duration: '1m', warmUp: '2m', sessions: 9 }, /warmUp: 120 s is not shorter than duration, 60 s/],
    [{ sessions: 9, maxDuration: '2s', warmUp: '2s' }, /warmUp: 2 s is not shorter than maxDuration, 2 s/],
    [
      { warmUp: '3s', load: { stages: [{ duration: '2s', concurrency: 4 }] } },
      /warmUp: 3 s is not shorter than the stages, 2 s/,
    ],
  ])('that leaves nothing to measure is rejected before the start: %j', (scenario, words) => {
    expect(() => resolved(scenario)).toThrow(words);
  });

  test.each<Partial<Scenario>>([{ duration: 0 }, { duration: '0s', sessions: 5 }])(
    'of a run that ends at once is rejected along with it: %j',
    (scenario) => expect(() => resolved(scenario)).toThrow(/duration: must be above 0/),
  );

  test('is accepted if it is shorter than the run or empty', () => {
    expect(() => resolved({ duration: '5s', warmUp: '4999ms' })).not.toThrow();
  });

  test('that contains nearly all turns of a run degrades it: the sample is too small for any p99', async () => {
    expect(await reasonsOf({ duration: '5s', warmUp: '4940ms', turns: 3 })).toEqual([
      ['mostly_warm_up', 'degraded', 'generator'],
    ]);
    expect(await reasonsOf({ duration: '5s', warmUp: '4s', turns: 3 })).toEqual([]);
    expect(await reasonsOf({ duration: '200s', warmUp: '190s', turns: 3 })).toEqual([]);
  });

  test('that outlasts a number of sessions makes the run invalid, and blames only the scenario', async () => {
    expect(await reasonsOf({ sessions: 50, warmUp: '1m' })).toEqual([['mostly_warm_up', 'invalid', 'generator']]);
  });

  test('after which nothing is answered leaves the blame with the service', async () => {
    const { result } = await witness(
      { duration: '3s', warmUp: '1s', gracePeriod: '1s', load: { sessionsPerSecond: 10 } },
      (_, at) => ({ afterMs: at < 990 ? 20 : Infinity }),
    );
    expect(result.validity.reasons.map(({ code, blame }) => [code, blame])).toContainEqual([
      'no_turn_finished',
      'service',
    ]);
  });
});
