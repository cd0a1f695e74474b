import { beforeAll, describe, expect, test } from 'vitest';
import { compareResults, type ComparisonParts } from '../../src/compare/compare-results.ts';
import { keyOf, randomOf } from '../../src/base/random.ts';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { runVirtually, type ServiceModel } from '../support/virtual-run.ts';

/** Creations take 20 ms; messages follow the distribution, with Infinity for unanswered ones. */
const answering =
  (messageMs: (at: number) => number, creationMs: (at: number) => number = () => 20): ServiceModel =>
  (operation, at) => ({ afterMs: operation === 'create' ? creationMs(at) : messageMs(at) });

const scenario: Partial<Scenario> = {
  duration: '7s',
  gracePeriod: '1s',
  turns: 3,
  load: { sessionsPerSecond: 10 },
  gates: { 'turn.p95': '< 1s', 'turns.failedShare': '< 1%' },
};

async function play(model: ServiceModel, more: Partial<Scenario> = {}): Promise<Result> {
  const { result } = await runVirtually({ ...scenario, ...more }, model);
  expect(result.books.broken).toEqual([]);
  return result;
}

const reasonsOf = ({ validity }: Result): string[] =>
  validity.reasons.map(({ code, severity }) => `${code} ${severity}`);
const lognormal = (median: number, sigma: number): (() => number) => {
  const random = randomOf(1, keyOf('latency'));
  return () => median * Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
};

describe('a run whose turns are cut before they are answered', () => {
  test('is invalid if the service froze before its end', async () => {
    const result = await play(answering((at) => (at > 4000 ? Infinity : 100)));
    const { turns } = result.outcomes.unanswered;
    expect(turns.count).toBe(result.outcomes.turns.aborted);
    expect(turns.share).toBeGreaterThan(0.1);
    expect(reasonsOf(result)).toEqual(['turns_unanswered invalid']);
    expect(result.validity.reasons[0]).toMatchObject({
      blame: 'service',
      message: expect.stringMatching(
        /^\d+ of \d+ turns \([\d.]+ %\) had no answer when the run ended, after up to [34]\.\d+ s/,
      ),
    });
    expect(exitCodeOf(result)).toBe(4);
  });

  test('is invalid if every 12th message hangs, and degraded if every 50th does', async () => {
    let message = 0;
    const everyNth = (nth: number): ServiceModel => answering(() => (++message % nth === 0 ? Infinity : 100));
    expect(reasonsOf(await play(everyNth(12)))).toEqual(['turns_unanswered invalid']);
    message = 0;
    expect(reasonsOf(await play(everyNth(50)))).toEqual(['turns_unanswered degraded']);
  });

  test('is invalid if creations hang', async () => {
    let creation = 0;
    const result = await play(
      answering(
        () => 100,
        () => (++creation % 8 === 0 ? Infinity : 20),
      ),
    );
    expect(result.outcomes.unanswered.creations).toMatchObject({ count: 8, maxWaitMs: 7300 });
    expect(reasonsOf(result)).toEqual(['creations_unanswered invalid']);
  });

  test('is invalid if none of them was ever answered', async () => {
    const result = await play(answering(() => Infinity));
    expect(result.outcomes.unanswered.turns).toMatchObject({ count: 70, share: 1 });
    expect(reasonsOf(result)).toEqual(['no_turn_finished invalid', 'turns_unanswered invalid']);
  });

  test.each([
    ['always takes as long', () => 100],
    ['takes lognormal times', lognormal(400, 0.6)],
  ])('is valid without any grace if the service %s', async (_, takes) => {
    const result = await play(answering(takes), { gracePeriod: 0, load: { concurrency: 40 }, gates: {} });
    expect(result.outcomes.turns.aborted).toBeGreaterThan(20);
    expect(result.outcomes.unanswered.turns.share).toBeLessThan(0.004);
    expect(reasonsOf(result)).toEqual([]);
  });

  test('can be judged by gates', async () => {
    const gates = { 'turns.unansweredShare': '< 1%', 'sessions.unansweredShare': '< 1%' } as const;
    const { gates: judged } = await play(
      answering((at) => (at > 4000 ? Infinity : 100)),
      { gates },
    );
    expect(judged.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['turns.unansweredShare', 'fail'],
      ['sessions.unansweredShare', 'pass'],
      ['turns.ok', 'pass'],
    ]);
  });
});

