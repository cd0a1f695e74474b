import { z } from 'zod';
import { ChatLoadError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { readShare } from '../../base/format.ts';
import { closedObject } from '../../scenario/closed-object.ts';
import { problemsOf } from '../../scenario/read-scenario.ts';

/** What a caller writes for the options of a function: the comment at each entry of the shape is what an editor shows. */
export type OptionsOf<Shape extends z.ZodRawShape> = z.input<z.ZodObject<Shape>>;

/** An `AbortSignal`, also that of another realm or library. */
export const abortSignal = z.custom<AbortSignal>(
  (given) =>
    isObject(given) && typeof given['aborted'] === 'boolean' && typeof given['addEventListener'] === 'function',
  'expected an AbortSignal',
);

/** A function of the caller. */
export function callback<Call>() {
  return z.custom<Call>((given) => typeof given === 'function', 'expected a function');
}

/** A share as a number, or as a percentage: `0.15` or `'15%'`. */
export type Share = number | `${number}%`;

export const share = z.custom<Share>().transform((given, context): number => {
  const read = typeof given === 'number' ? given : typeof given === 'string' ? readShare(given) : undefined;
  if (read !== undefined) return read;
  context.addIssue({ code: 'custom', message: "expected a share such as 0.15 or '15%'" });
  return z.NEVER;
});

/** Reads options. Throws a usage error that lists every unknown option, with the nearest known one, and every one of another type. */
export function readOptions<Shape extends z.ZodRawShape>(
  caller: string,
  given: unknown,
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const read = closedObject(shape).safeParse(given);
  if (read.success) return read.data;
  const lines = problemsOf(read.error).map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  throw new ChatLoadError('usage', {
    message: `The options of ${caller} cannot be used:\n${lines.join('\n')}`,
    hint: `Nothing was done. docs/library.md lists the options of ${caller}.`,
  });
}
