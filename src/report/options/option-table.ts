import { jsonText } from '../../base/json.ts';
import { environmentName } from '../../plan/overlay.ts';
import { scenarioOptions, type ScenarioOption } from '../../scenario/scenario-options.ts';

/** The option table as Markdown, for docs/options.md. */
export function optionTable(): string {
  const rows = scenarioOptions.map((option) =>
    [`\`${option.name}\``, defaultOf(option), aroundOf(option), option.meaning].map(cell).join(' | '),
  );
  return [
    '| option | default | flag, environment | meaning |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

function defaultOf(option: ScenarioOption): string {
  const { default: value, unit, secret } = option;
  if (secret === true || value === undefined) return '';
  if (value === null) return 'none';
  if (typeof value === 'object') return 'see the text';
  const text =
    typeof value === 'string' && value.includes(' ') ? value : `\`${jsonText(value)?.replaceAll('"', '') ?? ''}\``;
  return unit !== undefined && typeof value === 'number' ? `${text} ${unit}` : text;
}

function aroundOf(option: ScenarioOption): string {
  const flag = option.flag === undefined ? [] : [`\`--${option.flag}\``];
  const environment = environmentName(option);
  return [...flag, ...(environment === undefined ? [] : [`\`${environment}\``])].join(' ');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
