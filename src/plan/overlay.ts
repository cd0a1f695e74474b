import { isObject, valueAt } from '../base/is-object.ts';
import { openLoadKeys } from '../scenario/load-options.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import type { ReadTlsFiles, Plan } from './plan.ts';

/** Where the value of an option came from; later ones win. */
export type Origin = 'default' | 'file' | 'environment' | 'flag';

/** Whether a value was given beside the file. */
export function isAround(origin: Origin | undefined): boolean {
  return origin === 'flag' || origin === 'environment';
}

/** What was given beside the file: flags by their names, environment variables by theirs. */
export interface Surroundings {
  flags: Readonly<Record<string, unknown>>;
  environment: Readonly<Record<string, string | undefined>>;
  /** `false` if no scenario file was given. Default true. */
  hasFile?: boolean;
  /** Reads the files that `target.tls` names. */
  readTlsFiles?: ReadTlsFiles;
}

interface Overlaid {
  /** The file's object with flags and environment written over it. The file's own object is left as it was. */
  scenario: Record<string, unknown>;
  origins: Readonly<Record<string, Origin>>;
}

/** The environment name of an option, where it has one. */
export function environmentName(option: ScenarioOption): string | undefined {
  return option.environment ?? (option.flag && `CHAT_LOAD_${option.flag.replaceAll('-', '_').toUpperCase()}`);
}

/** Lays environment and flags over the author's object: flags win over the environment, the environment over the file. */
export function overlay(author: Record<string, unknown>, around: Surroundings): Overlaid {
  let scenario = author;
  const origins: Record<string, Origin> = {};
  for (const option of scenarioOptions) {
    const path = option.name.split('.');
    if (option.name === clientSecret && !isSet(scenario, path.slice(0, -1))) continue;
    const given = givenAround(option, isOverruled(option, around) ? { ...around, environment: {} } : around);
    origins[option.name] = given?.from ?? (isSet(scenario, path) ? 'file' : 'default');
    if (given === undefined) continue;
    const value = option.adds?.(valueAt(scenario, path), given.value as readonly unknown[]) ?? given.value;
    scenario = withValue(scenario, path, value);
  }
  return { scenario: withOneAuth(withOneLoad(scenario, origins), origins), origins };
}

/** The environment may hold the secret of a client that this scenario has nothing to do with. */
const clientSecret = 'target.auth.oauth.clientSecret';

/** A command given around the file takes the place of what the file says of authorization. */
function withOneAuth(
  scenario: Record<string, unknown>,
  origins: Readonly<Record<string, Origin>>,
): Record<string, unknown> {
  const path = ['target', 'auth'];
  if (!isAround(origins['target.auth.command'])) return scenario;
  return withValue(scenario, path, { command: valueAt(scenario, [...path, 'command']) });
}

/** Whether the level that the environment may give is of the other model than that of a flag. */
const isOverruled = ({ flag }: ScenarioOption, { flags }: Surroundings): boolean =>
  (flag === 'concurrency' && flags['rate'] !== undefined) || (flag === 'rate' && flags['concurrency'] !== undefined);

/** A level given around the file takes the place of the file's stages, of its level of the other model, and of what belongs to that. */
function withOneLoad(
  scenario: Record<string, unknown>,
  origins: Readonly<Record<string, Origin>>,
): Record<string, unknown> {
  const levels = ['concurrency', 'sessionsPerSecond'] as const;
  const isGiven = (level: string): boolean => isAround(origins[`load.${level}`]);
  const { load } = scenario;
  if (!isObject(load) || !levels.some(isGiven)) return scenario;
  const replaced = ['stages', ...levels, ...(isGiven('concurrency') ? openLoadKeys : [])];
  const left = Object.entries(load).filter(([key]) => !replaced.includes(key) || isGiven(key));
  return { ...scenario, load: Object.fromEntries(left) };
}

