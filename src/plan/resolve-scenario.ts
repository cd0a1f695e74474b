import { protocolName, protocols } from '../protocol/registry/registry.ts';
import type { ChatLoadError } from '../base/errors.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import type { ProxyServer } from '../base/proxy-server.ts';
import { isObject, valueAt } from '../base/is-object.ts';
import { Secrets, environmentSecrets } from '../base/secrets.ts';
import { plainCopy } from '../scenario/plain-copy.ts';
import type { ReadAuth } from '../scenario/auth-options.ts';
import { areNamed } from '../scenario/retry-options.ts';
import { readScenario } from '../scenario/read-scenario.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { type Access, keepAuthSecrets, resolveAuth, type ResolvedAuth } from './resolve-auth.ts';
import {
  correctTarget,
  firstProblem,
  invalid,
  nameSource,
  namesAnother,
  problemsOfGiven,
  strangeModel,
} from './given-problems.ts';
import { isAround, overlay, type Origin, type Surroundings } from './overlay.ts';
import { type Plan, passphraseVariable, tlsFileNames, type TlsFiles } from './plan.ts';
import { planOf } from './plan-of.ts';
import { headerSecrets } from './header-script.ts';
import { compileScript, type Script, withMessages } from './script.ts';
import { pricingOf } from './prices.ts';
import { resolvePrices } from './resolve-prices.ts';
import { resolveReplay, type ResolvedReplay } from './replay.ts';
import type { ReadPrices } from '../scenario/price-options.ts';
import type { ReadTls } from '../scenario/tls-options.ts';
import { keepCredentials, resolveProxy, resolveTokenProxy } from './resolve-proxy.ts';
import { planSession } from './session-plan.ts';

interface StartCommand {
  command: readonly string[];
  folder: string;
}

/** A resolved scenario: the JSON-safe plan, the compiled script, and the authorization, which is in neither. */
export interface ResolvedScenario {
  plan: Plan;
  script: Script;
  /**
   * Credential of requests: the API key or its replacement; '' if there is none, or if it is obtained before the start.
   */
  apiKey: string;
  /** Authorization of requests. */
  auth: ResolvedAuth;
  /** Renewed credential, after it was obtained. */
  access?: Access | undefined;
  /** Secrets that must never be written: the key, and those learned during the run. */
  secrets: Secrets;
  /** Proxy for requests, with its credentials. */
  proxy: ProxyServer | undefined;
  /** Proxy for token requests to an OAuth server. */
  tokenProxy: ProxyServer | undefined;
  /** Contents of the files in `target.tls`; `undefined`: they were not read. */
  tlsFiles: TlsFiles | undefined;
  /** Options of the embedded service, its keys included; `undefined` for another target. */
  embedded: ReadScenario['embedded'] | undefined;
  /** Options of the model service next to the run, its keys included; `undefined`: none. */
  model: ReadScenario['model'];
  /** Prices of model calls; `undefined`: they are not priced. */
  modelPrices: ReadPrices | undefined;
  /** Command that starts the agent under test, and its folder; `undefined`: it runs already. */
  start: StartCommand | undefined;
  /** Corrections of the user's input. */
  notes: readonly string[];
}

/**
 * Resolves an author's object with flags and environment. Throws a usage error that lists every problem with its path;
 * `file` is the scenario's name in it.
 */
export function resolveScenario(given: unknown, around: Surroundings, file = 'the scenario'): ResolvedScenario {
  const { copy: author, problems: unreadable } = plainCopy(given);
  if (unreadable.length > 0) throw invalid(file, unreadable);
  if (typeof author !== 'object' || author === null || Array.isArray(author))
    throw invalid(file, [{ path: '', message: 'the default export must be defineScenario({ ... })' }]);
  const overlaid = correctTarget(overlay(author as Record<string, unknown>, around));
  const { origins, note, problem } = overlaid;
  const scenario = withStream(overlaid.scenario);
  const refuse = (problems: readonly ScenarioProblem[]): ChatLoadError =>
    invalid(
      file,
      problems.map((each) => nameSource(each, origins, around)),
      around.hasFile,
    );
  const first = firstProblem({ author, scenario, around });
  if (first !== undefined) throw refuse([first]);
  const read = readScenario(withMessages(scenario));
  const lacking = [...(problem === undefined ? [] : [problem]), ...problemsOfGiven({ author, scenario, around })];
  const found = 'problems' in read ? read.problems : [];
  const others = found.filter(({ path }) => lacking.every((each) => each.path !== path));
  const problems: ScenarioProblem[] = [...lacking, ...others, ...(around.problemsOfGates?.(scenario['gates']) ?? [])];
  const readable = 'problems' in read ? read.corrected : read.scenario;
  if (readable === undefined) throw refuse(problems);
  problems.push(...strangeModel(readable, around));
  const script = compileScript(readable, problems);
  const replayed = resolveReplay(readable, !('thinkTime' in author), problems);
  const tlsFiles = resolveTlsFiles(readable.target.tls, { ...around, origins }, problems);
  const prices = resolvePrices(readable.prices, { ...around, origin: origins['prices'] }, problems);
  if (problems.length > 0) throw refuse(problems);
  const target = resolveTarget(readable, { author, origins });
  const options = echoOptions(withStream(overlaid.echoed), origins);
  const proxy = resolveProxy(readable.target, around);
  const tokenProxy = resolveTokenProxy(readable.target, around);
  const identity = target.auth === undefined ? undefined : script.identity;
  const same = resolveAuth(target.auth, { apiKey: target.apiKey, protocol: readable.target.protocol });
  const auth = identity === undefined ? same : { ...same, credential: '', isBySession: true };
  const settling = { agentId: target.agentId, auth: auth.kind, proxy: proxy?.name ?? null, options, replayed, prices };
  const plan = planOf(readable, settling);
  const embedded = plan.target.baseUrl === null ? readable.embedded : undefined;
  const secrets = new Secrets(target.apiKey, headerSecrets(script.headers));
  keepAuthSecrets(secrets, target.auth, auth);
  keepCredentials(secrets, proxy);
  keepCredentials(secrets, tokenProxy);
  // The agent that the scenario starts has this environment, and may quote it in its replies.
  if (readable.target.start !== undefined)
    for (const secret of environmentSecrets(around.environment)) secrets.pass(secret);
  // `X-Customer: process.env.CUSTOMER_TOKEN`: the variable shows what the name of the header does not.
  const sent = JSON.stringify(script.headers.constant);
  for (const secret of environmentSecrets(around.environment))
    if (sent.includes(JSON.stringify(secret).slice(1, -1))) secrets.settle(secret);
  readable.model?.keys?.forEach((key) => secrets.settle(key));
  if (tlsFiles?.passphrase !== undefined) secrets.settle(tlsFiles.passphrase);
  return {
    plan: freezeDeep(plan),
    script: {
      ...withReplay(withIdentity(script, identity), replayed),
      // With a model service, its calls have the cost; sources are never added.
      prices: prices && readable.model === undefined ? pricingOf(prices, target.agentId) : undefined,
    },
    apiKey: auth.credential,
    auth,
    secrets,
    proxy,
    tokenProxy,
    tlsFiles,
    embedded,
    model: readable.model,
    modelPrices: readable.model && prices,
    start: readable.target.start && { command: readable.target.start, folder: around.folder ?? '.' },
    notes: note === undefined ? [] : [note],
  };
}

