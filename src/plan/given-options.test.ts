import { expect, test } from 'vitest';
import { flagsOfPlan, type Surroundings } from './overlay.ts';
import type { Plan } from './plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const author = {
  name: 'x',
  sessions: 10,
  messages: ['a'],
  target: { baseUrl: 'http://a.example', agentId: 'a', apiKey: 'key-of-the-file' },
};

const planOf = (around: Partial<Surroundings>): Plan =>
  resolveScenario(author, { flags: {}, environment: {}, ...around }).plan;

test('flags and variables of a plan give the same plan as its flags alone', () => {
  const plan = planOf({
    flags: { concurrency: 7, 'allow-host': ['a.example', '*.b.example:8443'], duration: '90s', 'keep-texts': true },
    environment: { CHAT_LOAD_SEED: '42', CHAT_LOAD_AGENT_ID: 'an agent, "quoted"' },
  });
  const flags = flagsOfPlan(plan);
  expect(flags).toMatchObject({ concurrency: 7, 'agent-id': 'an agent, "quoted"' });
  const again = planOf({ flags });
  expect({ ...again, options: {} }).toEqual({ ...plan, options: {} });
});

test('the name of a protocol is among them if it was set outside the file; a definition never', () => {
  expect(flagsOfPlan(planOf({ flags: { protocol: 'openai-chat' } }))).toEqual({ protocol: 'openai-chat' });
  expect(flagsOfPlan(planOf({ environment: { CHAT_LOAD_PROTOCOL: 'openai-responses' } }))).toEqual({
    protocol: 'openai-responses',
  });
  const forged = { 'target.protocol': { value: { name: 'x', message: { path: '/' } }, from: 'flag' as const } };
  expect(flagsOfPlan({ options: forged })).toEqual({});
});

test('the key of the environment is not among them', () => {
  const environment = { CHAT_LOAD_API_KEY: 'key-of-the-environment', CHAT_LOAD_SESSIONS: '3' };
  expect(flagsOfPlan(planOf({ environment }))).toEqual({ sessions: 3 });
});

test('there are none if all is from the file', () => expect(flagsOfPlan(planOf({}))).toEqual({}));
