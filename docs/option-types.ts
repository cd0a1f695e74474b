import { docComment } from '../src/report/options/doc-comment.ts';
import { optionType } from '../src/report/options/option-type.ts';
import {
  optionSections,
  optionsIn,
  type OptionSection,
  type ScenarioOption,
} from '../src/scenario/scenario-options.ts';

/** The interfaces that authors write their options by, for `src/scenario/scenario.ts`. */
export function optionTypes(): string {
  return `\n${optionSections.map(interfaceOf).join('\n\n')}\n`;
}

function interfaceOf(section: OptionSection): string {
  const lead = section.meaning === undefined ? '' : `/** ${section.meaning} */\n`;
  const fields = optionsIn(section).map((option) => fieldOf(option, section.path.length));
  return `${lead}export interface ${section.type} {\n${fields.join('\n')}\n}`;
}

function fieldOf(option: ScenarioOption, prefix: number): string {
  const name = `${option.name.slice(prefix)}${option.required === true ? '' : '?'}`;
  return `  /** ${docComment(option)} */\n  ${name}: ${optionType(option)};`;
}
