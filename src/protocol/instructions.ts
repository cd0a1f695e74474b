import { jsonIn } from './classify-whole.ts';
import { isObject } from '../base/is-object.ts';
import type { TurnContent } from './protocol.ts';

/** Returns the agent's instructions: from the variable values of a turn, or the conversation's own; '' if there are none. */
export type Instructions = (turnContent: Pick<TurnContent, 'variableValues' | 'instructions'>) => string;

/** Fills in `{{name}}`, or `(unknown)` without a value. Without a template the values are listed, one per line. */
export function compileInstructions(template: string | null | undefined): Instructions {
  if (template === null || template === undefined)
    return ({ variableValues, instructions }) => instructions ?? listValues(readValues(variableValues));
  // Odd parts are names, because `split` keeps captured groups.
  const parts = template.split(placeholder);
  if (parts.length === 1) return () => template;
  return ({ variableValues }) => fill(parts, readValues(variableValues));
}

/** Returns the names of variables in a template. */
export function namesIn(template: string | null | undefined): string[] {
  return (template ?? '').split(placeholder).filter((_, index) => index % 2 === 1);
}

const placeholder = /\{\{\s*([\w.-]{1,200})\s*\}\}/;

type Values = Readonly<Record<string, unknown>>;

function readValues(variableValues: string): Values {
  const values = variableValues === '' ? undefined : jsonIn(variableValues);
  return isObject(values) ? values : {};
}

const listValues = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join('\n');

const fill = (parts: readonly string[], values: Values): string =>
  parts.map((part, index) => (index % 2 === 0 ? part : valueOf(values, part))).join('');

function valueOf(values: Values, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined || value === null || value === '' ? '(unknown)' : textOf(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
