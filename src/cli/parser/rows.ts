import type { Options } from 'yargs';
import { usageError } from '../../base/errors.ts';

export interface Row<Value> extends Options {
  /** Environment variable used without a value; an empty one is ignored. */
  environment?: string;
  /** Converts a value or the default. Throws a usage error. */
  read?: (given: never, flag: string) => Value;
  /** Carries the type only. */
  readonly valueType?: () => Value;
}

export type Rows = Readonly<Record<string, Row<unknown>>>;
export type ValuesOf<Some> = { [Name in keyof Some]: Some[Name] extends Row<infer Value> ? Value : never };

type More = Omit<Options, 'describe' | 'type'> & Pick<Row<unknown>, 'environment'>;
type Sure<Given, Value> = Given extends { default: string | number | readonly string[] } | { demandOption: true }
  ? Value
  : Value | undefined;

export function text<const Given extends More = object>(describe: string, more?: Given): Row<Sure<Given, string>> {
  return { type: 'string', requiresArg: true, describe, ...more };
}

export function amount<const Given extends More = object>(describe: string, more?: Given): Row<Sure<Given, number>> {
  return { type: 'number', requiresArg: true, describe, ...more };
}

/** Scenario of a command that does not require a file. */
export const optionalScenario = {
  scenario: text('Scenario file (TypeScript or JavaScript); not needed with --url'),
};

/** Declares a switch that is off by default. */
export function on(describe: string, more?: More): Row<boolean> {
  return { type: 'boolean', default: false, describe, ...more };
}

/** Declares a flag or argument with several consecutive values. */
export function list<const Given extends More = object>(describe: string, more?: Given): Row<Sure<Given, string[]>> {
  return { type: 'string', array: true, requiresArg: true, describe, ...more };
}

/** Declares a repeatable flag with one value each. */
export function each<const Given extends More = object>(describe: string, more?: Given): Row<Sure<Given, string[]>> {
  return { type: 'string', array: true, nargs: 1, describe, ...more };
}

export function oneOf<const Choice extends string, const Given extends More = object>(
  choices: readonly Choice[],
  describe: string,
  more?: Given,
): Row<Sure<Given, Choice>> {
  return { choices, requiresArg: true, describe, ...more };
}

/** Describes a flag that the command already has. */
export function reworded(describe: string): Row<unknown> {
  return { describe };
}

export function reading<Given, Value>(
  row: Row<Given>,
  read: (given: Exclude<Given, undefined>, flag: string) => Value,
): Row<Value | Extract<Given, undefined>> {
  return { ...(row as Options), read: read };
}

type Complaint<Given> = readonly [string | ((given: Given, flag: string) => string), string];

export function must<Given>(
  row: Row<Given>,
  isUsable: (given: Exclude<Given, undefined>) => boolean,
  [message, hint]: Complaint<Exclude<Given, undefined>>,
): Row<Given> {
  return reading(row, (given, flag) => {
    if (isUsable(given)) return given;
    throw usageError(typeof message === 'string' ? message : message(given, flag), hint);
  });
}

/** Declares a whole number with bounds. */
export function whole<const Given extends More & { from?: number; to: number; hint: string }>(
  describe: string,
  { from = 1, to, hint, ...more }: Given,
): Row<Sure<Given, number>> {
  return must<number | undefined>(
    amount(describe, more as More),
    (value) => Number.isInteger(value) && value >= from && value <= to,
    [(_, flag) => `${flag} takes a whole number from ${String(from)} to ${String(to)}.`, hint],
  ) as Row<Sure<Given, number>>;
}

export function inGroup<const Some extends Rows>(group: string, rows: Some): Some {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, group }])) as Some;
}

/** Converts the arguments of a command. Throws a usage error for the first unusable one. */
export function readRows<Given extends object>(args: Given, rows: Rows): Given {
  const given = new Map(Object.entries(args));
  for (const [name, { read }] of Object.entries(rows)) {
    const value: unknown = given.get(name);
    if (read !== undefined && value !== undefined) given.set(name, read(value as never, `--${name}`));
  }
  return Object.fromEntries(given) as Given;
}
