import { describe, expect, test } from 'vitest';
import { resolveScenario } from './resolve-scenario.ts';

const scenario = { name: 'a', sessions: 1, messages: ['Hello'] };
const resolved = (model?: object, flags: object = {}) =>
  resolveScenario({ ...scenario, ...(model && { model }) }, { flags: { ...flags }, environment: {} });

describe('the plan of a scenario with a model service', () => {
  test('has the options, with traces, without keys and texts', () => {
    const { plan, secrets, model } = resolved({ keys: ['sk-secret-one'], replies: [{ text: 'a private reply' }] });
    expect(plan.model).toMatchObject({ host: '127.0.0.1', port: 9009, keys: 1, replies: { count: 1 }, match: null });
    expect(plan.target.trace).toBe(true);
    expect(JSON.stringify(plan)).not.toMatch(/sk-secret-one|private reply/);
    expect(secrets.redact('with sk-secret-one')).not.toContain('sk-secret-one');
    expect(model?.keys).toEqual(['sk-secret-one']);
  });

  test('is missing without one, and its options are not echoed', () => {
    const { plan } = resolved();
    expect(plan.model).toBeUndefined();
    expect(Object.keys(plan.options).filter((name) => name.startsWith('model.'))).toEqual([]);
  });

  test('is made by the flag alone', () => {
    expect(resolved(undefined, { 'model-port': 9100 }).plan.model?.port).toBe(9100);
  });

  test('has another hash than without, and the same on another port', () => {
    const [none, some, moved] = [resolved(), resolved({}), resolved({ port: 9100 })].map(({ plan }) => plan.hash);
    expect(some).not.toBe(none);
    expect(moved).toBe(some);
  });

  test('prices its calls instead of the replies', () => {
    const prices = { 'model-a': { input: 1, output: 2 } };
    const priced = resolveScenario({ ...scenario, model: {}, prices }, { flags: {}, environment: {} });
    expect(priced.script.prices).toBeUndefined();
    expect(Object.keys(priced.modelPrices?.models ?? {})).toEqual(['model-a']);
  });
});

test('a scenario that starts its agent needs the address of the agent', () => {
  expect(() =>
    resolveScenario({ ...scenario, target: { start: ['node', 'a.mjs'] } }, { flags: {}, environment: {} }),
  ).toThrow('requires target.baseUrl');
});
