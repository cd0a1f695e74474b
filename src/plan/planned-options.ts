import { z } from 'zod';
import { lengthMs } from '../scenario/duration.ts';
import { defaultOf, noteOf, sharedNoteOf, type Planned } from '../scenario/option.ts';

/** Options of a section that the plan contains unchanged, by the names in their notes. */
type PlannedShape<Shape> = { [Name in keyof Shape as KeyOf<Shape[Name]>]: z.ZodType<ValueOf<Shape[Name]>> };
type PlannedValues<Shape> = { [Name in keyof Shape as KeyOf<Shape[Name]>]: ValueOf<Shape[Name]> };
type KeyOf<Field> = Field extends Planned<infer Key, unknown> ? Key : never;
type ValueOf<Field> = Field extends Planned<string, infer Value> ? Value : never;

/** Returns the schemas of these options in the plan. */
export function plannedShape<Shape extends z.core.$ZodShape>(shape: Shape): PlannedShape<Shape> {
  const fields = plannedIn(shape).map(({ key, field }) => [key, resolvedSchema(field)]);
  return Object.fromEntries(fields) as PlannedShape<Shape>;
}

/** Returns the values of these options from a resolved section. */
export function plannedValues<Shape extends z.core.$ZodShape>(
  shape: Shape,
  read: z.output<z.ZodObject<Shape>>,
): PlannedValues<Shape> {
  const values: Readonly<Record<string, unknown>> = read;
  const fields = plannedIn(shape).map(({ name, key, field }) => [key, values[name] ?? defaultOf(field)]);
  return Object.fromEntries(fields) as PlannedValues<Shape>;
}

/** Returns the values that the plan's hash covers. */
export function hashedValues<Shape extends z.core.$ZodShape>(
  shape: Shape,
  values: PlannedValues<Shape>,
): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = values;
  const hashed = plannedIn(shape).filter(({ note }) => note.hashed === true);
  return Object.fromEntries(hashed.map(({ key }) => [key, given[key]]));
}

function plannedIn(shape: z.core.$ZodShape) {
  return Object.entries(shape).flatMap(([name, field]) => {
    const note = noteOf(field);
    return note?.plan === undefined ? [] : [{ name, key: note.plan, field, note }];
  });
}

/** Returns the schema of an option's resolved value, without its limits: a document keeps the limits of its release. */
function resolvedSchema(schema: z.core.$ZodType): z.ZodType {
  if (sharedNoteOf(schema)?.type === 'Duration') return lengthMs;
  if (schema instanceof z.ZodOptional)
    return defaultOf(schema) === null ? resolvedSchema(schema.unwrap()).nullable() : resolvedSchema(schema.unwrap());
  if (schema instanceof z.ZodPrefault) return resolvedSchema(schema.unwrap());
  if (schema instanceof z.ZodNumberFormat) return z.int();
  if (schema instanceof z.ZodNumber) return z.number();
  if (schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodArray) return z.array(resolvedSchema(schema.element));
  if (schema instanceof z.ZodBoolean || schema instanceof z.ZodEnum || schema instanceof z.ZodRecord) return schema;
  throw new Error(`an option of the kind ${schema._zod.def.type} cannot be in the plan as it was read`);
}
