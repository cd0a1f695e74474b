import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scenario } from '../scenario/scenario.ts';
import type { Script } from './script.ts';
import { meanTurns } from './distributions.ts';
import { planSession } from './session-plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const rows = Array.from({ length: 50 }, (_, i) => ({ name: `n${String(i)}`, plan: `p${String(i)}` }));

const scriptOf = (change: Partial<Scenario> = {}, seed = 1): Script =>
  resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1, ...change }, { flags: { seed }, environment: {} }).script;

const rich: Partial<Scenario> = {
  turns: { min: 1, max: 9 },
  thinkTime: { median: '2s', sigma: 0.5 },
  data: { customers: rows },
  variableValues: {
    name: '{{pick customers.name}}',
    order: 'ORD-{{session.number}}-{{digits 4}}',
    age: '{{int 18 99}}',
    id: '{{uuid}}',
    nested: { list: ['{{pick customers.plan}}', 3, null] },
    mood: ({ random }) => (random() < 0.5 ? 'good' : 'bad'),
  },
  messages: [
    'I am {{name}}',
    'About {{order}}: {{digits 3}}',
    ({ turn, variables }) => `${String(turn.number)} ${String(variables['id'])}`,
  ],
};

/** Everything that a session sends. */
function tell(script: Script, number: number): unknown {
  const session = planSession(script, number);
  const turns = Array.from({ length: session.turns }, (_, i) => i + 1);
  return turns.map((turn) => [session.variableValues(turn), session.message(turn), session.thinkTime(turn)]);
}

