import { z } from 'zod';
import { ChatLoadError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { closedObject } from '../../scenario/closed-object.ts';
import { problemsOf } from '../../scenario/read-scenario.ts';
import type { ScenarioSettings } from './settle-given.ts';

/** What the options are that a scenario is settled with; settling looks at their values. */
export const settingShape = {
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  allowHosts: z.array(z.string()).optional(),
  seed: z.number().optional(),
  overrides: z.record(z.string(), z.unknown()).optional(),
  folder: z.string().optional(),
} satisfies Record<keyof ScenarioSettings, z.ZodType>;

/** An `AbortSignal`, also that of another realm or library. */
export const abortSignal = z.custom<AbortSignal>(
  (given) =>
    isObject(given) && typeof given['aborted'] === 'boolean' && typeof given['addEventListener'] === 'function',
  'expected an AbortSignal',
);

export const aFunction = z.custom<() => unknown>((given) => typeof given === 'function', 'expected a function');

/** Throws a usage error that lists every unknown option, with the nearest known one, and every one of another type. */
export function checkOptions(caller: string, given: unknown, shape: Readonly<Record<string, z.ZodType>>): void {
  const read = closedObject(shape).safeParse(given);
  if (read.success) return;
  const lines = problemsOf(read.error).map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  throw new ChatLoadError('usage', {
    message: `The options of ${caller} cannot be used:\n${lines.join('\n')}`,
    hint: `Nothing was done. docs/library.md lists the options of ${caller}.`,
  });
}
