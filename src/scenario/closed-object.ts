import { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';

/** An object schema in which an unknown key is an error that names the nearest known one. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownName('key', key, known)).join('; ')
        : undefined,
  });
}
