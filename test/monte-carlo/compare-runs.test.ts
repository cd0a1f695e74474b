import { randomLogNormal } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { compareResults } from '../../src/compare/compare-results.ts';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import type { RunOfSide } from '../../src/compare/document/side.ts';
import { randomOf } from '../../src/base/random.ts';
import type { Result } from '../../src/result/result.ts';
import { isWhole } from '../support/trials.ts';
import { runVirtually } from '../support/virtual-run.ts';

/** Speed of a release: every reply takes `slower` times as long, and one in fifty `tail` times as long again. */
interface Release {
  slower?: number;
  tail?: number;
  /** Duration of its runs. */
  seconds?: number;
}

/** Runs differ by 2 %, as they do on a real machine, beyond what chance does within them. */
const runNoise = 0.02;
let runs = 0;

/** Simulates one full run of a release in virtual time, with 50 sessions and 200 turns per second. */
async function runOf({ slower = 1, tail = 1, seconds = isWhole ? 60 : 15 }: Release, seed: number): Promise<Result> {
  const random = randomOf(2026, ++runs);
  const luck = randomLogNormal.source(random)(0, runNoise)();
  const draw = randomLogNormal.source(random)(Math.log(80), 0.4);
  const { result } = await runVirtually(
    { name: 'release', seed, duration: seconds * 1000, warmUp: '2s', turns: 4, load: { sessionsPerSecond: 50 } },
    (operation) => {
      const isSlow = operation === 'message' && random() < 0.02;
      return { afterMs: draw() * slower * luck * (isSlow ? tail : 1), status: operation === 'create' ? 201 : 200 };
    },
  );
  return result;
}

/** So many pairs, as `ab` makes them. */
async function compareReleases(base: Release, head: Release, pairs: number): Promise<Comparison> {
  const side = async (release: Release): Promise<RunOfSide[]> => {
    const done: RunOfSide[] = [];
    for (let pair = 1; pair <= pairs; pair++) {
      const result = await runOf(release, pair);
      const run = { ...result.run, id: `run ${String(runs)}`, sitting: 'tonight', pair: String(pair) };
      done.push({ file: null, result: { ...result, run } });
    }
    return done;
  };
  return compareResults({
    base: { label: 'base', runs: await side(base) },
    head: { label: 'head', runs: await side(head) },
    toolVersion: '0.0.0',
  });
}

const verdicts = ({ metrics }: Comparison): Record<string, string> =>
  Object.fromEntries(metrics.map(({ name, verdict }) => [name, verdict]));

describe('complete simulated runs of two releases', () => {
  test('raise no alarm in several pairs when they are the same', async () => {
    const comparison = await compareReleases({}, {}, isWhole ? 10 : 6);
    expect(comparison.comparability.refusals).toEqual([]);
    expect(Object.values(verdicts(comparison))).not.toContain('regressed');
    expect(verdicts(comparison)).toMatchObject({ 'turn.ok.p50': 'unchanged', 'rates.turnsPerSecond': 'unchanged' });
    expect(comparison.localization?.shape).toBe('none');
    // Turns across the ends of the window are in it neither only as attempts nor only as turns.
    expect(comparison.metrics.find(({ name }) => name === 'retries.amplification')).toMatchObject({ base: 1, head: 1 });
  });

  test('are distinguished in five pairs when the second is 15 % slower, by about that much', async () => {
    const comparison = await compareReleases({}, { slower: 1.15 }, 5);
    expect(comparison.verdict).toBe('regressed');
    const median = comparison.metrics.find(({ name }) => name === 'turn.ok.p50');
    expect(median).toMatchObject({ verdict: 'regressed', isGated: true });
    expect(median?.ci95?.low).toBeGreaterThan(0.08);
    expect(median?.ci95?.high).toBeLessThan(0.23);
    expect(comparison.localization?.shape).toBe('whole');
  });

  test('are distinguished by p99 when only the tail is slower, and reported to differ there', async () => {
    const comparison = await compareReleases({ seconds: 60 }, { seconds: 60, tail: 3 }, 5);
    expect(verdicts(comparison)).toMatchObject({ 'turn.ok.p99': 'regressed' });
    expect(verdicts(comparison)['turn.ok.p50']).not.toBe('regressed');
    expect(comparison.localization).toMatchObject({
      shape: 'tail',
      summary: expect.stringContaining('Only the tail of the turn latencies moved') as string,
    });
  });
});
