import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nested } from '../../test/support/bombs.ts';
import { parseJson } from './json.ts';

test('any JSON is parsed as by JSON.parse, including strings full of brackets, quotes and backslashes', () => {
  const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a'), maxLength: 600 });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(text), fc.dictionary(text, text)), (value) => {
      const json = JSON.stringify(value);
      expect(parseJson(json)).toEqual(JSON.parse(json));
    }),
  );
});

test('200 levels are parsed, and one more is rejected, wherever it is', () => {
  expect(parseJson(nested(200))).toEqual([expect.anything()]);
  expect(() => parseJson(nested(201))).toThrow('nested more than 200 levels deep');
  expect(() => parseJson(`{"a":"\\\\","b":[1,${nested(199)}]}`)).toThrow('nested more than 200 levels deep');
  expect(parseJson(JSON.stringify(['[{'.repeat(1000), '\\"['.repeat(300)]))).toHaveLength(2);
});

test('objects next to each other are not deep', () => {
  expect(parseJson(`[${'{"a":[]},'.repeat(1000)}0]`)).toHaveLength(1001);
});

test('a text that is cut off or not JSON is a syntax error', () => {
  for (const text of [`["${'x'.repeat(500)}`, `${'['.repeat(150)}${' '.repeat(400)}`, '', 'x'.repeat(1000)])
    expect(() => parseJson(text)).toThrow(SyntaxError);
});
