import { ChatLoadError } from '../base/errors.ts';
import { isObject, valueAt } from '../base/is-object.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { protocolName, protocols } from '../protocol/registry/registry.ts';
import { recognizeUrl } from '../scenario/recognize-url.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { lacksScheme } from './host-names.ts';
import { environmentName, givenFlag, type Origin, type Surroundings } from './overlay.ts';
import { scenarioOptions } from '../scenario/scenario-options.ts';

interface Given {
  scenario: Record<string, unknown>;
  origins: Readonly<Record<string, Origin>>;
}

interface Corrected extends Given {
  /** The base URL as given, with the protocol that it names: documents echo it. */
  echoed: Record<string, unknown>;
  /** Description of the correction, for the user; `undefined`: nothing was corrected. */
  note?: string;
  problem?: ScenarioProblem;
}

/**
 * Corrects a base URL that ends in the path of a named protocol, and takes the protocol from it if none was given. URLs
 * of custom protocols, and URLs with a `messagesPath`, stay unchanged.
 */
export function correctTarget({ scenario, origins }: Given): Corrected {
  const asGiven = { scenario, origins, echoed: scenario };
  const { target } = scenario;
  if (!isObject(target)) return asGiven;
  const { baseUrl, protocol, messagesPath } = target;
  const recognized = typeof baseUrl === 'string' ? recognizeUrl(baseUrl) : undefined;
  if (recognized === undefined || messagesPath !== undefined) return asGiven;
  const given = protocolName(protocol);
  if (protocol !== undefined && given === undefined) return asGiven;
  const { path, messagesPath: unversioned } = recognized;
  if (given !== undefined && given !== recognized.protocol) {
    const message = `ends in ${path}, a path of ${recognized.protocol}, but the protocol is ${given}: omit that path, or the protocol`;
    return { ...asGiven, problem: { path: 'target.baseUrl', message } };
  }
  const corrected = {
    ...target,
    baseUrl: recognized.baseUrl,
    protocol: recognized.protocol,
    ...(unversioned === undefined ? {} : { messagesPath: unversioned }),
  };
  const taken = given === undefined ? ` and the protocol ${recognized.protocol}` : '';
  const note = `The base URL ends in ${path}, a path of ${recognized.protocol}: using ${recognized.baseUrl}${taken}.`;
  return {
    scenario: { ...scenario, target: corrected },
    origins: given === undefined ? { ...origins, 'target.protocol': origins['target.baseUrl'] ?? 'file' } : origins,
    echoed: { ...scenario, target: { ...target, protocol: recognized.protocol } },
    note,
  };
}

/** Reports whether a scenario aims at a service other than the embedded one. */
export function namesAnother(author: object): boolean {
  return isIn(valueAt(author, ['target']), 'baseUrl') && valueAt(author, ['target', 'baseUrl']) !== 'embedded';
}

/** Input of the checks before the scenario is read: `author` is only the file's object. */
interface GivenScenario {
  author: object;
  scenario: Record<string, unknown>;
  around: Surroundings;
}

/** Checks by the path of an option; each returns the problem with its value, or `undefined`. */
type Rules = Readonly<Record<string, (given: GivenScenario) => string | undefined>>;

const problemsBy = (rules: Rules, given: GivenScenario): ScenarioProblem[] =>
  Object.entries(rules).flatMap(([path, rule]) => {
    const message = rule(given);
    return message === undefined ? [] : [{ path, message }];
  });

/** Problems that are reported alone, because others may follow from them. */
const firstRules: Rules = {
  'target.baseUrl': ({ scenario }) => {
    const baseUrl = valueAt(scenario, ['target', 'baseUrl']);
    return typeof baseUrl === 'string' ? lacksScheme(baseUrl) : undefined;
  },
  // A flag that names the protocol that the file itself defines, which it would replace.
  'target.protocol': ({ author, around: { flags } }) => {
    const name = valueAt(author, ['target', 'protocol', 'name']);
    return typeof name === 'string' && flags['protocol'] === name
      ? `${name} is the protocol defined in the file: omit the flag`
      : undefined;
  },
};

export function firstProblem(given: GivenScenario): ScenarioProblem | undefined {
  return problemsBy(firstRules, given)[0];
}

const setKey = 'set CHAT_LOAD_API_KEY in the environment';