describe('a turn that is cut in a backoff', () => {
  const failing: ServiceModel = (operation, at) => ({
    afterMs: 20,
    status: operation === 'create' ? 201 : at < 500 ? 200 : 503,
  });

  test('after real failures is unanswered, and given up as the run ended', async () => {
    const retry = { base: '60s', cap: '60s', jitter: 'none' } as const;
    const result = await play(failing, { retry, load: { concurrency: 10 }, turns: 50 });
    const { outcomes, retries, validity } = result;
    expect([outcomes.turns.aborted, outcomes.unanswered.turns.count, retries.gaveUp.runEnd]).toEqual([10, 10, 10]);
    expect(outcomes.unanswered.turns.maxWaitMs).toBeNull();
    expect(validity.reasons[0]?.code).toBe('turns_unanswered');
  });

  test('is so in a later attempt too, and a creation like it', async () => {
    const retry = { base: 100, cap: 100, jitter: 'none' } as const;
    let [creations, messages] = [0, 0];
    const model: ServiceModel = (operation) => {
      if (operation === 'create') return ++creations === 1 ? { afterMs: 20 } : { afterMs: 50, status: 503 };
      return ++messages === 1 ? { afterMs: 20, status: 503 } : { afterMs: Infinity };
    };
    const { outcomes, retries, books } = await play(model, {
      retry,
      turns: 1,
      load: { concurrency: 2 },
      gates: {},
      duration: 100,
      gracePeriod: 20,
    });
    expect(outcomes.unanswered.turns.count).toBe(outcomes.turns.aborted);
    expect(outcomes.unanswered.creations.count).toBe(books.sessions.create_cut);
    expect(retries.creations.gaveUp.runEnd).toBe(books.sessions.create_cut);
    expect(books.sessions.create_cut).toBeGreaterThan(0);
  });
});

describe('a release that leaves messages unanswered', () => {
  /** A batch of five runs in which every `nth` message hangs: too few to question a run. */
  async function runsOf(nth: number): Promise<Result[]> {
    const runs: Result[] = [];
    for (let pair = 1; pair <= 5; pair++) {
      let message = 0;
      const takes = lognormal(100, 0.4);
      const model = answering(() => (++message % nth === 0 ? Infinity : takes()));
      const result = await play(model, { seed: pair, duration: '20s', load: { sessionsPerSecond: 20 }, gates: {} });
      expect(reasonsOf(result)).toEqual([]);
      runs.push(result);
    }
    return runs;
  }

  let [sound, hanging]: Result[][] = [];
  beforeAll(async () => {
    [sound, hanging] = [await runsOf(Infinity), await runsOf(130)];
  });

  /** The runs under the name of a release: the same service twice is the same runs twice. */
  const sideOf = (label: string, results: readonly Result[] = []): ComparisonParts['base'] => ({
    label,
    runs: results.map((result, at) => {
      const run = { ...result.run, id: `${label} ${String(at)}`, sitting: 'tonight', pair: String(at) };
      return { file: null, result: { ...result, run } };
    }),
  });

  test('has regressed, and has not against one that leaves as many', () => {
    const verdictsOf = (base: readonly Result[] = [], head: readonly Result[] = []): (string | undefined)[] => {
      const sides = { base: sideOf('base', base), head: sideOf('head', head) };
      const { verdict, metrics } = compareResults({ ...sides, toolVersion: '0.0.0' });
      return [verdict, metrics.find(({ name }) => name === 'turns.unansweredShare')?.verdict];
    };
    expect(verdictsOf(sound, hanging)).toEqual(['regressed', 'regressed']);
    expect(verdictsOf(hanging, sound)).toEqual(['improved', 'improved']);
    expect(verdictsOf(hanging, hanging)).not.toContain('regressed');
    expect(verdictsOf(sound, sound)[1]).toBe('unchanged');
  });
});
