import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { jsonSchemaOf } from '../../../docs/json-schema.ts';
import { comparisons } from '../../../test/support/synthetic-comparison.ts';
import { undescribedIn, type Schema } from '../../../test/support/undescribed-fields.ts';
import { comparisonSchema } from './comparison.ts';

describe('the JSON Schema of the comparison', () => {
  const schema = jsonSchemaOf('comparison');
  const validate = addFormats.default(new Ajv2020()).compile(schema);
  const copy = () => JSON.parse(JSON.stringify(comparisons['regressed'])) as Record<string, Record<string, unknown>>;

  test.each(Object.entries(comparisons))('accepts a comparison: %s', (_, comparison) => {
    expect(validate(JSON.parse(JSON.stringify(comparison))), JSON.stringify(validate.errors)).toBe(true);
    expect(comparisonSchema.parse(comparison)).toEqual(comparison);
  });

  test.each([
    ['another kind', (broken: ReturnType<typeof copy>) => Object.assign(broken, { kind: 'chat-load/result' })],
    ['another version', (broken: ReturnType<typeof copy>) => Object.assign(broken, { schemaVersion: 2 })],
    ['a missing section', (broken: ReturnType<typeof copy>) => Reflect.deleteProperty(broken, 'design')],
    ['an unknown verdict', (broken: ReturnType<typeof copy>) => Object.assign(broken, { verdict: 'fine' })],
    ['a side without runs', (broken: ReturnType<typeof copy>) => Object.assign(broken['base'] ?? {}, { runs: [] })],
  ])('rejects %s', (_, breakIt) => {
    const broken = copy();
    breakIt(broken);
    expect(validate(broken)).toBe(false);
  });

  test('describes every field', () => {
    expect(undescribedIn(schema as Schema, 'comparison')).toEqual([]);
  });
});
