import { environmentName } from '../../plan/overlay.ts';
import type { OptionGroup } from '../../scenario/option.ts';
import { optionSections, optionsIn, type ScenarioOption } from '../../scenario/scenario-options.ts';
import { literal } from './doc-comment.ts';
import { optionLimits } from './option-limits.ts';
import { optionType } from './option-type.ts';

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
