import { describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { forecast } from '../../plan/forecast.ts';
import { settle } from '../../plan/settle.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { checkGates } from '../../app/run/check-gates.ts';
import { problemOfFeed, shortGates } from './feasible-gates.ts';

const settled = (scenario: Partial<Scenario>) =>
  settle({ name: 'x', messages: ['a'], sessions: 10, ...scenario }, { flags: {}, environment: {} });
const short = (scenario: Partial<Scenario>): string[] => {
  const { plan, script } = settled(scenario);
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
  ])('%s is refused with %j', (metric, scenario, words) => {
    const { plan } = settled({ ...scenario, gates: { [metric]: '< 1' } });
    expect(problemOfFeed(metric, plan)).toContain(words);
  });

  test.each<[string, Partial<Scenario>]>([
    ['firstToken.p50', { target: { protocol: 'openai-chat', stream: true } }],
    ['sessionCreate.p50', {}],
    ['integrity.failed', { integrity: true }],
    ['turn.p99.99', {}],
    ['turns.failedShare', {}],
  ])('is not %s with %j', (metric, scenario) => expect(problemOfFeed(metric, settled(scenario).plan)).toBeUndefined());

  test('is an error of the scenario before anything is sent', () => {
    const scenario = settled({ gates: { 'firstToken.p50': '< 1s' } });
    expect(() => checkGates(scenario, 'x.ts')).toThrow(/gates\.firstToken\.p50: measures streamed replies/);
  });
});

describe('a gate on a percentile that a run is too short for', () => {
  test('names the sessions that would be enough', () => {
    expect(short({ turns: 3, gates: { 'turn.p90': '< 1s' } })).toEqual([
      'turn.p90 needs 64 turns, this run has about 30: --sessions 22',
    ]);
    expect(short({ turns: 3, sessions: 22, gates: { 'turn.p90': '< 1s' } })).toEqual([]);
  });

  test('counts sessions where it judges how they are created', () => {
    expect(short({ turns: 3, gates: { 'sessionCreate.p90': '< 1s' } })).toEqual([
      'sessionCreate.p90 needs 64 sessions, this run has about 10: --sessions 64',
    ]);
  });

  test('is not one of which the service sets the number of values', () => {
    const gates = { 'turn.failed.p90': '< 1s', 'gap.p90': '< 1s' };
    expect(short({ target: { protocol: 'openai-chat', stream: true }, gates })).toEqual([]);
  });
});
