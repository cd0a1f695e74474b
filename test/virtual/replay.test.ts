import { describe, expect, test } from 'vitest';
import type { LoadOptions, Scenario } from '../../src/scenario/scenario.ts';
import { memoryTrace, type SessionSketch } from '../support/memory-trace.ts';
import { runVirtually, type Served } from '../support/virtual-run.ts';

const sketches: SessionSketch[] = [
  { atMs: 0, turns: [[0, 40, 5]] },
  {
    atMs: 250,
    turns: [
      [0, 40, 5],
      [3000, 60, 5],
      [3100, 80, 5],
      [9000, 90, 5],
    ],
  },
  { atMs: 250, turns: [[0, 8, 5]] },
  {
    atMs: 4000.5,
    turns: [
      [0, 10, 1],
      [1000, 10, 1],
    ],
  },
];

const replay = async (load: LoadOptions, rest: Partial<Scenario> = {}, afterMs = 500) => {
  const trace = (() => memoryTrace(sketches)) as unknown as string;
  const scenario = { messages: undefined as never, load: { trace, ...load }, ...rest };
  const { served, result } = await runVirtually(scenario, (operation) => ({
    afterMs: operation === 'create' ? 0 : afterMs,
  }));
  return { result, creations: sentIn(served, 'create'), turns: turnsIn(served) };
};

const sentIn = (served: readonly Served[], operation: string): number[] =>
  served.filter((each) => each.operation === operation).map(({ sentAt }) => sentAt);

/** When the turns of each session were sent. */
const turnsIn = (served: readonly Served[]): number[][] => {
  const numbers = [...new Set(served.map(({ session }) => session))];
  return numbers.map((number) =>
    sentIn(
      served.filter(({ session }) => session === number),
      'message',
    ),
  );
};

describe('a replay', () => {
  test('starts every session and every turn when it was recorded, but none before the reply to the one before', async () => {
    const { creations, turns, result } = await replay({});
    expect(creations).toEqual([0, 250, 250, 4000.5]);
    // The third turn was recorded 100 ms after the second, whose reply takes 500 ms here; the fourth is on time again.
    expect(turns).toEqual([[0], [250, 3250, 3750, 9250], [250], [4000.5, 5000.5]]);
    expect(result.books.turns).toMatchObject({ planned: 8, ok: 8 });
  });

  test('does not call turns late that wait for a slow service', async () => {
    const { result, turns } = await replay({}, {}, 5000);
    expect(turns[1]).toEqual([250, 5250, 10_250, 15_250]);
    expect(result.latency.lateness.maxMs).toBe(0);
    expect(result.latency.sessionLateness.maxMs).toBe(0);
  });

  test('is faster at a higher speed', async () => {
    const { creations, turns } = await replay({ speed: 2 }, {}, 10);
    expect(creations).toEqual([0, 125, 125, 2000.25]);
    expect(turns[1]).toEqual([125, 1625, 1675, 4625]);
  });

  test('runs the sessions that start in its window', async () => {
    const { creations } = await replay({ from: '250ms', for: '3s' });
    expect(creations).toEqual([0, 0]);
  });

  test('keeps the think times of the scenario', async () => {
    const { turns } = await replay({}, { thinkTime: '2s' });
    expect(turns[1]).toEqual([250, 2750, 5250, 7750]);
  });

  test('is bounded by sessions and turns of the scenario', async () => {
    const { turns } = await replay({}, { sessions: 2, turns: 2 });
    expect(turns).toEqual([[0], [250, 3250]]);
  });
});
