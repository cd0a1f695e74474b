import { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';

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
