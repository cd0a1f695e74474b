import { environmentName } from '../../plan/overlay.ts';
import { optionSets } from '../parser/options.ts';
import type { Row } from '../parser/rows.ts';
import { nearestName } from '../../base/unknown-name.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import { redisVariable } from './read-fleet.ts';
import { secretNames } from '../console/secret-names.ts';

/** Every variable of the environment that chat-load reads. */
const known: readonly string[] = [
  ...scenarioOptions.flatMap((option) => environmentName(option) ?? []),
  ...secretNames,
  ...Object.values(optionSets).flatMap((rows) =>
    Object.values<Row<unknown>>(rows).flatMap(({ environment }) => environment ?? []),
  ),
  'CHAT_LOAD_CACHE',
  redisVariable,
  'CHAT_LOAD_REDIS_USERNAME',
];

/** A warning for every variable that is probably meant to be one of those. An author's own variables, unlike any of those, are ignored. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('CHAT_LOAD_') && !known.includes(name))
    .flatMap((name) => {
      const nearest = nearestName(name.slice(prefix.length), shortNames);
      return nearest === undefined ? [] : [`warning: ${name} is not read: did you mean ${prefix}${nearest}?`];
    });
}

const prefix = 'CHAT_LOAD_';
const shortNames = known.map((name) => name.slice(prefix.length));