/** Reports whether a protocol only streams: a named one, or a definition without `reply` or over WebSocket. */
function onlyStreams(protocol: unknown): boolean {
  const named = protocolName(protocol);
  if (named !== undefined) return protocols[named].protocol.streamsOnly === true;
  if (!isObject(protocol)) return false;
  return protocol['transport'] !== undefined || (protocol['reply'] === undefined && protocol['stream'] !== undefined);
}

/** Streams by default if the protocol only streams. */
function withStream(scenario: Record<string, unknown>): Record<string, unknown> {
  const { target } = scenario;
  if (!isObject(target) || target['stream'] !== undefined || !onlyStreams(target['protocol'])) return scenario;
  return { ...scenario, target: { ...target, stream: true } };
}

interface Given {
  /** The object of the file alone. */
  author: object;
  origins: Readonly<Record<string, Origin>>;
}

/** Reads the files of `target.tls`; `undefined` if no reader is available. */
function resolveTlsFiles(
  tls: ReadTls,
  { readTlsFiles, environment, origins }: Surroundings & Pick<Given, 'origins'>,
  problems: ScenarioProblem[],
): TlsFiles | undefined {
  if (tlsFileNames.every((name) => tls[name] === undefined)) return {};
  const passphrase = environment[passphraseVariable];
  const read = readTlsFiles?.({
    tls,
    isInScenario: (name) => origins[`target.tls.${name}`] === 'file',
    passphrase: passphrase === '' ? undefined : passphrase,
  });
  problems.push(...(read?.problems ?? []));
  return read?.files;
}

/**
 * Resolves agent and key. The embedded service has its own agents and keys; settings for another service are ignored.
 */
function resolveTarget(
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

/** Adds a session's credential to its request headers. */
const withIdentity = (script: Script, identity: Script['identity']): Script =>
  identity === undefined
    ? script
    : { ...script, headers: { ...script.headers, rendered: [identity, ...script.headers.rendered] } };

function withReplay(script: Script, replayed: ResolvedReplay | undefined): Script {
  if (replayed === undefined) return script;
  const { replay, turns, thinkTime } = replayed;
  return { ...script, replay, turns, thinkTime };
}

/** Returns the resolved values and their sources. Several named policies are echoed whole. */
function echoOptions(author: Record<string, unknown>, origins: Readonly<Record<string, Origin>>): Plan['options'] {
  const isSingle = !areNamed(author['retry']) && author['retry'] !== 'none';
  const rows = scenarioOptions
    .filter(({ name }) => isSingle || !name.startsWith('retry.'))
    .filter(({ name }) => author['model'] !== undefined || !name.startsWith('model.'))
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

/** Returns the scenario with its first session's authorization for all requests: for single exchanges without sessions. */
export function withFirstIdentity(resolved: ResolvedScenario): ResolvedScenario {
  const { script, auth, secrets } = resolved;
  const { identity, headers } = script;
  if (identity === undefined || !auth.isBySession) return resolved;
  const alone = { ...script, headers: { constant: {}, rendered: [identity] } };
  const { text, secrets: found } = planSession(alone, 1).headers(1);
  found.forEach((secret) => secrets.pass(secret));
  const value = text.slice(`${identity.name}: `.length).trimEnd();
  const rendered = headers.rendered.filter((part) => part !== identity);
  const scheme = Object.values(auth.authorize('')).join('');
  return {
    ...resolved,
    apiKey: value.slice(scheme.length),
    auth: { ...auth, isBySession: false },
    script: { ...script, identity: undefined, headers: { ...headers, rendered } },
  };
}
