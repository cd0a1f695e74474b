import { z } from 'zod';
import { type OptionNote, sharedNoteOf } from '../../scenario/option.ts';
import type { ScenarioOption } from '../../scenario/scenario-options.ts';

/** Returns the doc comment of an option for editors: its meaning, unit and default. */
export function docComment({ meaning, unit, required, secret, default: value, without }: OptionNote): string {
  const parts = [meaning];
  if (required === true) return [...parts, 'Required.'].join(' ');
  if (unit !== undefined && typeof value !== 'number' && !meaning.toLowerCase().includes(unit))
    parts.push(`In ${unit}.`);
  const words = secret === true && value !== undefined ? 'built in' : without;
  return [...parts, words === undefined ? defaultText(value, unit) : `Default: ${words}.`].join(' ');
}

function defaultText(value: unknown, unit: string | undefined): string {
  if (value === undefined || value === null) return 'Default none.';
  return `Default \`${literal(value)}\`${typeof value === 'number' && unit !== undefined ? ` ${unit}` : ''}.`;
}

/** Formats a value as an author would write it. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? quoted(value) : String(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${literal(field)}`);
  return `{ ${fields.join(', ')} }`;
}

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`);

/** Returns the TypeScript type of an option. Throws if neither its schema nor its note defines one. */
export function optionType({ name, type, schema }: ScenarioOption): string {
  const found = type ?? typeOf(schema);
  if (found === undefined) throw new Error(`the note of ${name} must define its type`);
  return found;
}

function typeOf(schema: z.core.$ZodType): string | undefined {
  const { type } = sharedNoteOf(schema) ?? {};
  if (type !== undefined) return type;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return typeOf(schema.unwrap());
  if (schema instanceof z.ZodNullable) return joined([typeOf(schema.unwrap()), 'null']);
  if (schema instanceof z.ZodPipe) return typeOf(schema.in);
  if (schema instanceof z.ZodUnion) return joined(schema.options.map(typeOf));
  if (schema instanceof z.ZodArray) return listOf(typeOf(schema.element));
  if (schema instanceof z.ZodEnum) return joined(schema.options.map((each) => `'${String(each)}'`));
  if (schema instanceof z.ZodLiteral)
    return joined([...schema.values].map((each) => (typeof each === 'string' ? `'${each}'` : String(each))));
  if (schema instanceof z.ZodRecord) return recordOf(typeOf(schema.valueType));
  return plainTypes[schema._zod.def.type];
}

const plainTypes: Readonly<Partial<Record<string, string>>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  unknown: 'unknown',
};

/** Joins types to a union; string literals are dropped if it contains `string`. */
function joined(types: readonly (string | undefined)[]): string | undefined {
  const left = types.filter((each) => !(types.includes('string') && each?.startsWith("'") === true));
  return left.includes(undefined) ? undefined : [...new Set(left)].join(' | ');
}

const listOf = (type: string | undefined): string | undefined =>
  type === undefined || type.includes(' ') ? undefined : `readonly ${type}[]`;

const recordOf = (type: string | undefined): string | undefined => type && `Readonly<Record<string, ${type}>>`;
