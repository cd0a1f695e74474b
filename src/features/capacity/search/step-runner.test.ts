import { describe, expect, test } from 'vitest';
import { objectiveOf } from '../test/capacity-models.ts';
import { emptyFigures } from '../test/modelled-player.ts';
import type { PlayedStep, StepOrder, StepPlayer } from '../judge/player.ts';
import type { SearchSettings, StepRequest } from './search.ts';
import { SearchEnded, StepRunner } from './step-runner.ts';

const settings: SearchSettings = {
  by: 'concurrency',
  objectives: [objectiveOf({ objective: 'turn.p95 < 2s' })],
  min: 1,
  max: 100,
  maxLive: 1000,
  sessionTurns: 1,
  tolerance: 0.1,
  maxStepMs: 60_000,
  maxDurationMs: null,
  isDurationUsual: false,
  maxTurns: null,
  maxSessions: null,
  maxCost: null,
  restMs: 2000,
};
const busy = { message: 'one core is busy', remedy: 'use --cores 2' };

/** Runs steps of ten seconds and 100 messages, each as defined by the next of `steps`. */
function runnerOf(bounds: Partial<SearchSettings>, ...steps: Partial<PlayedStep>[]) {
  const orders: StepOrder[] = [];
  const rests: number[] = [];
  let nowMs = 0;
  const player: StepPlayer = {
    play: (order) => {
      const step = steps[orders.push(order) - 1];
      nowMs += 10_000;
      const usual = { elapsedMs: 10_000, sent: 100, sessions: 20, cost: 0, generatorLimit: null, stop: null };
      return Promise.resolve({ ...usual, figures: emptyFigures, ...step });
    },
    rest: (forMs) => {
      rests.push(forMs);
      nowMs += forMs;
      return Promise.resolve();
    },
    elapsedMs: () => nowMs,
  };
  const runner = new StepRunner({ ...settings, ...bounds }, player, () => undefined);
  const play = (load: number, certainty: StepRequest['certainty'] = 'full') =>
    runner.play({ load, purpose: 'narrow', certainty });
  return { runner, orders, rests, play };
}

async function endOf(played: Promise<unknown>): Promise<[string, string]> {
  const thrown: unknown = await played.then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown instanceof SearchEnded ? [thrown.outcome, thrown.message] : ['', ''];
}

test.each([
  ['a target that is gone', 'target_gone'],
  ['a rejected key', 'circuit'],
] as const)('%s is the reason of a step, whatever else kept its sessions waiting', async (_, kind) => {
  const { runner, play } = runnerOf({}, { generatorLimit: busy, stop: { kind, why: 'it does not reply' } });
  expect(await endOf(play(50))).toEqual(['stopped', 'it does not reply']);
  expect(runner.shown.at(-1)?.step).toMatchObject({
    verdict: 'no_evidence',
    reason: 'cut short: it does not reply',
  });
});

describe('bounds of a search', () => {
  test('turns: a step receives the remaining ones, and none starts without turns', async () => {
    const { orders, play } = runnerOf({ maxTurns: 200 });
    await play(1);
    await play(1);
    expect(orders.map(({ maxTurns }) => maxTurns)).toEqual([200, 100]);
    expect(await endOf(play(1))).toEqual(['bounded', 'its turn budget is used up']);
  });

  test('cost: as many turns as the remaining budget pays for, by the cost so far', async () => {
    const { orders, play } = runnerOf({ maxCost: 2.5 }, { cost: 2 }, { cost: 0.5 });
    await play(1);
    await play(1);
    expect(orders.map(({ maxTurns }) => maxTurns)).toEqual([null, 25]);
    expect(await endOf(play(1))).toEqual(['bounded', 'its cost budget is used up']);
  });

  test('time: no step exceeds the remaining time, none starts in the last moments, and pauses end with it', async () => {
    const { runner, orders, rests, play } = runnerOf({ maxDurationMs: 21_000 });
    await play(1);
    expect(orders[0]?.maxMs).toBe(15_000);
    await play(1);
    expect(orders[1]?.maxMs).toBe(11_000);
    await runner.rest();
    expect(rests).toEqual([1000]);
    expect(await endOf(play(1))).toEqual(['bounded', 'the time budget of the search is used up']);
  });

  test('steps are parts of the time that an answer takes, and twice as long if that is not enough', async () => {
    const { runner, orders, play } = runnerOf({ maxStepMs: 300_000, maxDurationMs: 1_800_000 });
    await play(1, 'quick');
    await play(1);
    expect(orders.map(({ maxMs }) => maxMs)).toEqual([54_000, 300_000]);
    expect(runner.extend()).toBe(false);
  });
});

test('messages and sessions that lost processes may have sent count as spent', async () => {
  const lost = { sent: 30, sessions: 3, unseen: { turns: 50, sessions: 5 } };
  const { runner, orders, play } = runnerOf({ maxTurns: 100, maxSessions: 20 }, lost);
  await play(1);
  await play(1);
  expect(orders.at(-1)).toMatchObject({ maxTurns: 20, maxSessions: 12 });
  expect(runner.spent).toMatchObject({ turns: 130, sessions: 23 });
});

describe('a load that the generator could not send', () => {
  test('is not evidence, and not a limit before it was repeated', async () => {
    const { runner, play } = runnerOf({}, { generatorLimit: busy }, { generatorLimit: busy });
    expect(await play(50)).toMatchObject({ verdict: 'no_evidence', reason: 'one core is busy: use --cores 2' });
    expect(runner.ceiling.load).toBe(Infinity);
    await play(50);
    expect(runner.ceiling).toEqual({ load: 50, why: 'one core is busy: use --cores 2' });
  });

  test('is a limit after two consecutive steps at that load', async () => {
    const { runner, play } = runnerOf({}, { generatorLimit: busy }, {}, { generatorLimit: busy });
    for (let times = 0; times < 3; times++) await play(50);
    expect(runner.ceiling.load).toBe(Infinity);
  });

  test('counts as the lowest such load', async () => {
    const spoilt = Array.from({ length: 4 }, () => ({ generatorLimit: busy }));
    const { runner, play } = runnerOf({}, ...spoilt);
    for (const load of [50, 50, 80, 80]) await play(load);
    expect(runner.ceiling.load).toBe(50);
  });
});

test.each([
  ['target_gone', 'stopped'],
  ['signal', 'interrupted'],
] as const)('%s ends it as %s, and keeps the findings', async (kind, outcome) => {
  const { runner, play } = runnerOf({}, { stop: { kind, why: 'because' } });
  expect(await endOf(play(10))).toEqual([outcome, 'because']);
  expect(runner.shown).toHaveLength(1);
  expect(runner.shown[0]?.step).toMatchObject({ verdict: 'no_evidence', reason: 'cut short: because' });
});
