import { ChatLoadError } from '../base/errors.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import type { ProxyServer } from '../base/proxy-server.ts';
import { isObject } from '../base/is-object.ts';
import { Secrets } from '../base/secrets.ts';
import { valueAt } from '../base/value-at.ts';
import { plainCopy } from '../scenario/plain-copy.ts';
import type { ReadAuth } from '../scenario/auth-options.ts';
import { areNamed } from '../scenario/retry-options.ts';
import { readScenario } from '../scenario/read-scenario.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import type { Access } from './access.ts';
import { correctTarget } from './correct-target.ts';
import { emptyOptions } from './empty-options.ts';
import { environmentName, givenFlag, isAround, overlay, type Origin, type Surroundings } from './overlay.ts';
import { lackingOf, namesAnother } from './lacking-of.ts';
import { lacksScheme } from './lacks-scheme.ts';
import type { Plan } from './plan.ts';
import { planOf } from './plan-of.ts';
import { headerSecrets } from './header-script.ts';
import { compileScript, type Script } from './script.ts';
import { withMessages } from './made-messages.ts';
import { keepAuthSecrets, settleAuth, type SettledAuth } from './settle-auth.ts';
import { settleReplay, type SettledReplay } from './replay.ts';
import { settleTlsFiles } from './settle-tls-files.ts';
import type { TlsFiles } from './tls-files.ts';
import { keepCredentials, settleProxy, settleTokenProxy } from './settle-proxy.ts';

/** A scenario settled: the JSON-safe plan, the compiled script, and what authorizes, which is in neither. */
export interface Settled {
  plan: Plan;
  script: Script;
  /** What is sent to authorize requests: the API key, or the credential in its place; '' for none, or one that is obtained before the start. */
  apiKey: string;
  /** How it is sent. */
  auth: SettledAuth;
  /** What authorizes them where that is renewed, once it was obtained. */
  access?: Access | undefined;
  /** What nothing that is written may hold: the key, and what a run comes to know. */
  secrets: Secrets;
  /** The proxy that requests go through, with its credentials. */
  proxy: ProxyServer | undefined;
  /** The one that tokens are obtained through, of an OAuth server. */
  tokenProxy: ProxyServer | undefined;
  /** What the files of `target.tls` hold; `undefined`: they were not to be read. */
  tlsFiles: TlsFiles | undefined;
  /** How to start the embedded service, its keys included; `undefined` when the target is another. */
  embedded: ReadScenario['embedded'] | undefined;
  /** Corrections of what was given, for the user. */
  notes: readonly string[];
}

/**
 * Settles an author's object with flags and environment over it. Throws a usage error that lists every problem,
 * each with its path; `file` names the scenario in it.
 */
export function settle(given: unknown, around: Surroundings, file = 'the scenario'): Settled {
  const { copy: author, problems: unreadable } = plainCopy(given);
  if (unreadable.length > 0) throw invalid(file, unreadable);
  if (typeof author !== 'object' || author === null || Array.isArray(author))
    throw invalid(file, [{ path: '', message: 'the default export must be defineScenario({ ... })' }]);
  const overlaid = correctTarget(withStream(overlay(author as Record<string, unknown>, around)));
  const alone = schemelessUrl(overlaid.scenario) ?? ownProtocolNamed(author, around);
  if (alone !== undefined) throw invalid(file, [nameSource(alone, overlaid.origins, around)], around.hasFile);
  const read = readScenario(withMessages(overlaid.scenario));
  const lacking = [
    ...(overlaid.problem === undefined ? [] : [overlaid.problem]),
    ...twiceGiven(around),
    ...emptyOptions(overlaid.scenario),
    ...lackingOf(overlaid.scenario, around),
  ];
  const refuse = (problems: readonly ScenarioProblem[]): ChatLoadError =>
    invalid(
      file,
      problems.map((problem) => nameSource(problem, overlaid.origins, around)),
      around.hasFile,
    );
  if ('problems' in read) {
    const others = read.problems.filter(({ path }) => lacking.every((each) => each.path !== path));
    throw refuse([...lacking, ...others]);
  }
  const problems: ScenarioProblem[] = [...lacking, ...strangeModel(read.scenario, around)];
  const script = compileScript(read.scenario, problems);
  const replayed = settleReplay(read.scenario, { thinkTime: 'thinkTime' in author }, problems);
  const tlsFiles = settleTlsFiles(read.scenario.target.tls, { ...around, origins: overlaid.origins }, problems);
  if (problems.length > 0) throw refuse(problems);
  const target = settleTarget(read.scenario, { author, origins: overlaid.origins });
  const options = echoOptions(overlaid.echoed, overlaid.origins);
  const proxy = settleProxy(read.scenario.target, around);
  const tokenProxy = settleTokenProxy(read.scenario.target, around);
  const identity = target.auth === undefined ? undefined : script.identity;
  const same = settleAuth(target.auth, { apiKey: target.apiKey, protocol: read.scenario.target.protocol });
  const auth = identity === undefined ? same : { ...same, credential: '', isBySession: true };
  const settling = { agentId: target.agentId, auth: auth.kind, proxy: proxy?.name ?? null, options, replayed };
  const plan = planOf(read.scenario, settling);
  const embedded = plan.target.baseUrl === null ? read.scenario.embedded : undefined;
  const secrets = new Secrets(target.apiKey, headerSecrets(script.headers));
  keepAuthSecrets(secrets, target.auth, auth);
  keepCredentials(secrets, proxy);
  keepCredentials(secrets, tokenProxy);
  if (tlsFiles?.passphrase !== undefined) secrets.settle(tlsFiles.passphrase);
  const settled = {
    plan: freezeDeep(plan),
    script: withReplay(withIdentity(script, identity), replayed),
    secrets,
    proxy,
    tokenProxy,
    tlsFiles,
    embedded,
    notes: overlaid.note === undefined ? [] : [overlaid.note],
  };
  return { ...settled, apiKey: auth.credential, auth };
}

