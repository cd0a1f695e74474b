import { describe, expect, test } from 'vitest';
import type { NextMessage } from '../scenario/scenario-values.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { sampleDigest, planSession } from './session-plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const resolved = (scenario: object) =>
  resolveScenario({ name: 'x', sessions: 1, ...scenario }, { flags: {}, environment: {} });
const script = (next: NextMessage, first: string | (() => string) = 'Hi'): Partial<Scenario> => ({
  messages: { first, next },
});
const stop: NextMessage = () => null;

describe('the plan of messages that branch', () => {
  test("has at most 10 turns, or the scenario's number, and shows that they branch", () => {
    expect(resolved(script(stop)).plan).toMatchObject({ turns: { turns: 10 }, messages: { count: 1, branches: true } });
    expect(resolved({ ...script(stop), turns: 4 }).plan.turns).toEqual({ kind: 'constant', turns: 4 });
    expect(resolved({ messages: ['Hi'] }).plan.messages).not.toHaveProperty('branches');
  });

  test('has another hash with another `next` or another first message', () => {
    const hashes = [script(stop), script(() => 'On'), script(stop, 'Hey')].map((each) => resolved(each).plan.hash);
    expect(new Set(hashes).size).toBe(3);
    expect(resolved(script(stop)).plan.hash).toBe(hashes[0]);
  });

  test('foresees the first message alone', async () => {
    const { script: made } = resolved(script(() => 'On', '{{digits 3}}'));
    const session = planSession(made, 1);
    expect([session.turns, session.foreseen]).toEqual([10, 1]);
    expect(session.message(1)).toMatch(/^\d{3}$/);
    expect(() => planSession(made, 1).message(2)).toThrow('turn 2 of a script that branches is not known');
    expect(await sampleDigest(made)).toMatch(/./);
  });

  test.each([
    [{ first: 'Hi' }, 'messages.next: expected a function of the reply'],
    [{ first: 'Hi', next: 'On' }, 'messages.next: expected a function of the reply'],
    [{ next: stop }, 'messages.first: expected a text or a function'],
    [{ first: '{{nam}}', next: stop }, 'messages.first: {{nam}}: unknown name'],
    [{ first: 'Hi', next: stop, nxt: stop }, "'next'"],
    [{ first: 'Hi', next: () => Promise.resolve(null) }, undefined],
    [{ first: 'Hi', next: async () => Promise.resolve(null) }, 'messages.next: is an async function'],
    [undefined, 'messages: expected at least one message'],
    [[], 'messages: expected at least one message'],
  ])('of %o is refused with a message, before anything is sent', (messages, words) => {
    const plan = (): unknown => resolved({ messages });
    if (words === undefined) expect(plan).not.toThrow();
    else expect(plan).toThrow(words);
  });
});

describe('the plan of tools', () => {
  const withTools = (tools: object) => resolved({ messages: ['Hi'], tools });
  test('has another hash with another function, and an unchanged hash without functions', () => {
    const plain = resolved({ messages: ['Hi'] }).plan;
    const hashes = [withTools({ a: () => 1 }), withTools({ a: () => 2 }), withTools({ b: () => 1 })];
    expect(new Set([plain.hash, ...hashes.map(({ plan }) => plan.hash)]).size).toBe(4);
    expect(withTools({}).plan.hash).toBe(plain.hash);
    expect([plain.tools, Object.keys(hashes[0]?.plan.tools ?? {})]).toEqual([{}, ['a']]);
  });

  test.each([
    [{ a: 'x' }, 'tools.a: expected a function of the arguments'],
    [{ 'a b': () => 1 }, 'names are letters, digits, _, . and -'],
    [{ a: async () => Promise.resolve(1) }, 'tools.a: is an async function'],
  ])('of %o is refused with a message', (tools, words) => {
    expect(() => withTools(tools)).toThrow(words);
  });
});
