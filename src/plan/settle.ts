import { ChatLoadError } from '../base/errors.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import type { ProxyServer } from '../base/proxy-server.ts';
import { isCredential } from '../base/header-field.ts';
import { Secrets } from '../base/secrets.ts';
import { valueAt } from '../base/value-at.ts';
import { plainCopy } from '../scenario/plain-copy.ts';
import { integrityShape, integrityWordsShape } from '../scenario/integrity-options.ts';
import type { ReadAuth } from '../scenario/auth-options.ts';
import type { ReadList } from '../scenario/data-options.ts';
import { areNamed, budgetShape, retryShape, type SettledPolicy } from '../scenario/retry-options.ts';
import { knownProtocols, protocolNames } from '../scenario/known-protocols.ts';
import { readScenario } from '../scenario/read-scenario.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import { branches, isFromFile } from '../scenario/message-options.ts';
import { scenarioShape } from '../scenario/scenario-shape.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { createShape, targetShape } from '../scenario/target-options.ts';
import type { Access } from './access.ts';
import { tlsShape } from '../scenario/tls-options.ts';
import { correctTarget } from './correct-target.ts';
import { digestOf } from './digest.ts';
import { emptyOptions, isIn } from './empty-options.ts';
import { environmentName, givenFlag, isAround, overlay, type Origin, type Surroundings } from './overlay.ts';
import type { Plan, RetryPolicy } from './plan.ts';
import { headerSecrets } from './header-script.ts';
import { hashedValues, plannedValues } from './planned-options.ts';
import { compileScript, messagesOf, type Script, turnsOf } from './script.ts';
import { isMade, promptLength, withMessages } from './made-messages.ts';
import { keepAuthSecrets, settleAuth, type AuthKind, type SettledAuth } from './settle-auth.ts';
import { settleReplay, type SettledReplay } from './replay.ts';
import { settleTlsFiles } from './settle-tls-files.ts';
import type { TlsFiles } from './tls-files.ts';
import { settleLoad, stagesLength } from './settle-load.ts';
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
  const overlaid = correctTarget(overlay(author as Record<string, unknown>, around));
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

/** What every service but the embedded one requires. An agent that is given but empty is reported as empty. */
function lackingOf(scenario: object, { hasFile = true }: Surroundings): ScenarioProblem[] {
  if (!namesAnother(scenario)) return [];
  const lack = (path: string, remedy: string): ScenarioProblem => ({
    path,
    message: `is required with a base URL: ${remedy}`,
  });
  const [agentId, apiKey, auth, protocol] = ['agentId', 'apiKey', 'auth', 'protocol'].map((name) =>
    valueAt(scenario, ['target', name]),
  );
  const named = protocolNames.find((name) => name === protocol);
  const isModel = named !== undefined && knownProtocols[named].agentsOnly !== true;
  const flag = isModel
    ? '--model'
    : protocol === undefined
      ? '--agent-id (--model for an API of models)'
      : '--agent-id';
  return [
    ...(agentId === undefined
      ? [lack('target.agentId', hasFile ? `give it in the file or with ${flag}` : `give ${flag}`)]
      : []),
    ...(auth === undefined && (apiKey === undefined || apiKey === '')
      ? [
          lack(
            'target.apiKey',
            hasFile
              ? `${setKey}, or give target.auth`
              : `${setKey} (any text, if the service takes none), or give --auth-command`,
          ),
        ]
      : []),
  ];
}

const setKey = 'set CHAT_LOAD_API_KEY in the environment';

/** Whether a scenario aims at a service that is not the embedded one. */
const namesAnother = (author: object): boolean =>
  isIn(valueAt(author, ['target']), 'baseUrl') && valueAt(author, ['target', 'baseUrl']) !== 'embedded';

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

interface Settling {
  agentId: string;
  auth: AuthKind;
  /** Its name. */
  proxy: string | null;
  options: Plan['options'];
  replayed: SettledReplay | undefined;
}

function planOf(scenario: ReadScenario, { agentId, auth, proxy, options, replayed }: Settling): Plan {
  const asRead = plannedValues(scenarioShape, scenario);
  const workload = workloadOf(scenario, replayed);
  const { target, embedded } = scenario;
  const headers = headersIn(target);
  return {
    name: scenario.name,
    hash: hashOf(workload, {
      ...hashedValues(scenarioShape, asRead),
      messageBody: givenIn(target.messageBody),
      headers: givenIn(headers),
    }),
    seed: scenario.seed,
    target: {
      baseUrl: target.baseUrl ?? null,
      agentId,
      auth,
      protocol: target.protocol.name,
      createsSessions: target.protocol.createsSessions(target),
      localAddresses: target.localAddresses ?? [],
      proxy,
      headers,
      createSession: plannedValues(createShape, target.createSession),
      tls: plannedValues(tlsShape, target.tls),
      dnsRefreshMs: target.dnsRefresh || null,
      ...plannedValues(targetShape, target),
    },
    embedded: target.baseUrl === undefined ? withoutKeys(embedded) : null,
    tools: {},
    ...conversationsIn(scenario),
    ...workload,
    ...asRead,
    ...limitsOf(scenario),
    objectiveMs: scenario.objective?.turn ?? null,
    objectiveFirstTokenMs: scenario.objective?.firstToken ?? null,
    objectiveGapMs: scenario.objective?.gap ?? null,
    options,
  };
}