/** A base URL without its scheme: it is reported alone, because other problems may follow from it. */
function schemelessUrl({ target }: Record<string, unknown>): ScenarioProblem | undefined {
  const baseUrl = isObject(target) ? target['baseUrl'] : undefined;
  const message = typeof baseUrl === 'string' ? lacksScheme(baseUrl) : undefined;
  return message === undefined ? undefined : { path: 'target.baseUrl', message };
}

/** Streams by default if the protocol, a definition without `reply`, only streams. */
function withStream<Given extends { scenario: Record<string, unknown> }>(given: Given): Given {
  const { target } = given.scenario;
  if (!isObject(target) || target['stream'] !== undefined || !isObject(target['protocol'])) return given;
  const { reply, stream } = target['protocol'];
  if (reply !== undefined || stream === undefined) return given;
  return { ...given, scenario: { ...given.scenario, target: { ...target, stream: true } } };
}

/** A problem of a value from elsewhere is reported under its flag or environment variable. */
function nameSource(
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

/** Two flags for one option. */
const twiceGiven = ({ flags }: Surroundings): ScenarioProblem[] =>
  scenarioOptions.flatMap(({ flag, alias }) =>
    flag === undefined || alias === undefined || flags[flag] === undefined || flags[alias.flag] === undefined
      ? []
      : [{ path: `--${alias.flag}`, message: `sets the same as --${flag}: give one of them` }],
  );

/** A flag that names the protocol that the file itself defines, which it would replace. */
function ownProtocolNamed(author: object, { flags }: Surroundings): ScenarioProblem | undefined {
  const name = valueAt(author, ['target', 'protocol', 'name']);
  if (typeof name !== 'string' || flags['protocol'] !== name) return undefined;
  const message = `${name} is the protocol that the file defines: it is used without the flag`;
  return { path: 'target.protocol', message };
}

/** A model for a protocol that has agents alone. */
const strangeModel = ({ target: { protocol } }: ReadScenario, { flags }: Surroundings): ScenarioProblem[] =>
  flags['model'] === undefined || protocol.agentsOnly !== true
    ? []
    : [
        {
          path: '--model',
          message: `${protocol.name} has agents, not models: give --agent-id, or the --protocol of the models`,
        },
      ];

/** Returns the error for a scenario that cannot be run, with all of its problems. */
export function invalid(file: string, problems: readonly ScenarioProblem[], hasFile = true): ChatLoadError {
  const lines = problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  const fields = hasFile
    ? 'docs/options.md explains every field; so does the editor, through defineScenario.'
    : 'docs/options.md explains every option.';
  return new ChatLoadError('usage', {
    message: `${file} cannot be run:\n${lines.join('\n')}`,
    hint: `Nothing was sent. ${fields}`,
  });
}

interface Given {
  /** The object of the file alone. */
  author: object;
  origins: Readonly<Record<string, Origin>>;
}

/** The embedded service knows its own agents and keys; what is said of another service, here or there, is not for it. */
function settleTarget(
  { target, embedded }: ReadScenario,
  { author, origins }: Given,
): { agentId: string; apiKey: string; auth: ReadAuth | undefined } {
  if (target.baseUrl === undefined) {
    const isOfAnother = namesAnother(author);
    const own = (name: 'apiKey' | 'agentId'): string | undefined => {
      const from = origins[`target.${name}`];
      return from === 'environment' || (from === 'file' && isOfAnother) ? undefined : target[name];
    };
    return {
      agentId: own('agentId') ?? embedded.agents[0]?.id ?? '',
      apiKey: own('apiKey') ?? embedded.keys[0]?.key ?? '',
      auth: isOfAnother && origins['target.auth.command'] !== 'flag' ? undefined : target.auth,
    };
  }
  return { agentId: target.agentId ?? '', apiKey: target.apiKey ?? '', auth: target.auth };
}

/** What authorizes a session is a field of its requests, as headers of the scenario are. */
const withIdentity = (script: Script, identity: Script['identity']): Script =>
  identity === undefined
    ? script
    : { ...script, headers: { ...script.headers, rendered: [identity, ...script.headers.rendered] } };

function withReplay(script: Script, replayed: SettledReplay | undefined): Script {
  if (replayed === undefined) return script;
  const { replay, turns, thinkTime } = replayed;
  return { ...script, replay, turns, thinkTime };
}

/** The settled values and their sources. Several named policies are echoed whole. */
function echoOptions(author: Record<string, unknown>, origins: Readonly<Record<string, Origin>>): Plan['options'] {
  const isSingle = !areNamed(author['retry']) && author['retry'] !== 'none';
  const rows = scenarioOptions
    .filter(({ name }) => isSingle || !name.startsWith('retry.'))
    .map((option) => ({ option, from: origins[option.name] ?? 'default' }))
    .filter(({ option: { content }, from }) => content === undefined || (content === 'of_file' && isAround(from)))
    .map(({ option, from }) => [option.name, { value: echoOf(option, author), from }] as const);
  return Object.fromEntries<Plan['options'][string]>(
    isSingle ? rows : [...rows, ['retry', { value: author['retry'], from: 'file' }]],
  );
}

function echoOf(
  { name, secret, default: ifMissing, without }: ScenarioOption,
  author: Record<string, unknown>,
): unknown {
  const value = valueAt(author, name.split('.'));
  if (secret === true) return value === undefined ? null : '(set)';
  return value ?? ifMissing ?? without ?? null;
}

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freezeDeep);
  }
  return value;
}
