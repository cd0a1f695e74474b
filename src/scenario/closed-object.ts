import { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';
import { defaulted, type OptionGroup } from './option.ts';

/** Returns an object schema that rejects unknown keys and suggests the nearest known one. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownName('key', key, known)).join('; ')
        : undefined,
  });
}

/** Parses a value with another schema, such as the schema of its form, and reports its problems. */
export function readWith<Read>(
  schema: z.ZodType<Read>,
  value: unknown,
  context: z.RefinementCtx,
  error?: z.core.$ZodErrorMap,
): Read {
  const read = schema.safeParse(value, { reportInput: true, ...(error && { error }) });
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.issues.push({ input: value, ...issue } as never);
  return z.NEVER;
}

/** Returns an error map that describes the expected form; problems inside the value keep their own messages. */
export function expecting(form: string): z.core.$ZodErrorMap {
  return ({ code, path = [] }) => (code === 'invalid_type' && path.length === 0 ? `expected ${form}` : undefined);
}

/** The schema of a switch. */
export const truth = z.boolean({ error: 'expected true or false' });

/** Returns a switch that is off by default, with a flag of the same name. */
export function switchOption<Key extends string>(key: Key, meaning: string, group?: OptionGroup) {
  const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const note = { meaning, default: false, plan: key, flag, takes: 'switch' } as const;
  return defaulted(truth, group === undefined ? note : { group, ...note });
}
