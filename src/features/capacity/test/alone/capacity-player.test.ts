import { expect, test } from 'vitest';
import { withPlayer, type CapacityPlayer } from '../../run/perform-capacity.ts';
import type { Beat, StepOrder } from '../../judge/player.ts';
import { readObjectives } from '../../judge/objective.ts';
import { resolveScenario, type ResolvedScenario } from '../../../../plan/resolve-scenario.ts';

/** Turns of a constant length at a service with N slots: the knee is the load at which all slots are taken. */
function scenarioOf(embedded: object, more: object = {}): ResolvedScenario {
  const scenario = { name: 'knee', sessions: 1, turns: 4, messages: ['Where is my order?'], embedded, ...more };
  return resolveScenario(scenario, { flags: {}, environment: {} });
}

const objectivesOf = (...texts: string[]) => {
  const read = readObjectives(texts);
  if (!('objectives' in read)) throw new Error(read.problems.join());
  return read.objectives;
};

const orderOf = (load: number, more: Partial<StepOrder> = {}): StepOrder => ({
  number: 1,
  load,
  by: 'concurrency',
  purpose: 'climb',
  maxMs: 4000,
  maxTurns: null,
  maxSessions: null,
  ...more,
});

/** Observes a step for this number of intervals. */
function lookFor(count: number) {
  const beats: Beat[] = [];
  const beat = (each: Beat): 'go' | 'stop' => {
    beats.push(each);
    return beats.length >= count ? 'stop' : 'go';
  };
  return { beats, watch: { beat, settledMs: 1000 } };
}

const never = new AbortController().signal;

function searchWith(
  resolved: ResolvedScenario,
  search: (player: CapacityPlayer) => Promise<void>,
  stops = { drain: never, cut: never },
): Promise<void> {
  const objectives = objectivesOf('turn.p95 < 80ms', 'turns.failedShare < 1%');
  return withPlayer(resolved, { objectives, maxCost: null, stops, note: () => undefined }, search);
}

const overLimit = (beats: readonly Beat[]): number =>
  beats.slice(4).reduce((all, { parts }) => all + (parts[0]?.part ?? 0), 0);

test('closed load is slow above the capacity of a service, but not below it', async () => {
  await searchWith(scenarioOf({ latency: '50ms', capacity: 10 }), async (player) => {
    const [under, over] = [lookFor(12), lookFor(12)];
    const held = await player.play(orderOf(8), under.watch);
    const broken = await player.play(orderOf(20, { number: 2 }), over.watch);
    expect(held).toMatchObject({ stop: null, figures: { failedShare: 0, amplification: 1 } });
    // Twenty sessions at ten slots: each waits as long as it is served.
    expect(broken.figures.turnMeanMs ?? 0).toBeGreaterThan(1.6 * (held.figures.turnMeanMs ?? Infinity));
    expect(broken.figures.sessionsLive).toBeCloseTo(20, 0);
    const turns = over.beats.slice(4).reduce((all, beat) => all + beat.turns, 0);
    expect(overLimit(over.beats)).toBeGreaterThan(0.9 * turns);
  });
});

test('a signal ends the step, and the step reports the end of the search', async () => {
  const stopping = new AbortController();
  const search = async (player: CapacityPlayer): Promise<void> => {
    const { watch } = lookFor(1000);
    setTimeout(() => stopping.abort(), 600);
    const played = await player.play(orderOf(20, { by: 'rate', maxMs: 20_000 }), watch);
    expect(played.stop).toEqual({ kind: 'signal', why: 'a signal stopped it' });
    expect(played.elapsedMs).toBeLessThan(10_000);
  };
  await searchWith(scenarioOf({ latency: '20ms' }), search, { drain: stopping.signal, cut: never });
});
