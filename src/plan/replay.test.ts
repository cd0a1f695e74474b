import { describe, expect, test } from 'vitest';
import { memoryTrace, type SessionSketch } from '../../test/support/memory-trace.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { planSession } from './session-plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const sketches: SessionSketch[] = [
  { atMs: 0, turns: [[0, 100, 20]] },
  {
    atMs: 1500,
    turns: [
      [0, 100, 20],
      [8000, 160, 10],
    ],
  },
  { atMs: 60_000, turns: [[0, null, null]] },
  { atMs: 60_000, turns: [[0, 8, 1]] },
];

const resolved = (load: object = {}, rest: Partial<Scenario> = {}, sessions = sketches) =>
  resolveScenario(
    { name: 'x', load: { trace: () => memoryTrace(sessions), ...load }, ...rest },
    { flags: {}, environment: {} },
  );

describe('a trace as a plan', () => {
  test('needs neither messages nor an end, and lasts as long as the trace', () => {
    const { plan } = resolved();
    expect([plan.durationMs, plan.sessions, plan.load.model]).toEqual([60_001, null, 'open']);
    expect(plan.load).toMatchObject({ trace: { sessions: 4, speed: 1, fromMs: 0, forMs: null, keepsPace: true } });
  });

  test('has the rate over time of the trace', () => {
    const { segments } = resolved().plan.load;
    expect(segments).toEqual([
      { startMs: 0, endMs: 2000, from: 1, to: 1 },
      { startMs: 2000, endMs: 60_000, from: 0, to: 0 },
      { startMs: 60_000, endMs: 60_001, from: 2, to: 2 },
      { startMs: 60_001, endMs: null, from: 0, to: 0 },
    ]);
  });

  test('replays a window faster', () => {
    const { plan, script } = resolved({ from: '1s', for: '10s', speed: 2 });
    expect(plan.durationMs).toBe(5000);
    expect(script.replay?.source.count).toBe(1);
    expect(script.replay?.source.at(0)).toMatchObject({ atMs: 250, turns: [{ afterMs: 0 }, { afterMs: 4000 }] });
    expect(planSession(script, 1).comesAt(2)).toBe(4000);
  });
});

describe('sessions of a trace', () => {
  test('have its turns, and messages that are as long', () => {
    const session = planSession(resolved().script, 2);
    expect([session.turns, session.comesAt(1), session.comesAt(2)]).toEqual([2, 0, 8000]);
    // 100 tokens, then 160 less the previous 120.
    expect([1, 2].map((turn) => session.message(turn).split(' ').length)).toEqual([75, 30]);
    expect(planSession(resolved().script, 3).message(1).split(' ')).toHaveLength(18);
  });

  test('are the same in every process, and others under another seed', () => {
    const say = (seed: number): string => planSession(resolved({}, { seed }).script, 2).message(2);
    expect(say(1)).toBe(say(1));
    expect(say(1)).not.toBe(say(2));
  });

  test('send the messages of the scenario, which receive the recorded length', () => {
    const messages = ['Hi', ({ turn }: { turn: { inputTokens?: number | undefined } }) => String(turn.inputTokens)];
    const session = planSession(resolved({}, { messages }).script, 2);
    expect([session.message(1), session.message(2)]).toEqual(['Hi', '40']);
  });

  test('wait as long as recorded, if the trace has think times', () => {
    const trace = memoryTrace([
      {
        atMs: 0,
        turns: [
          [0, 1, 1],
          [700, 1, 1],
        ],
      },
    ]);
    const waiting = {
      ...trace,
      at: (index: number) => ({
        ...trace.at(index),
        turns: trace.at(index).turns.map((turn, at) => (at === 0 ? turn : { ...turn, waitMs: 700 })),
      }),
    };
    const { script } = resolveScenario(
      { name: 'x', load: { trace: () => waiting, speed: 7 } },
      { flags: {}, environment: {} },
    );
    const session = planSession(script, 1);
    expect([session.comesAt(2), session.thinkTime(1)]).toEqual([undefined, 100]);
  });
});

describe('the hash of a replay', () => {
  const hashOf = (...given: Parameters<typeof resolved>): string => resolved(...given).plan.hash;

  test('covers the content, the window and the speed', () => {
    const others = [
      hashOf({ speed: 2 }),
      hashOf({ from: '1s' }),
      hashOf({}, { thinkTime: '1s' }),
      hashOf({}, {}, sketches.slice(1)),
    ];
    expect(new Set([hashOf(), ...others]).size).toBe(5);
  });

  test('does not cover the name of the file', () => {
    const renamed = { ...memoryTrace(sketches), file: 'other.csv' };
    expect(hashOf({ trace: () => renamed })).toBe(hashOf());
  });
});

describe('a replay is rejected', () => {
  test.each<[string, object, Partial<Scenario>, string]>([
    [
      'beyond the trace',
      { from: '61s' },
      {},
      'load.from: no session of the trace starts there: its last one starts after 60 s',
    ],
    ['with more sessions than it has', {}, { sessions: 5 }, 'sessions: is more than the trace has: 4'],
    ['with more than its window has', { for: '1s' }, { sessions: 2 }, 'is more than the trace has: 1 in its window'],
    ['with nothing but warm-up', { for: '1s' }, { warmUp: '1s' }, 'warmUp: is not shorter than the replay, 1 s'],
    [
      'with a rate',
      { sessionsPerSecond: 1 },
      {},
      'load.sessionsPerSecond: sessionsPerSecond cannot be combined with a trace',
    ],
    [
      'with stages',
      { stages: [{ duration: 1, concurrency: 1 }] },
      {},
      'load.stages: stages cannot be combined with a trace',
    ],
    ['at no speed', { speed: 0 }, {}, 'load.speed: must be above 0'],
    ['without a file', { trace: '' }, {}, 'load.trace: expected the path of a trace'],
    ['with a file that was not read', { trace: 'trace.csv' }, {}, 'load.trace: the file was not read'],
  ])('%s', (_, load, rest, words) => {
    expect(() => resolved(load, rest)).toThrow(words);
  });

  test('with a level from a flag', () => {
    const settling = (flags: object) => () =>
      resolveScenario(
        { name: 'x', load: { trace: () => memoryTrace(sketches) } },
        { flags: { ...flags }, environment: {} },
      );
    expect(settling({ rate: 5 })).toThrow('--rate: sessionsPerSecond cannot be combined with a trace');
    expect(settling({ concurrency: 5 })).toThrow('--concurrency: concurrency cannot be combined with a trace');
  });
});

test.each([
  ['speed', { speed: 2 }],
  ['a window', { from: '1s' }],
  ['columns', { columns: { at: 'time' } }],
])('%s without a trace is rejected', (_, load) => {
  const scenario = { name: 'x', sessions: 1, messages: ['Hi'], load };
  expect(() => resolveScenario(scenario, { flags: {}, environment: {} })).toThrow('requires a trace');
});