/** Options required by every service except the embedded one. An agent that is set but empty is reported as empty. */
const needs: Rules = {
  'target.agentId': ({ scenario, around: { hasFile = true } }) => {
    const protocol = valueAt(scenario, ['target', 'protocol']);
    if (valueAt(scenario, ['target', 'agentId']) !== undefined || !needsAgent(protocol)) return undefined;
    return `is required with a base URL: ${hasFile ? 'set it in the file or with' : 'set'} ${flagOf(protocol)}`;
  },
  'target.apiKey': ({ scenario, around: { hasFile = true } }) => {
    const apiKey = valueAt(scenario, ['target', 'apiKey']);
    if (valueAt(scenario, ['target', 'auth']) !== undefined || (apiKey !== undefined && apiKey !== ''))
      return undefined;
    return hasFile
      ? `is required with a base URL: ${setKey}, or target.auth: 'none' if the service needs none (other methods: docs/reference/authentication.md)`
      : `is required with a base URL: ${setKey} (any text, if the service needs none), or use --token-command`;
  },
};

/** Returns all problems with the input except those that the schema finds. */
export function problemsOfGiven(given: GivenScenario): ScenarioProblem[] {
  const { scenario, around } = given;
  return [
    ...twiceGiven(around),
    ...emptyOptions(scenario),
    ...(namesAnother(scenario) ? problemsBy(needs, given) : []),
  ];
}

/** Reports whether requests need an agent: a custom protocol needs one only if a text in it names the agent. */
function needsAgent(protocol: unknown): boolean {
  if (!isObject(protocol)) return true;
  const headers = valueAt(protocol, ['message', 'headers']);
  const paths = ['createSession', 'message'].map((part) => valueAt(protocol, [part, 'path']));
  return [...paths, ...(isObject(headers) ? Object.values(headers) : [])].some(
    (text) => typeof text === 'string' && text.includes('{{agentId}}'),
  );
}

function flagOf(protocol: unknown): string {
  const named = protocolName(protocol);
  if (named !== undefined && protocols[named].protocol.agentsOnly !== true) return '--model';
  return protocol === undefined ? '--agent-id (--model for an API of models)' : '--agent-id';
}

/** Options that are there but empty, and were meant to be something. */
function emptyOptions(scenario: Record<string, unknown>): ScenarioProblem[] {
  return scenarioOptions.flatMap(({ name, ifEmpty, ifUndefined }) => {
    const path = name.split('.');
    const value = valueAt(scenario, path);
    const holder = valueAt(scenario, path.slice(0, -1));
    const isEmpty = value === '' || (value === undefined && ifUndefined === 'empty' && isIn(holder, path.at(-1)));
    if (ifEmpty === undefined || !isEmpty) return [];
    const seen = `is set but ${value === '' ? 'empty' : 'undefined'}`;
    const message = `${seen}: most likely from an environment variable that is not set. Set the variable, or ${ifEmpty}`;
    return [{ path: name, message }];
  });
}

/** Reports whether a key is present, whatever its value. */
function isIn(holder: unknown, key = ''): boolean {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key);
}

/** Reports options that were set by two flags. */
const twiceGiven = ({ flags }: Surroundings): ScenarioProblem[] =>
  scenarioOptions.flatMap(({ flag, alias }) =>
    flag === undefined || alias === undefined || flags[flag] === undefined || flags[alias.flag] === undefined
      ? []
      : [{ path: `--${alias.flag}`, message: `sets the same option as --${flag}: use one of them` }],
  );

/** Reports a `--model` flag for a protocol that only has agents. */
export function strangeModel({ target: { protocol } }: ReadScenario, { flags }: Surroundings): ScenarioProblem[] {
  if (flags['model'] === undefined || protocol.agentsOnly !== true) return [];
  const message = `${protocol.name} has agents, not models: use --agent-id, or choose a --protocol with models`;
  return [{ path: '--model', message }];
}

/** Returns a problem under the name of the flag or environment variable that set the value. */
export function nameSource(
  problem: ScenarioProblem,
  origins: Readonly<Record<string, Origin>>,
  { flags }: Surroundings,
): ScenarioProblem {
  const option = scenarioOptions.find(({ name }) => name === problem.path);
  const from = origins[problem.path];
  const flag = option === undefined ? undefined : givenFlag(option, flags);
  if (flag !== undefined && from === 'flag') return { ...problem, path: `--${flag}` };
  return from === 'environment' && option ? { ...problem, path: environmentName(option) ?? problem.path } : problem;
}

/** Returns the error for a scenario that cannot be run, with all of its problems. */
export function invalid(file: string, problems: readonly ScenarioProblem[], hasFile = true): ChatLoadError {
  const lines = problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  const fields = hasFile
    ? 'docs/reference/options.md explains every field; so does the editor, through defineScenario.'
    : 'docs/reference/options.md explains every option.';
  return new ChatLoadError('usage', {
    message: `${file} cannot be run:\n${lines.join('\n')}`,
    hint: `Nothing was sent. ${fields}`,
  });
}
