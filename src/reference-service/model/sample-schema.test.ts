import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomOf } from '../../base/random.ts';
import { sampleSchema } from './sample-schema.ts';

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

/** Without the names that the validator calls as methods of a value. */
const jsonValues = fc.jsonValue().filter((value) => !/"(?:valueOf|toString)":/.test(JSON.stringify(value)));
const bounds = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 40 }));
const schemas = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, { type: 'string' }),
    fc.constantFrom('date', 'date-time', 'email', 'uuid', 'uri', 'ipv4').map((format) => ({ type: 'string', format })),
    jsonValues.map((value) => ({ const: value })),
    fc.array(jsonValues, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    bounds.map(([minimum, size]) => ({ type: 'integer', minimum, maximum: minimum + size })),
    bounds.map(([minimum, size]) => ({ type: 'number', exclusiveMinimum: minimum, maximum: minimum + size + 1 })),
    bounds.map(([from, size]) => ({ type: 'integer', minimum: from, maximum: from + size + 7, multipleOf: 7 })),
    bounds.map(([, size]) => ({ type: 'string', minLength: size, maxLength: size + 3 })),
    fc
      .tuple(tie('schema'), fc.nat(3), fc.nat(3))
      .map(([items, minItems, more]) => ({ type: 'array', items, minItems, maxItems: minItems + more })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .tuple(fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }), fc.array(fc.string(), { maxLength: 2 }))
      .map(([properties, more]) => ({
        type: 'object',
        properties,
        required: [...new Set([...Object.keys(properties).slice(0, 2), ...more])],
      })),
  ),
})).schema;

describe('a sample of a schema', () => {
  test('satisfies the schema', () => {
    fc.assert(
      fc.property(schemas, fc.nat(), (schema, seed) => {
        const value: unknown = JSON.parse(JSON.stringify(sampleSchema(schema, randomOf(seed))));
        const validate = ajv.compile(schema as object);
        expect([validate(value), validate.errors, value]).toEqual([true, null, value]);
      }),
      { numRuns: 400 },
    );
  });

  const nested = (items: object): object => ({ type: 'array', minItems: 200, items });
  const referring = (keyword: string) => ({
    $ref: '#/$defs/self',
    $defs: { self: { [keyword]: Array.from({ length: 9 }, () => ({ $ref: '#/$defs/self' })) } },
  });
  test.each([
    ['nested minimums of lists', nested(nested({ type: 'boolean' }))],
    ['nested lists of long texts', nested(nested({ type: 'string', minLength: 5000 }))],
    [
      'objects that require themselves twice',
      { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } },
    ],
    ['parts that refer to themselves', referring('allOf')],
    ['forms that refer to themselves', referring('anyOf')],
  ])('is bounded for %s', (_, schema) => {
    const text = JSON.stringify(sampleSchema(schema, randomOf(1)));
    expect(text.length).toBeLessThan(3_000_000);
    expect(text.split(/[,:[{]/).length).toBeLessThan(30_000);
  });

  test('is the same for the same draws', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'string' } },
      required: ['a', 'b'],
    };
    expect(sampleSchema(schema, randomOf(1))).toEqual(sampleSchema(schema, randomOf(1)));
    expect(sampleSchema(schema, randomOf(1))).not.toEqual(sampleSchema(schema, randomOf(2)));
  });

  test.each([
    ['a reference', { $ref: '#/$defs/city', $defs: { city: { enum: ['Rome'] } } }, 'Rome'],
    [
      'parts of allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { const: 1 } }, required: ['a'] },
          { properties: { b: { const: 2 } }, required: ['b'] },
        ],
      },
      { a: 1, b: 2 },
    ],
    ['one form of oneOf', { oneOf: [{ type: 'integer', minimum: 3, maximum: 3 }] }, 3],
    ['no schema', undefined, {}],
  ])('follows %s', (_, schema, expected) => {
    expect(sampleSchema(schema, randomOf(1))).toEqual(expected);
  });

  test('ends for schemas that contain themselves', () => {
    const node = {
      type: 'object',
      properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['value', 'children'],
    };
    const list = { anyOf: [{ $ref: '#' }, { type: 'null' }] };
    for (let seed = 0; seed < 50; seed++) {
      expect(sampleSchema({ $ref: '#/$defs/node', $defs: { node } }, randomOf(seed))).toMatchObject({
        value: expect.any(Number) as number,
      });
      expect(sampleSchema(list, randomOf(seed))).toBe(null);
    }
    const endless = { type: 'object', properties: { own: { $ref: '#' } }, required: ['own'] };
    expect(JSON.stringify(sampleSchema(endless, randomOf(1))).length).toBeLessThan(10_000);
  });
});