describe('a session', () => {
  test('does not depend on earlier sessions or on the order of its turns', () => {
    const script = scriptOf(rich);
    const once = tell(script, 17);
    for (const number of [3, 99, 17]) planSession(script, number).message(1);
    expect(tell(script, 17)).toEqual(once);
    const backwards = planSession(scriptOf(rich), 17);
    for (let turn = backwards.turns; turn >= 1; turn--) backwards.message(turn);
    expect([backwards.variableValues(1), backwards.message(1), backwards.thinkTime(1)]).toEqual((once as unknown[])[0]);
  });

  test('is another one under another seed or number', () => {
    const texts = new Set(
      [1, 2, 3].flatMap((seed) => [1, 2, 3].map((number) => JSON.stringify(tell(scriptOf(rich, seed), number)))),
    );
    expect(texts.size).toBe(9);
  });

  test('takes one row per list, the same wherever the list is used', () => {
    const script = scriptOf(rich);
    for (let number = 1; number <= 30; number++) {
      const values = JSON.parse(planSession(script, number).variableValues(1) ?? '') as {
        name: string;
        nested: { list: string[] };
      };
      expect(values.nested.list[0]).toBe(values.name.replace('n', 'p'));
    }
  });

  test('draws values once per session, and keeps its draws when only the turn number changes', () => {
    const values = (turn: number): unknown =>
      JSON.parse(
        planSession(
          scriptOf({ turns: 5, variableValues: { a: '{{digits 6}}', b: '{{digits 6}}/{{turn.number}}' } }),
          4,
        ).variableValues(turn) ?? '',
      );
    const [first, second] = [values(1), values(2)] as { a: string; b: string }[];
    expect(second?.a).toBe(first?.a);
    expect(second?.b).toBe(first?.b.replace('/1', '/2'));
  });

  test('calls a function once per session, or once per turn if it reads the turn', () => {
    const calls = { plain: 0, turning: 0 };
    const count = (change: Partial<Scenario>): void => {
      const session = planSession(scriptOf({ turns: 3, ...change }), 1);
      for (let turn = 1; turn <= 3; turn++) session.message(turn);
    };
    count({ variableValues: { plain: () => ++calls.plain } });
    count({ variableValues: { turning: ({ turn }) => (calls.turning += turn.number) } });
    expect(calls).toEqual({ plain: 1, turning: 6 });
  });

  test('leaves its other draws alone when a variable is added', () => {
    const more = { ...rich, variableValues: { extra: '{{uuid}}', ...rich.variableValues } };
    const [before, after] = [planSession(scriptOf(rich), 8), planSession(scriptOf(more), 8)];
    expect([after.turns, after.thinkTime(1), after.message(1), after.message(2)]).toEqual([
      before.turns,
      before.thinkTime(1),
      before.message(1),
      before.message(2),
    ]);
  });

  test('goes through its messages cyclically', () => {
    const session = planSession(scriptOf({ turns: 5, messages: ['a', 'b'] }), 1);
    expect([1, 2, 3, 4, 5].map((turn) => session.message(turn)).join('')).toBe('ababa');
  });

  test('keeps the type of a value that is one placeholder alone', () => {
    const session = planSession(scriptOf({ variableValues: { a: '{{session.number}}', b: '#{{session.number}}' } }), 6);
    expect(session.variableValues(1)).toBe('{"a":6,"b":"#6"}');
  });

  test('sends no variable values when the scenario has none', () => {
    expect(planSession(scriptOf(), 1).variableValues(1)).toBeUndefined();
  });

  test('treats names such as __proto__ as plain names', () => {
    const session = planSession(
      scriptOf({ variableValues: JSON.parse('{"__proto__":{"polluted":1},"a":"b"}') as Record<string, string> }),
      1,
    );
    expect(session.variableValues(1)).toBe('{"__proto__":{"polluted":1},"a":"b"}');
    expect('polluted' in {}).toBe(false);
  });

  test('assigns sessions to retry policies by number', () => {
    const script = scriptOf({ retry: { a: 'none', b: 'none', c: 'none' } });
    expect([1, 2, 3, 4].map((number) => planSession(script, number).policy)).toEqual([0, 1, 2, 0]);
  });

  test('reports the session and turn in which a function of the scenario failed', () => {
    const script = scriptOf({
      messages: [
        () => {
          throw new Error('no luck');
        },
      ],
    });
    expect(() => planSession(script, 3).message(1)).toThrow(
      'A function of the scenario failed in session 3, turn 1: no luck',
    );
  });

  test.each<[string, NonNullable<Scenario['turns']>, number]>([
    ['weights', { weights: { '1': 35, '2': 25, '3-4': 25, '5-8': 12, '9-16': 3 } }, 0.35 + 0.5 + 0.875 + 0.78 + 0.375],
    ['the public mix', 'public-mix', 0.35 + 0.5 + 0.875 + 0.78 + 0.375],
    ['the support agent', 'support-agent', 7],
    ['a range', { min: 3, max: 8 }, 5.5],
  ])('has the turns of %s, on average and in the forecast', (_, turns, mean) => {
    const script = scriptOf({ turns });
    const counts = Array.from({ length: 20_000 }, (__, i) => planSession(script, i + 1).turns);
    expect(meanTurns(script.turns)).toBeCloseTo(mean, 9);
    expect(counts.reduce((a, b) => a + b) / counts.length / mean).toBeCloseTo(1, 1);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
  });

  test('keeps its invariants for any seed and number', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.integer({ min: 1, max: 2 ** 32 - 1 }), (seed, number) => {
        const session = planSession(scriptOf(rich, seed), number);
        const values = JSON.parse(session.variableValues(1) ?? '') as { age: number; order: string };
        expect(session.turns).toBeGreaterThanOrEqual(1);
        expect(session.turns).toBeLessThanOrEqual(9);
        expect(values.age).toBeGreaterThanOrEqual(18);
        expect(values.age).toBeLessThanOrEqual(99);
        expect(values.order).toMatch(new RegExp(`^ORD-${String(number)}-\\d{4}$`));
        expect(session.thinkTime(1)).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a function that returns a value without a JSON form', () => {
  const around: Record<string, unknown> = {};
  around['self'] = around;

  test.each<[string, unknown]>([
    ['an object that refers to itself', around],
    ['a bigint', 10n],
    ['no number', { rate: [0 / 0] }],
    ['a number without end', -1 / 0],
  ])("is the author's error: %s", (_, given) => {
    const session = planSession(scriptOf({ messages: [() => given as string] }), 3);
    expect(() => session.message(1)).toThrow(/A function of the scenario failed in session 3, turn 1: /);
    const other = planSession(scriptOf({ variableValues: { x: () => given } }), 3);
    expect(() => other.variableValues(1)).toThrow(/A function of the scenario failed in session 3, turn 1: /);
  });
});

describe('a message that cannot be sent is an error that names function, session and turn:', () => {
  test.each([
    ['nothing', () => undefined, 'session 3, turn 1: messages returned nothing: a message'],
    ['null', () => null, 'session 3, turn 1: messages returned null: a message'],
    ['an empty text', () => '', 'session 3, turn 1: messages returned empty text: a message'],
    ['an object', () => ({ text: 'Hi' }), 'session 3, turn 1: messages returned a value of type object: a message'],
    ['a list', () => ['Hi'], 'session 3, turn 1: messages returned a list: a message'],
    ['nothing, of one in a list', [() => undefined], 'session 3, turn 1: messages[0] returned nothing: a message'],
    ['a template without a text', ['{{name}}'], 'session 3, turn 1: messages[0] returned empty text: a message'],
  ])('%s', (_, messages, words) => {
    const given = { messages: messages as NonNullable<Scenario['messages']>, variableValues: { name: '' } };
    expect(() => planSession(scriptOf(given), 3).message(1)).toThrow(words);
  });

  test('a placeholder alone that keeps its type is sent as text', () => {
    expect(planSession(scriptOf({ messages: ['{{session.number}}'] }), 3).message(1)).toBe('3');
  });
});
