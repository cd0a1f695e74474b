import { z } from 'zod';
import { environmentName } from '../../plan/overlay.ts';
import { type OptionGroup, wordsOf } from '../../scenario/option.ts';
import { optionSections, optionsIn, type ScenarioOption } from '../../scenario/scenario-options.ts';
import { literal, optionType } from './option-words.ts';

/** In the order of the page. */
const headings: Readonly<Record<OptionGroup, string>> = {
  workload: 'What is said',
  load: 'Load',
  target: 'Target',
  timing: 'Times',
  retry: 'Failures and retries',
  judging: 'Checks, integrity and gates',
  limits: 'Limits and stopping',
  output: 'Output',
  embedded: 'The embedded service',
};

/** Every option of a scenario as Markdown, a table a group, for docs/options.md. */
export function optionTable(): string {
  const options = optionSections.flatMap(optionsIn);
  return Object.entries(headings)
    .map(([group, heading]) => {
      const rows = options.filter((option) => option.group === group).map(rowOf);
      return [`## ${heading}`, '', head, ...rows.map((row) => `| ${row} |`)].join('\n');
    })
    .join('\n\n');
}

const head = '| option | type | default | limits | flag, environment | meaning |\n|---|---|---|---|---|---|';

function rowOf(option: ScenarioOption): string {
  const cells = [
    `\`${option.name}\``,
    `\`${optionType(option).replaceAll('readonly ', '')}\``,
    defaultOf(option),
    optionLimits(option),
  ];
  return [...cells, aroundOf(option), option.meaning].map(cell).join(' | ');
}

function defaultOf({ default: value, without, unit, secret, required }: ScenarioOption): string {
  if (required === true) return 'required';
  if (without !== undefined) return without;
  if (value === undefined || value === null) return 'none';
  if (secret === true) return 'built in';
  return `\`${literal(value)}\`${unit !== undefined && typeof value === 'number' ? ` ${unit}` : ''}`;
}

function aroundOf(option: ScenarioOption): string {
  const flag = [option.flag, option.alias?.flag].flatMap((name) => (name === undefined ? [] : [`\`--${name}\``]));
  const environment = environmentName(option);
  return [...flag, ...(environment === undefined ? [] : [`\`${environment}\``])].join(' ');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The limits of an option's values beyond its type, in words; '' for none. */
function optionLimits({ limits, schema }: ScenarioOption): string {
  return limits ?? limitsOf(schema);
}

function limitsOf(schema: z.core.$ZodType): string {
  const said = wordsOf(schema);
  if (said !== undefined) return said.limits ?? '';
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable)
    return limitsOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) return limitsOf(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.map(limitsOf).find((words) => words !== '') ?? '';
  return inWords(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** In the order in which they are looked for: a schema has one of them. */
function inWords({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  minItems,
  minLength,
}: z.core.JSONSchema.BaseSchema): string {
  const whole = type === 'integer' ? 'whole, ' : '';
  if (exclusiveMinimum !== undefined)
    return `above ${figure(Number(exclusiveMinimum))}${maximum === undefined ? '' : `, at most ${figure(maximum)}`}`;
  if (minimum !== undefined)
    return `${whole}${maximum === undefined ? `at least ${figure(minimum)}` : `${figure(minimum)} to ${figure(maximum)}`}`;
  if (minItems !== undefined && minItems > 0) return 'at least one';
  return minLength === undefined ? '' : 'not empty';
}

/** The largest whole number that JavaScript counts exactly is written as such. */
const figure = (value: number): string =>
  value === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : value.toLocaleString('en-US');
