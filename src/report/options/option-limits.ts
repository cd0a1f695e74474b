import { z } from 'zod';
import { wordsOf } from '../../scenario/option.ts';
import type { ScenarioOption } from '../../scenario/scenario-options.ts';

/** The limits of an option's values beyond its type, in words; '' for none. */
export function optionLimits({ limits, schema }: ScenarioOption): string {
  return limits ?? limitsOf(schema);
}

function limitsOf(schema: z.core.$ZodType): string {
  const said = wordsOf(schema);
  if (said !== undefined) return said.limits ?? '';
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable)
    return limitsOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) return limitsOf(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.map(limitsOf).find((words) => words !== '') ?? '';
  return inWords(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** In the order in which they are looked for: a schema has one of them. */
function inWords({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  minItems,
  minLength,
}: z.core.JSONSchema.BaseSchema): string {
  const whole = type === 'integer' ? 'whole, ' : '';
  if (exclusiveMinimum !== undefined)
    return `above ${figure(Number(exclusiveMinimum))}${maximum === undefined ? '' : `, at most ${figure(maximum)}`}`;
  if (minimum !== undefined)
    return `${whole}${maximum === undefined ? `at least ${figure(minimum)}` : `${figure(minimum)} to ${figure(maximum)}`}`;
  if (minItems !== undefined && minItems > 0) return 'at least one';
  return minLength === undefined ? '' : 'not empty';
}

/** The largest whole number that JavaScript counts exactly is written as such. */
const figure = (value: number): string =>
  value === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : value.toLocaleString('en-US');
