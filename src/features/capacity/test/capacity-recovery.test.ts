import { expect, test } from 'vitest';
import { searchCapacity } from '../search/search-capacity.ts';
import type { Search } from '../search/search.ts';
import { objectiveOf } from './capacity-models.ts';
import { ModelledPlayer } from './modelled-player.ts';
import type { ModelledService } from '../../../../test/support/modelled-services.ts';

/** Answers this number of attempts per second; above it, everything fails for a while. */
const perSecond = 40;
const burst = 60;

interface Damaged extends ModelledService {
  /** From when on it works again. */
  healedAt: () => number;
}

function damagedService(forMs: number): Damaged {
  let [tokens, seen, healedAt] = [burst, 0, 0];
  return {
    nextAt: () => Infinity,
    next: () => 0,
    healedAt: () => healedAt,
    ask: ({ at }) => {
      tokens = Math.min(burst, tokens + ((at - seen) * perSecond) / 1000);
      seen = at;
      if (tokens < 1) healedAt = at + forMs;
      if (at < healedAt) return { afterMs: 20, isOk: false };
      tokens--;
      return { afterMs: 200, isOk: true };
    },
  };
}

interface Seen {
  found: Search;
  /** Recovery time of the service after each broken step, in milliseconds from the end of that step. */
  healedMs: Map<number, number>;
}

async function search(forMs: number): Promise<Seen> {
  const service = damagedService(forMs);
  const objective = objectiveOf({ objective: 'turns.failedShare < 1%' });
  const scores = [({ isOk }: { isOk: boolean }) => (isOk ? 0 : 1)];
  const workload = { by: 'rate', turns: 2, drawThinkMs: () => 1000, maxAttempts: 1, backoffMs: 0, scores } as const;
  const player = new ModelledPlayer(workload, service, 1);
  const healedMs = new Map<number, number>();
  const found = await searchCapacity(
    {
      by: 'rate',
      objectives: [objective],
      min: 0.5,
      max: 200,
      maxLive: 1000,
      sessionTurns: 2,
      tolerance: 0.15,
      maxStepMs: 10_800_000,
      maxDurationMs: null,
      isDurationUsual: false,
      maxTurns: null,
      maxSessions: null,
      maxCost: null,
      restMs: 5000,
    },
    player,
    ({ number }) => healedMs.set(number, service.healedAt() - player.elapsedMs()),
  );
  return { found, healedMs };
}

test('the recovery time is measured after every broken step', async () => {
  const { found, healedMs } = await search(60_000);
  const broken = found.steps.filter(({ verdict, purpose }) => verdict === 'broken' && purpose !== 'recover');
  expect(broken.length).toBeGreaterThanOrEqual(3);
  expect(found.recoveries.map(({ afterStep }) => afterStep)).toEqual(broken.map(({ number }) => number));
  expect(Math.max(...healedMs.values())).toBeGreaterThan(50_000);
  for (const { afterStep, recoveredMs } of found.recoveries) {
    const truth = Math.max(0, healedMs.get(afterStep) ?? 0);
    // By the second in which turns are counted.
    expect(recoveredMs).toBeGreaterThan(truth - 1000);
    // Rests are twice as long each time.
    expect(recoveredMs).toBeLessThan(3 * truth + 30_000);
  }
  // Just below its limit the service holds for minutes and then collapses by chance, so not every search ends with the
  // requested width.
  expect(['found', 'undecided']).toContain(found.outcome);
  const limit = perSecond / 2;
  expect(found.holds?.load).toBeLessThan(limit);
  expect(found.broken?.load).toBeGreaterThan(0.97 * limit);
});

test('a service that stays broken ends the search, and the reason suggests a remedy', async () => {
  const { found } = await search(Infinity);
  expect(found.outcome).toBe('not_recovered');
  expect(found.recoveries.at(-1)?.recoveredMs).toBeNull();
  expect(found.reason).toMatch(/did not hold again at [\d.]+ within [\dms ]+: inspect the service, restart it/);
  expect(found.broken).not.toBeNull();
});
