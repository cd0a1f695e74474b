import { describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { forecast } from '../../plan/forecast.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { checkGates } from '../../app/run/check-resolved.ts';
import { problemOfFeed, shortGates } from './feasible-gates.ts';

const resolved = (scenario: Partial<Scenario>) =>
  resolveScenario({ name: 'x', messages: ['a'], sessions: 10, ...scenario }, { flags: {}, environment: {} });
const short = (scenario: Partial<Scenario>): string[] => {
  const { plan, script } = resolved(scenario);
  return shortGates(plan, forecast(plan, script, ms(100)));
};

describe('a gate that the scenario can never feed', () => {
  test.each<[string, Partial<Scenario>, string]>([
    ['firstToken.p50', {}, 'target.stream'],
    ['gap.ok.p99', {}, 'target.stream'],
    ['stream.sharedReads', {}, 'target.stream'],
    ['sessionCreate.p50', { target: { protocol: 'openai-chat' } }, 'openai-chat creates none'],
    ['sessions.createFailedShare', { target: { protocol: 'openai-chat' } }, 'openai-chat creates none'],
    ['integrity.failed', { integrity: false }, 'which is off'],
    ['sessionLateness.p90', {}, 'open load'],
    ['position.5-8.p50', { turns: 3 }, 'have at most 3 turns'],
    ['position.17+.p50', { turns: { min: 2, max: 16 } }, 'have at most 16 turns'],
    ['model.callsPerTurn', {}, 'set model in the scenario'],
    ['model.agentTime.p95', {}, 'set model in the scenario'],
    ['cost.orphaned', {}, 'set model in the scenario'],
    ['model.delivered', { model: {} }, 'model.delivered'],
    ['backoff.p50', { retry: 'none' }, 'never retry'],
    ['backoffActual.p50', { retry: { a: 'none', b: { maxAttempts: 1 } } }, 'never retry'],
  ])('%s is rejected with %j', (metric, scenario, words) => {
    const { plan } = resolved({ ...scenario, gates: { [metric]: '< 1' } });
    expect(problemOfFeed(metric, plan)).toContain(words);
  });

  test.each<[string, Partial<Scenario>]>([
    ['firstToken.p50', { target: { protocol: 'openai-chat', stream: true } }],
    ['sessionCreate.p50', {}],
    ['integrity.failed', { integrity: true }],
    ['turn.p99.99', {}],
    ['turns.failedShare', {}],
    ['model.callsPerTurn', { model: {} }],
    ['model.delivered', { model: { delivered: true } }],
    ['sessionLateness.p90', { load: { sessionsPerSecond: 1 } }],
    ['position.3-4.p50', { turns: 3 }],
    ['position.17+.p50', { turns: { mean: 3, sd: 1 } }],
    ['position.5-8.p50', { turns: 3, tools: { find: () => 'x' } }],
    ['backoff.p50', { retry: { a: 'none', b: {} } }],
    ['turn.p50', { turns: 1 }],
  ])('is not %s with %j', (metric, scenario) => expect(problemOfFeed(metric, resolved(scenario).plan)).toBeUndefined());

  test('is an error of the scenario before anything is sent', () => {
    const scenario = resolved({ gates: { 'firstToken.p50': '< 1s' } });
    expect(() => checkGates(scenario, 'x.ts')).toThrow(/gates\.firstToken\.p50: measures streamed replies/);
  });
});

describe('a gate on a percentile that a run is too short for', () => {
  test('names the sessions that would be enough', () => {
    expect(short({ turns: 3, gates: { 'turn.p90': '< 1s' } })).toEqual([
      'turn.p90 needs 64 turns; this run has about 30: --sessions 22',
    ]);
    expect(short({ turns: 3, sessions: 22, gates: { 'turn.p90': '< 1s' } })).toEqual([]);
  });

  test('names the duration if that ends the run', () => {
    const scenario = { turns: 3, load: { concurrency: 2 }, gates: { 'turn.p90': '< 1s' } };
    const needed = 'turn.p90 needs 64 turns; this run has about 15: --duration 5s';
    expect(short({ ...scenario, sessions: 1000, duration: '1s' })).toEqual([needed]);
    expect(short({ ...scenario, sessions: 1000, duration: '5s' })).toEqual([]);
    expect(short({ ...scenario, sessions: 12, duration: '1s' })).toEqual([`${needed} --sessions 22`]);
  });

  test('counts sessions if it judges their creation', () => {
    expect(short({ turns: 3, gates: { 'sessionCreate.p90': '< 1s' } })).toEqual([
      'sessionCreate.p90 needs 64 sessions; this run has about 10: --sessions 64',
    ]);
  });

  test('counts the turns at the position that it judges', () => {
    expect(short({ turns: 3, gates: { 'position.3-4.p90': '< 1s' } })).toEqual([
      'position.3-4.p90 needs 64 turns; this run has about 10: --sessions 64',
    ]);
    expect(short({ turns: { min: 1, max: 4 }, gates: { 'position.2.p50': '< 1s' } })).toEqual([
      'position.2.p50 needs 11 turns; this run has about 7: --sessions 15',
    ]);
  });

  test('counts connections, which more sessions do not add', () => {
    expect(short({ turns: 30, sessions: 300, load: { concurrency: 8 }, gates: { 'connect.p90': '< 1s' } })).toEqual([
      'connect.p90 needs 64 connections; this run has about 8: connections stay open, so use more concurrent sessions',
    ]);
  });

  test('counts sessions started under open load', () => {
    const load = { sessionsPerSecond: 1 };
    expect(short({ turns: 30, load, gates: { 'sessionLateness.p90': '< 1s' } })).toEqual([
      'sessionLateness.p90 needs 64 sessions; this run has about 10: --sessions 64',
    ]);
  });

  test('needs as many values as its interval if it is confident, and as much time', () => {
    const gates = { 'turn.p95': { gate: '< 1s', confident: true } } as const;
    expect(short({ turns: 3, gates })).toEqual([
      'turn.p95 with its interval needs 2,000 turns and 12 s; this run has about 30 and 400 ms: --sessions 667',
    ]);
    expect(short({ turns: 3, sessions: 700, load: { concurrency: 50 }, gates })).toEqual([
      'turn.p95 with its interval needs 2,000 turns and 12 s; this run has about 2,100 and 5.60 s: --sessions 1500',
    ]);
  });

  test('is not one whose number of values the service sets', () => {
    const gates = { 'turn.failed.p90': '< 1s', 'backoff.p90': '< 1s', 'gap.p90': '< 1s' };
    expect(short({ target: { protocol: 'openai-chat', stream: true }, gates })).toEqual([]);
  });
});