/** Credentials differ from machine to machine and from day to day, and a digest of a short one would tell it. */
const headersIn = ({ headers }: ReadScenario['target']): Plan['target']['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { hash: isCredential(name) ? null : digestOf(value) }]),
  );

/** The fields that came later leave the hash as it was where they are not given: older results stay comparable. */
function hashOf({ abandon, instructions, load, ...workload }: ReturnType<typeof workloadOf>, asRead: object): string {
  return digestOf({
    ...workload,
    ...asRead,
    load: hashedLoad(load),
    abandon: abandon ?? undefined,
    instructions: instructions ?? undefined,
  });
}

/** A trace is known by what it holds, wherever it is. */
const hashedLoad = (load: Plan['load']): object =>
  load.model === 'open' && load.trace !== undefined ? { ...load, trace: { ...load.trace, file: undefined } } : load;

const givenIn = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

/** What is asked of the service, by which results are held to be of the same scenario; with the options that are hashed as they were read. */
const workloadOf = (scenario: ReadScenario, replayed: SettledReplay | undefined) => ({
  durationMs: scenario.duration ?? stagesLength(scenario.load) ?? replayed?.durationMs ?? null,
  turns: replayed?.turns ?? turnsOf(scenario),
  load: settleLoad(scenario.load, replayed),
  thinkTime: replayed?.thinkTime ?? scenario.thinkTime,
  data: mapValues(scenario.data, digestOfList),
  variableValues: mapValues(scenario.variableValues, (value) => ({ hash: digestOf(value) })),
  messages: digestOfMessages(scenario),
  ...(Object.keys(scenario.tools).length === 0
    ? {}
    : { tools: mapValues(scenario.tools, (tool) => ({ hash: digestOf(tool) })) }),
  checks: mapValues(scenario.checks, (check) => ({ hash: digestOf(check) })),
  integrity: settleIntegrity(scenario),
  abandon: scenario.abandon === undefined ? null : { share: scenario.abandon.share, afterMs: scenario.abandon.after },
  instructions: scenario.target.instructions === undefined ? null : { hash: digestOf(scenario.target.instructions) },
  retry: Object.entries(scenario.retry).map(([name, policy]) => policyOf(name, policy)),
});

/** What stops the run or keeps it from starting: not part of what is asked, so not of its hash. */
const limitsOf = ({ gates, cost, stopWhen, ...scenario }: ReadScenario) => ({
  // No data is never green: a run in which nothing went well passes only where its author means it to.
  gates: { ...mapValues(gates, ({ gate }) => gate), 'turns.ok': gates['turns.ok']?.gate ?? '>= 1' },
  abortGates: Object.fromEntries(
    Object.entries(gates).flatMap(([metric, { abortAfterMs: afterMs }]) =>
      afterMs === undefined ? [] : [[metric, { afterMs }]],
    ),
  ),
  confidentGates: Object.keys(gates).filter((metric) => gates[metric]?.isConfident === true),
  allowHosts: scenario.allowHosts ?? [],
  cost: cost === undefined ? null : { hash: digestOf(cost) },
  stopWhen: {
    unusable: stopWhen.unusable || null,
    noSuccessMs: stopWhen.noSuccess || null,
    targetGoneMs: stopWhen.targetGone || null,
  },
});

function settleIntegrity({ integrity, target }: ReadScenario): Plan['integrity'] {
  const { mode, words, transcript } = integrity;
  const usual = target.baseUrl === undefined && mode === 'speak' ? 'conversation' : null;
  return {
    mode,
    words: plannedValues(integrityWordsShape, words),
    transcript: transcript === undefined ? usual : transcript,
    ...plannedValues(integrityShape, integrity),
  };
}

const policyOf = (name: string, policy: SettledPolicy): RetryPolicy => ({
  name,
  classes: policy.classes,
  ...plannedValues(retryShape, policy),
  budget: policy.budget === undefined ? null : plannedValues(budgetShape, policy.budget),
});

const withoutKeys = ({ keys, ...rest }: ReadScenario['embedded']): Record<string, unknown> => ({
  ...rest,
  keys: keys.length,
});

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

const digestOfList = (list: ReadList) => {
  if ('file' in list) return { count: 0, hash: digestOf(list) };
  const { rows, weight } = list;
  return { count: rows.length, hash: digestOf(weight === undefined ? rows : list) };
};

/** Of a file what it holds counts, and how it is taken: not what it is called. */
function digestOfMessages(scenario: ReadScenario): Plan['messages'] {
  const { messages } = scenario;
  if (isFromFile(messages)) {
    const { order, system } = messages;
    const { count = 0, digest } = messages.source?.() ?? {};
    return { count, hash: digestOf({ digest, order, system }) };
  }
  const prompts = promptLength(messages);
  return {
    count: messagesOf(scenario).length,
    hash: digestOf(isMade(messages) ? 'made' : (prompts ?? messages)),
    ...(prompts === undefined ? {} : { prompts }),
    ...(branches(messages) ? { branches: true as const } : {}),
  };
}

function conversationsIn({ messages }: ReadScenario): Pick<Plan, 'conversations'> {
  const source = isFromFile(messages) ? messages.source?.() : undefined;
  if (source === undefined || !isFromFile(messages)) return {};
  const { file, order } = messages;
  const { skipped, merged } = source;
  const named = { lines: skipped.lines, first: skipped.first.slice(0, namedLines) };
  return { conversations: { file, order, merged, skipped: named } };
}

/** Skipped lines that a plan names. */
const namedLines = 5;

const mapValues = <In, Out>(record: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freezeDeep);
  }
  return value;
}
