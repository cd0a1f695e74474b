import type { Argv } from 'yargs';
import { environmentName, isRepeated } from '../../plan/overlay.ts';
import { mostUsed, overrides } from './read-words.ts';
import { scenarioOptions, type ScenarioOption } from '../../scenario/scenario-options.ts';

/** The most used flags, in the order of the help page. */
const frequent: readonly string[] = [
  ...['url', 'model', 'agent-id', 'protocol', 'stream', 'concurrency', 'rate', 'sessions', 'duration'],
];

export function takeOverrides(yargs: Argv, accepts: (option: ScenarioOption) => boolean): Argv {
  const taken = scenarioOptions
    .filter((option) => accepts(option))
    .flatMap((option) => {
      const { flag, flagMeaning, meaning, alias } = option;
      if (flag === undefined) return [];
      return [
        { option, flag, meaning: flagMeaning ?? meaning },
        ...(alias === undefined ? [] : [{ option, ...alias }]),
      ];
    });
  const [first, rest] = [true, false].map((isFirst) => taken.filter(({ flag }) => frequent.includes(flag) === isFirst));
  first?.sort((a, b) => frequent.indexOf(a.flag) - frequent.indexOf(b.flag));
  for (const { option, flag, meaning } of [...(first ?? []), ...(rest ?? [])])
    yargs.option(flag, {
      type: typeOf(option),
      // One value per flag: a list would consume the path of the scenario.
      ...(isRepeated(option) ? { array: true, nargs: 1 } : { requiresArg: typeOf(option) !== 'boolean' }),
      group: frequent.includes(flag) ? mostUsed : overrides,
      describe: `${meaning.replaceAll('`', '').replace(/\.$/, '')} [${environmentName(option) ?? ''}]`,
    });
  return yargs.option('help-all', { type: 'boolean', describe: 'Show all options' });
}

function typeOf({ takes }: ScenarioOption): 'number' | 'boolean' | 'string' {
  if (takes === 'switch' || takes === 'off-switch') return 'boolean';
  return takes === 'number' ? 'number' : 'string';
}
