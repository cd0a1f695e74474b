import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { compileTemplate, type KnownNames, type Template, type TemplateScope } from './template.ts';

const known: KnownNames = {
  lists: { customers: [{ name: 'Ada', plan: 'pro', home: { city: 'Paris' } }], cities: ['Rome'] },
  variables: ['orderNumber', 'customer'],
};

const scope: TemplateScope = {
  session: { number: 7 },
  run: { id: '1a2b3c4d' },
  idRandom: () => 0,
  turn: { number: 2 },
  variables: { orderNumber: 'ORD-7', customer: { name: 'Ada' } },
  random: () => 0.5,
  pick: (list) => known.lists[list]?.[0],
  noteTurn: () => undefined,
};

function compile(text: string): Template {
  const template = compileTemplate(text, known);
  if ('problems' in template) throw new Error(template.problems.join('; '));
  return template;
}
const render = (text: string): unknown => compile(text).render(scope);
const problemsOf = (text: string): string[] => {
  const template = compileTemplate(text, known);
  return 'problems' in template ? template.problems : [];
};

describe('a template', () => {
  test.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['session {{session.number}}, turn {{ turn.number }}', 'session 7, turn 2'],
    ['{{pick customers.name}} of {{pick customers.home.city}}', 'Ada of Paris'],
    ['{{pick cities}}!', 'Rome!'],
    ['{{orderNumber}} for {{customer.name}}', 'ORD-7 for Ada'],
    ['{{int 10 20}}', 15],
    ['n={{int 10 20}}', 'n=15'],
    ['{{digits 4}}', '5555'],
    ['\\{{orderNumber}}', '{{orderNumber}}'],
    ['a \\{{b}} {{session.number}}', 'a {{b}} 7'],
    ['{{pick customers.home}}', { city: 'Paris' }],
    ['at {{pick customers.home}}', 'at {"city":"Paris"}'],
    ['{{session.number}}', 7],
  ])('%j renders to %j', (text, expected) => {
    expect(render(text)).toEqual(expected);
  });

  test('draws a version 4 UUID', () => {
    expect(render('{{uuid}}')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('keeps int within its bounds at both ends of the stream', () => {
    const at = (random: number): unknown => compile('{{int 3 5}}').render({ ...scope, random: () => random });
    expect([at(0), at(1 - 2 ** -53)]).toEqual([3, 5]);
  });

  test.each([
    ['{{turn.number}}', 1],
    ['{{session.number}} {{orderNumber}}', 0],
  ])('%j notes its use of the turn', (text, uses) => {
    const noteTurn = vi.fn();
    compile(text).render({ ...scope, noteTurn });
    expect(noteTurn).toHaveBeenCalledTimes(uses);
  });

  test.each([
    ['{{ordrNumber}}', "did you mean 'orderNumber'?"],
    ['{{session.numbr}}', "did you mean 'session.number'?"],
    ['{{pick custmers}}', "did you mean 'customers'?"],
    ['{{pick customers.nam}}', "did you mean 'name'?"],
    ['{{pick}}', 'pick takes a list'],
    ['{{int 5}}', 'int takes two whole numbers'],
    ['{{int 5 1}}', 'int takes two whole numbers'],
    ['{{digits 0}}', 'digits takes a number of digits'],
    ['{{}}', "unknown name ''"],
    ['hello {{name', 'never closed'],
    ['{{constructor}}', "unknown name 'constructor'"],
    ['{{pick customers.constructor}}', "unknown field 'constructor'"],
  ])('%j is rejected with the remedy', (text, words) => {
    expect(problemsOf(text).join()).toContain(words);
  });

  test('reports every problem at once', () => {
    expect(problemsOf('{{a}} {{b}} {{session.number}} {{c}}')).toHaveLength(3);
  });

  test('renders any text without placeholders to itself', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{'));
        expect(render(text)).toBe(text);
      }),
    );
  });

  test('compiles or reports a problem, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{{', '}}', '\\', 'pick', ' ', 'customers', '.', 'int', '1', 'uuid', 'x'), {
          maxLength: 12,
        }),
        (parts) => {
          const template = compileTemplate(parts.join(''), known);
          if ('problems' in template) expect(template.problems.length).toBeGreaterThan(0);
          else expect(() => template.render(scope)).not.toThrow();
        },
      ),
    );
  });
});

describe('an invalid template', () => {
  test('picks only lists of the scenario, not names of JavaScript', () => {
    for (const name of ['constructor', 'constructor.name', '__proto__', 'toString'])
      expect(problemsOf(`{{pick ${name}}}`)).toEqual([expect.stringContaining('unknown list')]);
  });

  test('reports its first problems, cut short, however many and long they are', () => {
    const problems = problemsOf(`{{${'x'.repeat(100_000)}}}${'{{y}}'.repeat(20_000)}`);
    expect(problems).toHaveLength(10);
    expect(Math.max(...problems.map((problem) => problem.length))).toBeLessThan(500);
  });
});
