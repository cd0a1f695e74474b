import parse, { type StringValue } from 'ms';
import { z } from 'zod';
import { jsonText } from '../base/json.ts';
import { ms, type Ms } from '../base/time.ts';
import { withSharedNote } from './option.ts';

/** A length of time: milliseconds as a number, or text with a unit such as `'250ms'`, `'2s'`, `'1.5m'`, `'8h'`. */
export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h` | `${number}d`;

const shape = /^\d+(\.\d+)?(ms|s|m|h|d)$/;

/** Parses a duration into milliseconds; `undefined` if it is not one. Negative and infinite lengths are not. */
export function readDuration(value: unknown): Ms | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? ms(value) : undefined;
  // The parser rejects longer texts.
  if (typeof value !== 'string' || value.length > 100 || !shape.test(value)) return undefined;
  return ms(parse(value as StringValue));
}

const anyDuration = z.custom<Duration>().transform((value, context): Ms => {
  const read = readDuration(value);
  if (read !== undefined) return read;
  context.addIssue({
    code: 'custom',
    message: `expected a duration such as '250ms', '2s' or '10m'${orNumber(value)}, got ${show(value)}${unitHint(value)}`,
  });
  return z.NEVER;
});

/** The schema of a duration as read, in milliseconds. */
export const lengthMs = z
  .number()
  .min(0)
  .transform((value): Ms => ms(value));

/** The schema of a duration: accepts an author's value, returns milliseconds. */
export const duration = withSharedNote(anyDuration, { type: 'Duration' });

/** A duration above zero. */
export const positiveDuration = withSharedNote(
  duration.refine((value) => value > 0, 'must be above 0'),
  { type: 'Duration', limits: 'above 0' },
);

/** Flags and the environment contain only text. */
const orNumber = (value: unknown): string => (typeof value === 'string' ? '' : ' (a number is milliseconds)');

/** Returns the spelling to use instead of a number without a unit or with an unknown one; otherwise ''. */
export function unitHint(value: unknown): string {
  if (typeof value !== 'string') return '';
  const [, number = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?) *([a-z]*)$/i.exec(value) ?? [];
  if (number === '') return '';
  if (unit === '') return `: write '${number}s' for ${number} seconds, '${number}ms' for milliseconds`;
  const meant = units.find(([pattern]) => pattern.test(unit))?.[1];
  return meant === undefined ? '' : `: write '${number}${meant}'`;
}

const units: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?)$/i, 'ms'],
  [/^(?:s|secs?|seconds?)$/i, 's'],
  [/^(?:m|mins?|minutes?)$/i, 'm'],
  [/^(?:h|hrs?|hours?)$/i, 'h'],
  [/^(?:d|days?)$/i, 'd'],
];

const show = (value: unknown): string => (value === undefined ? 'nothing' : (jsonText(value) ?? `a ${typeof value}`));
