import { describe, expect, test } from 'vitest';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import type { Plan } from '../plan/plan.ts';

const planOf = (integrity: unknown, more: object = {}): Plan =>
  resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1, integrity, ...more }, { flags: {}, environment: {} })
    .plan;
const elsewhere = { target: { baseUrl: 'http://127.0.0.1:1', agentId: 'a', apiKey: 'k' } };
const prompts = {
  remember: 'Remember this code: {{code}}',
  recall: 'Which code did I tell you?',
  tag: 'Repeat this tag: {{tag}}',
};

describe('the option integrity', () => {
  test('is passive by default', () => {
    const passive = { mode: 'passive', prompts, transcript: null, variables: [], idleMs: 300_000 };
    expect(planOf(undefined).integrity).toEqual(passive);
    expect(planOf('passive').integrity).toEqual(passive);
    expect(planOf(undefined).options['integrity']).toEqual({ value: 'passive', from: 'default' });
  });

  test('can be active, and finds the list of turns of the embedded service but of no other', () => {
    expect(planOf(true).integrity).toMatchObject({ mode: 'active', transcript: 'conversation' });
    expect(planOf({}).integrity).toEqual(planOf(true).integrity);
    expect(planOf(true, elsewhere).integrity).toMatchObject({ mode: 'active', transcript: null });
    expect(planOf({ transcript: 'chat.turns' }, elsewhere).integrity.transcript).toBe('chat.turns');
    expect(planOf({ transcript: null }).integrity.transcript).toBeNull();
  });

  test('can be off, or passive with options', () => {
    expect(planOf(false).integrity.mode).toBe('off');
    expect(planOf({ active: false, transcript: 'conversation', idle: '90s' }).integrity).toMatchObject({
      mode: 'passive',
      transcript: 'conversation',
      idleMs: 90_000,
    });
  });

  test('takes prompts one by one', () => {
    expect(planOf({ prompts: { recall: 'Code?' } }).integrity.prompts).toEqual({ ...prompts, recall: 'Code?' });
  });

  test('is a part of the hash, because it changes the messages', () => {
    const hashes = [false, true, 'passive', { idle: '1s' }].map((integrity) => planOf(integrity).hash);
    expect(new Set(hashes).size).toBe(4);
    expect(planOf('passive').hash).toBe(planOf(undefined).hash);
  });

  test.each([
    ['loud', "integrity: expected true, false, 'passive', or an object of options"],
    [null, "integrity: expected true, false, 'passive', or an object of options"],
    [[], "integrity: expected true, false, 'passive', or an object of options"],
    [{ atcive: true }, "integrity: unknown key 'atcive': did you mean 'active'?"],
    [{ mode: 'active' }, "integrity: unknown key 'mode'"],
    [{ prompts: { remind: 'x' } }, "integrity.prompts: unknown key 'remind'"],
    [{ active: 'yes' }, 'integrity.active: expected true or false'],
    [{ idle: 'long' }, "integrity.idle: expected a duration such as '250ms'"],
    [{ prompts: { tag: 'Say it' } }, 'integrity.prompts.tag: must contain {{tag}} exactly once'],
    [
      { prompts: { remember: '{{code}} and {{code}}' } },
      'integrity.prompts.remember: must contain {{code}} exactly once',
    ],
    [{ prompts: { recall: ' ' } }, 'integrity.prompts.recall: expected a question'],
    [{ transcript: 'a..b' }, 'integrity.transcript: expected a dotted path in `data`'],
    [{ variables: ['custmer'] }, "integrity.variables[0]: unknown variable 'custmer': did you mean 'customer'?"],
  ])('refuses %j with a clear message', (integrity, message) => {
    expect(() => planOf(integrity, { variableValues: { customer: 'Ada' } })).toThrow(message);
  });
});
