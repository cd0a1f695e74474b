import { isObject, valueAt } from '../base/is-object.ts';
import { openLoadKeys } from '../scenario/load-options.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import type { ReadTlsFiles, Plan } from './plan.ts';

/** Source of an option's value; later ones win. */
export type Origin = 'default' | 'file' | 'environment' | 'flag';

/** Reports whether a value was set outside the file. */
export function isAround(origin: Origin | undefined): boolean {
  return origin === 'flag' || origin === 'environment';
}

/** Values set outside the file: flags and environment variables, by name. */
export interface Surroundings {
  flags: Readonly<Record<string, unknown>>;
  environment: Readonly<Record<string, string | undefined>>;
  /** `false` if no scenario file was given. Default true. */
  hasFile?: boolean;
  /** Folder of the scenario file, in which `target.start` runs. */
  folder?: string;
  /** Reads the files that `target.tls` names. */
  readTlsFiles?: ReadTlsFiles;
  /** Reads the file of prices, and parses its JSON. Throws. */
  readPrices?: (file: string, isInScenario: boolean) => unknown;
  /** Returns the problems of gates as written, which may have any form. */
  problemsOfGates?: (gates: unknown) => ScenarioProblem[];
}

interface Overlaid {
  /** The file's object, overlaid with flags and environment. The file's own object is not changed. */
  scenario: Record<string, unknown>;
  origins: Readonly<Record<string, Origin>>;
}

/** Returns the environment name of an option, if it has one. */
export function environmentName(option: ScenarioOption): string | undefined {
  return option.environment ?? (option.flag && `CHAT_LOAD_${option.flag.replaceAll('-', '_').toUpperCase()}`);
}

/** Lays environment and flags over the author's object: flags win over the environment, the environment over the file. */
export function overlay(author: Record<string, unknown>, around: Surroundings): Overlaid {
  let scenario = author;
  const origins: Record<string, Origin> = {};
  for (const option of scenarioOptions) {
    const path = option.name.split('.');
    if (usedOnly.test(option.name) && !isSet(scenario, path.slice(0, -1))) continue;
    const given = givenAround(option, isOverruled(option, around) ? { ...around, environment: {} } : around);
    origins[option.name] = given?.from ?? (isSet(scenario, path) ? 'file' : 'default');
    if (given === undefined) continue;
    const value = option.adds?.(valueAt(scenario, path), given.value as readonly unknown[]) ?? given.value;
    scenario = withValue(scenario, path, value);
  }
  return withOneAuth(withOneLoad({ scenario, origins }));
}

/** The environment may contain credentials that this scenario does not use. */
const usedOnly = /^target\.auth\.(?:oauth\.clientSecret|sigv4\..+)$/;

/** Replaces the file's authorization with a command from flags or environment. */
function withOneAuth({ scenario, origins }: Overlaid): Overlaid {
  const path = ['target', 'auth'];
  if (!isAround(origins['target.auth.command'])) return { scenario, origins };
  return { scenario: withValue(scenario, path, { command: valueAt(scenario, [...path, 'command']) }), origins };
}

/** Reports whether a flag overrules the environment's level because it belongs to the other load model. */
const isOverruled = ({ flag }: ScenarioOption, { flags }: Surroundings): boolean =>
  (flag === 'concurrency' && flags['rate'] !== undefined) || (flag === 'rate' && flags['concurrency'] !== undefined);

/** Replaces the file's stages, its level of the other model and that model's options with a level from flags or environment. */
function withOneLoad({ scenario, origins }: Overlaid): Overlaid {
  const levels = ['concurrency', 'sessionsPerSecond'] as const;
  const isGiven = (level: string): boolean => isAround(origins[`load.${level}`]);
  const { load } = scenario;
  if (!isObject(load) || !levels.some(isGiven)) return { scenario, origins };
  const replaced = ['stages', ...levels, ...(isGiven('concurrency') ? openLoadKeys : [])];
  const kept = Object.entries(load).filter(([key]) => !replaced.includes(key) || isGiven(key));
  return { scenario: { ...scenario, load: Object.fromEntries(kept) }, origins };
}

function givenAround(option: ScenarioOption, around: Surroundings): { value: unknown; from: Origin } | undefined {
  const flag = givenFlag(option, around.flags);
  if (flag !== undefined) return { value: ofFlag(around.flags[flag], option), from: 'flag' };
  const name = environmentName(option);
  const text = name === undefined ? undefined : around.environment[name];
  if (text === undefined || (text === '' && option.ifEmpty === undefined)) return undefined;
  return { value: text === '' ? text : readText(text, option.takes), from: 'environment' };
}

/** Returns the flag that sets an option, by the name that was used. */
export function givenFlag({ flag, alias }: ScenarioOption, flags: Surroundings['flags']): string | undefined {
  return [flag, alias?.flag].find((name) => name !== undefined && flags[name] !== undefined);
}

/** Returns the value of a named option from flags or environment; `undefined`: neither sets it. */
export function givenBeside(name: string, around: Surroundings): unknown {
  const option = scenarioOptions.find((each) => each.name === name);
  return option === undefined ? undefined : givenAround(option, around)?.value;
}

/** Reports whether an option's flag is repeatable. */
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

/** Returns the flags that resolve a scenario as in a plan: values from flags and environment, without the key. */
export function flagsOfPlan(plan: Pick<Plan, 'options'>): Record<string, unknown> {
  return Object.fromEntries(
    givenOptions(plan).flatMap(({ option: { flag }, value }) => (flag === undefined ? [] : [[flag, value]])),
  );
}

/**
 * Returns environment variables for flags that no plan contains because they may be secret: for processes on this
 * machine only.
 */
export function variablesOfFlags(flags: Readonly<Record<string, unknown>>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const option of scenarioOptions) {
    const given = option.flag === undefined ? undefined : flags[option.flag];
    const name = environmentName(option);
    if (given === undefined || name === undefined || (option.content !== true && option.secret !== true)) continue;
    const texts = [given].flat().map(String);
    variables[name] = texts.join(option.takes === 'lines' ? '\n' : ',');
  }
  return variables;
}

/** Returns the options set by flags or the environment, except the key. */
function givenOptions({ options }: Pick<Plan, 'options'>): { option: ScenarioOption; value: unknown }[] {
  return scenarioOptions.flatMap((option) => {
    const given = options[option.name];
    // Plans do not echo these options: a plan that contains one is forged.
    if (option.secret === true || option.content === true || given === undefined || !isAround(given.from)) return [];
    if (option.content === 'of_file' && typeof given.value !== 'string') return [];
    // In the form of its flag.
    return [{ option, value: option.takes === 'off-switch' ? given.value === false : given.value }];
  });
}
