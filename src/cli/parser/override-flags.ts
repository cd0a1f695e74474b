import type { Argv } from 'yargs';
import { environmentName, isRepeated } from '../../plan/overlay.ts';
import { mostUsed, overrides } from './read-words.ts';
import { scenarioOptions, type ScenarioOption } from '../../scenario/scenario-options.ts';

/** The most used flags, in the order of the help page. */
const frequent: readonly string[] = [
  ...['url', 'model', 'agent-id', 'protocol', 'stream', 'concurrency', 'rate', 'sessions', 'duration'],
];

/** Adds the flags that override the accepted options of a scenario. */
export function takeOverrides(yargs: Argv, accepts: (option: ScenarioOption) => boolean): Argv {
  const taken = scenarioOptions.filter((option) => accepts(option)).flatMap(flagsOf);
  const [first, rest] = [true, false].map((isFirst) => taken.filter(({ flag }) => frequent.includes(flag) === isFirst));
  first?.sort((a, b) => frequent.indexOf(a.flag) - frequent.indexOf(b.flag));
  for (const { option, flag, meaning } of [...(first ?? []), ...(rest ?? [])])
    yargs.option(flag, {
      type: typeOf(option),
      // One value per flag: a list would consume the path of the scenario.
      ...(isRepeated(option) ? { array: true, nargs: 1 } : { requiresArg: typeOf(option) !== 'boolean' }),
      group: frequent.includes(flag) ? mostUsed : overrides,
      describe: `${meaning.replace(/\.$/, '')} [${environmentName(option) ?? ''}]`,
    });
  return yargs.option('help-all', { type: 'boolean', describe: 'Show all options' });
}

interface OptionFlag {
  option: ScenarioOption;
  flag: string;
  meaning: string;
}

function flagsOf(option: ScenarioOption): OptionFlag[] {
  const { flag, flagMeaning, meaning, alias } = option;
  if (flag === undefined) return [];
  const named = [{ flag, meaning: flagMeaning ?? meaning }, ...(alias === undefined ? [] : [alias])];
  return named.map((each) => ({ option, ...each }));
}

function typeOf({ takes }: ScenarioOption): 'number' | 'boolean' | 'string' {
  if (takes === 'switch' || takes === 'off-switch') return 'boolean';
  return takes === 'number' ? 'number' : 'string';
}
