import { z } from 'zod';
import { environmentName } from '../../plan/overlay.ts';
import { type OptionGroup, sharedNoteOf } from '../../scenario/option.ts';
import { optionSections, optionsIn, type ScenarioOption } from '../../scenario/scenario-options.ts';
import { literal, optionType } from './option-text.ts';

/** Headings of the groups, in the order of the page. */
const headings: Readonly<Record<OptionGroup, string>> = {
  workload: 'Conversations',
  load: 'Load',
  target: 'Target',
  timing: 'Timing',
  retry: 'Failures and retries',
  judging: 'Checks, integrity and gates',
  limits: 'Limits and stopping',
  output: 'Output',
  model: 'Model service',
  embedded: 'The embedded service',
};

/** Renders the options of a scenario as Markdown, one table per group, for docs/reference/options.md. */
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

/** Describes the limits of an option's values beyond its type; '' for none. */
function optionLimits({ limits, schema }: ScenarioOption): string {
  return limits ?? limitsOf(schema);
}

function limitsOf(schema: z.core.$ZodType): string {
  const note = sharedNoteOf(schema);
  if (note !== undefined) return note.limits ?? '';
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable)
    return limitsOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) return limitsOf(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.map(limitsOf).find((words) => words !== '') ?? '';
  return formatLimit(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** Describes the limit of a schema, which has at most one of these. */
function formatLimit({
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

/** Formats a number; the largest safe integer as a power of two. */
const figure = (value: number): string =>
  value === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : value.toLocaleString('en-US');
