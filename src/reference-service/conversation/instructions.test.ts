import { describe, expect, test } from 'vitest';
import { compileInstructions } from './instructions.ts';

const brief = compileInstructions('You serve {{ name }} on {{plan}}, order {{order.id}}. Greet {{name}}.');

describe('instructions', () => {
  test('take the values of the message, once for each variable', () => {
    const briefing = brief({ name: 'Ada', plan: 'pro', 'order.id': 7, unused: 'x' });
    expect(briefing.write()).toBe('You serve Ada on pro, order 7. Greet Ada.');
    expect(briefing.facts).toEqual([
      { name: 'name', value: 'Ada' },
      { name: 'plan', value: 'pro' },
      { name: 'order.id', value: '7' },
    ]);
    expect(briefing.missing).toEqual([]);
  });

  test.each([undefined, null, ''])('miss a variable whose value is %j', (plan) => {
    const briefing = brief({ name: 'Ada', plan, 'order.id': false });
    expect(briefing.missing).toEqual(['plan']);
    expect(briefing.write()).toBe('You serve Ada on (unknown), order false. Greet Ada.');
  });

  test('write values that are not text as JSON', () => {
    expect(brief({ name: { first: 'Ada' }, plan: [1, 'a'] }).facts.map(({ value }) => value)).toEqual([
      '{"first":"Ada"}',
      '[1,"a"]',
    ]);
  });

  test('ignore inherited properties of the values', () => {
    const inherits = compileInstructions('{{constructor}} {{__proto__}} {{toString}}');
    expect(inherits({}).missing).toEqual(['constructor', '__proto__', 'toString']);
    expect(inherits(JSON.parse('{"__proto__":"mine"}') as object as Record<string, unknown>).facts).toEqual([
      { name: '__proto__', value: 'mine' },
    ]);
  });
});
