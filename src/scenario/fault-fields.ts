import { z } from 'zod';
import type { Ms } from '../base/time.ts';
import { closedObject } from './closed-object.ts';
import { duration, readDuration } from './duration.ts';

/** A `Retry-After` header field as in the plan. */
export type ResolvedRetryAfter = { kind: 'text'; text: string } | { kind: 'date'; inMs: Ms };

/** A duration (sent as whole seconds, rounded up), a date that far ahead, or a literal header text such as `'soon'` or `'-1'`. */
export const retryAfter = z
  .union(
    [
      closedObject({ dateIn: duration }).transform(({ dateIn }): ResolvedRetryAfter => ({
        kind: 'date',
        inMs: dateIn,
      })),
      z
        .union([z.string().regex(/^[\x20-\x7e]*$/), z.number().min(0)])
        .transform((value): ResolvedRetryAfter => ({ kind: 'text', text: headerText(value) })),
    ],
    { error: "expected a duration such as '2s', { dateIn: '2s' }, or a header text of visible ASCII characters" },
  )
  .optional()
  .transform((value) => value ?? null);

function headerText(value: string | number): string {
  const length = readDuration(value);
  return length === undefined ? String(value) : String(Math.ceil(length / 1000));
}

/** Returns the schema of an HTTP status within these bounds. */
export function status(from: number, to: number) {
  return z.int().min(from).max(to);
}

/** Returns a schema that reads an omitted value as `null`. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}

/** Number of content events before a fault. */
export const afterEvents = orNull(z.int().min(0));

/** Codes that a service may send in a close frame. */
export const closeCode = z
  .int()
  .refine((code) => isClosable(code), 'expected a close code: 1000 to 1003, 1007 to 1014, or 3000 to 4999');
const isClosable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
