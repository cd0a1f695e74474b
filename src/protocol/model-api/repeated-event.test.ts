import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventOf } from '../../../test/support/stream-events.ts';
import { patternOf } from './repeated-event.ts';

const chunk = (content: string, others: object = {}): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...others });

describe('the pattern of an event', () => {
  const pattern = patternOf(eventOf(chunk('Hello')), 'Hello');

  test.each([' world', 'é€😀', '', "it's"])(
    'matches an event that differs only in its text, which is then %j',
    (text) => {
      expect(pattern?.fits(eventOf(chunk(text)))).toBe(true);
      expect(pattern?.text).toBe(text);
    },
  );

  test.each([
    ['another field', chunk('a', { created: 1 })],
    ['another value', chunk('a').replace('"id":"c"', '"id":"d"')],
    ['an escaped text', chunk('a"b')],
    ['an escaped character', chunk('a').replace('"a"', '"\\u0061"')],
    ['less', chunk('a').slice(0, -1)],
    ['more', `${chunk('a')} `],
    ['a text that is not closed', chunk('a').slice(0, chunk('a').indexOf('"a"') + 2)],
    ['a raw control character', chunk('a').replace('"a"', '"\t"')],
  ])('does not fit one with %s', (_, data) => expect(pattern?.fits(eventOf(data))).toBe(false));

  test('does not fit an event of another type, or with invalid UTF-8', () => {
    expect(pattern?.fits(eventOf(chunk('a'), 'other'))).toBe(false);
    const bytes = Buffer.from(chunk('ab'));
    bytes[bytes.indexOf('ab')] = 0xff;
    expect(pattern?.fits({ type: '', bytes, start: 0, end: bytes.length, text: () => '' })).toBe(false);
  });

  test.each([
    ['the text stands twice', chunk('stop', { reason: 'stop' }), 'stop'],
    ['it stands in other letters too', chunk('a', { b: 'a' }).replace('"a"', '"\\u0061"'), 'a'],
    ['it is a name', '{"a":{"b":1},"c":"\\u0061"}', 'a'],
    ['it is not there', chunk('a'), 'b'],
    ['it is no JSON', 'Hello "a"', 'a'],
    ['another field is nested very deeply', `{"text":"a","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'a'],
  ])('is not learned if %s', (_, data, text) => expect(patternOf(eventOf(data), text)).toBeUndefined());

  test.each([
    (delta: string, n: number) => JSON.stringify({ type: 'd', sequence_number: n, delta }),
    (delta: string, n: number) => JSON.stringify({ type: 'd', delta, sequence_number: n }),
  ])('has a placeholder for the sequence number, before the text or after it', (write) => {
    const counted = patternOf(eventOf(write('Hi', 4)), 'Hi', 'sequence_number');
    expect(counted?.fits(eventOf(write('you', 117)))).toBe(true);
    expect([counted?.text, counted?.number]).toEqual(['you', 117]);
    expect(counted?.fits(eventOf(write('you', 0).replace('0', '01')))).toBe(false);
    expect(counted?.fits(eventOf(write('you', 1.5)))).toBe(false);
  });

  test('yields the same as the JSON parser, whatever the events', () => {
    const others = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
    const event = fc.tuple(fc.string({ unit: 'binary', maxLength: 6 }), fc.oneof(fc.constant({}), others));
    fc.assert(
      fc.property(fc.tuple(event, event), ([[text, more], [next, moreThen]]) => {
        const [first, second] = [chunk(text, more), chunk(next, moreThen)];
        const learned = patternOf(eventOf(first), text);
        if (learned?.fits(eventOf(second)) !== true) return;
        expect(JSON.parse(second)).toEqual(JSON.parse(chunk(learned.text, more)));
      }),
      { numRuns: 2000, seed: 16 },
    );
  });
});
