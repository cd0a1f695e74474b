import { ChatLoadError } from '../base/errors.ts';
import { isObject, valueAt } from '../base/is-object.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { protocolName, protocols } from '../protocol/registry/registry.ts';
import { recognizeUrl } from '../scenario/recognize-url.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { lacksScheme, refusedHost } from './host-names.ts';
import { environmentName, givenFlag, type Origin, type Surroundings } from './overlay.ts';
import { scenarioOptions } from '../scenario/scenario-options.ts';

interface Given {
  scenario: Record<string, unknown>;
  origins: Readonly<Record<string, Origin>>;
}

interface Corrected extends Given {
  /** The base URL as given, with the protocol that it names: documents echo it. */
  echoed: Record<string, unknown>;
  /** Description of the correction, for the user; `undefined` if nothing was corrected. */
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
  const given = protocolName(protocol);
  const recognized = typeof baseUrl === 'string' ? recognizeUrl(baseUrl, { named: given }) : undefined;
  if (recognized === undefined || messagesPath !== undefined) return asGiven;
  if (protocol !== undefined && given === undefined) return asGiven;
  const { path, agentId, messagesPath: other } = recognized;
  const named = target['agentId'] === undefined && agentId !== undefined ? { agentId } : {};
  if (given !== undefined && given !== recognized.protocol) {
    const message = `ends in ${path}, a path of ${recognized.protocol}, but the protocol is ${given}: omit that path, or the protocol`;
    return { ...asGiven, problem: { path: 'target.baseUrl', message } };
  }
  const corrected = {
    ...target,
    baseUrl: recognized.baseUrl,
    protocol: recognized.protocol,
    ...named,
    ...(other === undefined ? {} : { messagesPath: other }),
  };
  const taken = [
    recognized.baseUrl,
    ...(given === undefined ? [`the protocol ${recognized.protocol}`] : []),
    ...(agentId !== undefined && 'agentId' in named ? [`the model ${agentId}`] : []),
  ];
  const note = `The base URL ends in ${path}, a path of ${recognized.protocol}: using ${listed(taken)}.`;
  return {
    scenario: { ...scenario, target: corrected },
    origins: given === undefined ? { ...origins, 'target.protocol': origins['target.baseUrl'] ?? 'file' } : origins,
    echoed: { ...scenario, target: { ...target, ...named, protocol: recognized.protocol } },
    note,
  };
}

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((text) => text !== '').join(' and ');

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

/** Returns a problem that is reported alone, because others may follow from it. */
export function firstProblem({ author, scenario, around: { flags } }: GivenScenario): ScenarioProblem | undefined {
  const baseUrl = valueAt(scenario, ['target', 'baseUrl']);
  const lacking = typeof baseUrl === 'string' ? lacksScheme(baseUrl) : undefined;
  if (lacking !== undefined) return { path: 'target.baseUrl', message: lacking };
  // The flag would replace the protocol of that name, which the file itself defines.
  const name = valueAt(author, ['target', 'protocol', 'name']);
  if (typeof name !== 'string' || flags['protocol'] !== name) return undefined;
  return { path: 'target.protocol', message: `${name} is the protocol defined in the file: omit the flag` };
}

const setKey = 'set CHAT_LOAD_API_KEY in the environment';

/** Returns missing options that every service except the embedded one requires. An agent that is set but empty is reported as empty. */
function missingOptions({ scenario, around: { hasFile = true } }: GivenScenario): ScenarioProblem[] {
  if (!namesAnother(scenario) || !isObject(scenario['target'])) return [];
  const { protocol, agentId, apiKey, auth, baseUrl } = scenario['target'];
  const problems: ScenarioProblem[] = [];
  const report = (option: string, remedy: string): void => {
    problems.push({ path: `target.${option}`, message: `is required with a base URL: ${remedy}` });
  };
  if (agentId === undefined && needsAgent(protocol))
    report('agentId', `${hasFile ? 'set it in the file or with' : 'set'} ${flagOf(protocol)}`);
  if (auth === undefined && apiKey === '' && hasFile)
    problems.push({
      path: 'target.apiKey',
      message: `is empty: set the environment variable that the file reads, or ${setKey.slice(4)}`,
    });
  else if (auth === undefined && (apiKey === undefined || apiKey === ''))
    report(
      'apiKey',
      hasFile
        ? `${setKey}, or target.auth: 'none' if the service needs none (other methods: docs/reference/authentication.md)`
        : `${setKey} (any text, if the service needs none), or use --token-command`,
    );
  const host = problems.length === 0 ? undefined : hostToAllow(baseUrl, scenario['allowHosts']);
  if (host !== undefined)
    problems.push({
      path: 'allowHosts',
      message: `does not contain ${host}: if you may load it, use --allow-host ${host}`,
    });
  return problems;
}

/** Returns a host that is not allowed. It is reported with missing options, because its own check follows later. */
function hostToAllow(baseUrl: unknown, allowHosts: unknown): string | undefined {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return undefined;
  const texts: readonly unknown[] = Array.isArray(allowHosts) ? allowHosts : [];
  return refusedHost({
    target: { baseUrl, unixSocket: null, resolve: null },
    allowHosts: texts.filter((each) => typeof each === 'string'),
  });
}

/** Returns all problems with the input that the schema does not find. */
export function problemsOfGiven(given: GivenScenario): ScenarioProblem[] {
  return [...twiceGiven(given.around), ...emptyOptions(given.scenario), ...missingOptions(given)];
}

/** Reports whether requests need an agent: a custom protocol needs one only if a text in it names the agent. */
function needsAgent(protocol: unknown): boolean {
  const named = protocolName(protocol);
  if (named !== undefined) return protocols[named].protocol.mayLackAgent !== true;
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

/** Reports options that are present but empty. */
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