function givenAround(option: ScenarioOption, around: Surroundings): { value: unknown; from: Origin } | undefined {
  const flag = givenFlag(option, around.flags);
  if (flag !== undefined) return { value: ofFlag(around.flags[flag], option), from: 'flag' };
  const name = environmentName(option);
  const text = name === undefined ? undefined : around.environment[name];
  if (text === undefined || (text === '' && option.ifEmpty === undefined)) return undefined;
  return { value: text === '' ? text : readText(text, option.takes), from: 'environment' };
}

/** The flag that sets an option, by the name under which it was given. */
export function givenFlag({ flag, alias }: ScenarioOption, flags: Surroundings['flags']): string | undefined {
  return [flag, alias?.flag].find((name) => name !== undefined && flags[name] !== undefined);
}

/** The value that a flag or the environment gives an option, by the option's name; `undefined`: neither does. */
export function givenBeside(name: string, around: Surroundings): unknown {
  const option = scenarioOptions.find((each) => each.name === name);
  return option === undefined ? undefined : givenAround(option, around)?.value;
}

/** Whether its flag may be given several times. */
export function isRepeated({ takes }: Pick<ScenarioOption, 'takes'>): boolean {
  return takes === 'list' || takes === 'lines';
}

function ofFlag(value: unknown, option: ScenarioOption): unknown {
  if (option.takes === 'off-switch') return !value;
  return isRepeated(option) ? [value].flat() : value;
}

function readText(text: string, takes: ScenarioOption['takes']): unknown {
  if (takes === 'list') return text.split(',').map((each) => each.trim());
  if (takes === 'lines') return text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (takes === 'switch') return text === 'true' || (text === 'false' ? false : text);
  if (takes === 'off-switch') return text === 'false' || (text === 'true' ? false : text);
  return takes === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function isSet(scenario: unknown, path: readonly string[]): boolean {
  const [key = '', ...rest] = path;
  if (!isObject(scenario) || scenario[key] === undefined) return false;
  return rest.length === 0 || isSet(scenario[key], rest);
}

function withValue(at: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path;
  if (rest.length === 0) return { ...at, [key]: value };
  const inner = at[key];
  return { ...at, [key]: withValue(isObject(inner) ? inner : {}, rest, value) };
}

/**
 * The flags that settle a scenario again as a plan was settled: what flags and the environment had said of it. The key is
 * not among them.
 */
export function flagsOfPlan(plan: Pick<Plan, 'options'>): Record<string, unknown> {
  return Object.fromEntries(
    givenOptions(plan).flatMap(({ option: { flag }, value }) => (flag === undefined ? [] : [[flag, value]])),
  );
}

/** The same as variables of the environment. */
export function variablesOfPlan(plan: Pick<Plan, 'options'>): Record<string, string> {
  return Object.fromEntries(
    givenOptions(plan).flatMap(({ option, value }) => {
      const name = environmentName(option);
      return name === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]];
    }),
  );
}

/**
 * Flags as variables, those alone that no plan holds, since they may say what is secret: for the processes of this
 * machine, never for another one.
 */
export function variablesOfFlags(flags: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    scenarioOptions.flatMap((option) => {
      const given = option.flag === undefined ? undefined : flags[option.flag];
      const name = environmentName(option);
      if (given === undefined || name === undefined || (option.content !== true && option.secret !== true)) return [];
      return [
        [
          name,
          [given]
            .flat()
            .map(String)
            .join(option.takes === 'lines' ? '\n' : ','),
        ],
      ];
    }),
  );
}

/** The options that flags or the environment gave, the key aside. */
function givenOptions({ options }: Pick<Plan, 'options'>): { option: ScenarioOption; value: unknown }[] {
  return scenarioOptions.flatMap((option) => {
    const given = options[option.name];
    // No plan echoes the others: one that does is forged.
    if (option.secret === true || option.content === true || given === undefined || !isAround(given.from)) return [];
    if (option.content === 'of_file' && typeof given.value !== 'string') return [];
    // Given as its flag takes it.
    return [{ option, value: option.takes === 'off-switch' ? given.value === false : given.value }];
  });
}
