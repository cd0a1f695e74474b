import { readFileSync, writeFileSync } from 'node:fs';
import { docComment } from '../src/report/options/option-text.ts';
import { optionType } from '../src/report/options/option-text.ts';
import {
  optionSections,
  optionsIn,
  type OptionSection,
  type ScenarioOption,
} from '../src/scenario/scenario-options.ts';

const scenarioTypes = new URL('../src/scenario/scenario.ts', import.meta.url);
const endOfOptions = '// end of options\n';

/** Declarations used by the types of options, by file. */
const named = {
  'abandon-options': 'AbandonOptions',
  'define-protocol': 'ProtocolDefinition',
  duration: 'Duration',
  'duration-distribution': 'DurationDistribution',
  'embedded-faults': 'FaultOptions',
  'embedded-sabotage': 'SabotageOptions',
  '../protocol/registry/registry': 'ProtocolName',
  'metric-name': 'MetricName',
  'objective-options': 'Objectives',
  'scenario-values':
    'AuthText, DataLists, HeaderValue, MessageOptions, PriceList, ReplyCheck, ReplyCost, RetryClass, ThinkTimeOptions, TokenFunction, ToolFunction, TurnOptions, ValueTemplate',
};

/** Returns the published types of src/scenario/scenario.ts, with inferred types expanded and doc comments added. */
export function publishedTypes(): string {
  const imports = Object.entries(named).map(([file, names]) => `import type { ${names} } from './${file}.ts';`);
  const [, others = ''] = readFileSync(scenarioTypes, 'utf8').split(endOfOptions);
  return [...imports, '', ...optionSections.map(interfaceOf), others].join('\n');
}

function interfaceOf(section: OptionSection): string {
  const lead = section.meaning === undefined ? '' : `/** ${section.meaning} */\n`;
  const fields = optionsIn(section).map((option) => fieldOf(option, section.path.length));
  return `${lead}export interface ${section.type} {\n${fields.join('\n')}\n}\n`;
}

function fieldOf(option: ScenarioOption, prefix: number): string {
  const name = `${option.name.slice(prefix)}${option.required === true ? '' : '?'}`;
  return `  /** ${docComment(option)} */\n  ${name}: ${optionType(option)};`;
}

/** Replaces the declarations that tsc generated for inferred types. */
export function publishTypes(): void {
  writeFileSync(new URL('../dist/scenario/scenario.d.ts', import.meta.url), publishedTypes());
}
