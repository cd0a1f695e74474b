import { dirname, resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { tlsFilesReader } from '../../edge/disk/read-tls-files.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import { proxyVariables } from '../../plan/settle-proxy.ts';
import { flagsOfPlan, environmentName, type Surroundings, isAround } from '../../plan/overlay.ts';
import { sampleDigest } from '../../plan/session-plan.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import { openScenario, scenarioLabel } from '../built-in/built-in-scenario.ts';
import { checkCredential } from '../run/check-settled.ts';
import { passphraseVariable, tlsFileNames, type ReadTlsFiles } from '../../plan/plan.ts';
import { type ScenarioOption, scenarioOptions } from '../../scenario/scenario-options.ts';
import { isDeepStrictEqual } from 'node:util';
import { readProxyServer, type ProxyServer } from '../../base/proxy-server.ts';
import { isAllowedOrigin, isNamedOrigin, originText, isLoopback, plainName } from '../../plan/host-names.ts';
import { planSchema, type Plan } from '../../plan/plan.ts';

/** Where a shard finds what it plays, and what it may load. */
export interface ShardPlace {
  /** The folder below which the scenario is. */
  folder: string;
  /** Origins besides loopback and that of the scenario itself that may be loaded. */
  allowHosts: readonly string[];
  /** Whether the target of the job is taken as it is: it comes from a command of this machine. */
  trustsTarget: boolean;
  /** Flags of the command that no plan holds, as variables: where it is a command of this machine. */
  environment?: Readonly<Record<string, string>>;
}

/**
 * The scenario as the coordinator has settled it, from this machine's own file and key. Throws a usage error when the
 * file is another one, or when its key would go to a target that neither it nor this machine names.
 */
export async function settleShard(job: ShardJob, place: ShardPlace): Promise<Settled> {
  const { plan, scenarioDigest, sample } = job;
  const scenario = scenarioLabel(job.scenario);
  const author = await openScenario(job.scenario, place.folder, scenarioDigest ?? undefined);
  // Before anything that the job says is used.
  if (!place.trustsTarget) checkJob(author, job, place.allowHosts);
  const environment = {
    ...ownEnvironment(place.trustsTarget ? [] : ownPaths),
    ...tokenCommand(plan),
    ...place.environment,
  };
  const flags = place.trustsTarget ? flagsOfPlan(plan) : withoutPaths(flagsOfPlan(plan));
  const readTlsFiles = tlsFilesReader({
    ofScenario: dirname(resolve(place.folder, job.scenario)),
    ofCommand: place.folder,
  });
  const own = settle(author, { flags, environment, readTlsFiles }, scenario);
  if (own.plan.hash !== plan.hash) throw anotherScenario(scenario, own.plan.hash, plan.hash);
  if (own.plan.cost?.hash !== plan.cost?.hash) throw anotherScenario(scenario, 'another cost', 'cost');
  if (sample !== null && (await sampleDigest(own.script)) !== sample)
    throw anotherScenario(scenario, 'other messages', 'the same plan');
  if (own.auth.kind !== plan.target.auth) throw anotherWay(own.auth.kind, plan.target.auth);
  if (!place.trustsTarget) checkPlan(own.plan, job);
  checkCredential(own);
  const proxy = place.trustsTarget ? own.proxy : proxyOfJob(job, own.proxy, place.allowHosts);
  return { ...own, plan, proxy, script: { ...own.script, seed: plan.seed } };
}

/** What a machine says of itself: what no plan holds. */
const ownNames = [
  'CHAT_LOAD_API_KEY',
  'CHAT_LOAD_HEADER',
  'CHAT_LOAD_OAUTH_CLIENT_SECRET',
  passphraseVariable,
  'CHAT_LOAD_PROXY',
  ...proxyVariables.flatMap((name) => [name, name.toLowerCase()]),
];

const ownEnvironment = (paths: readonly ScenarioOption[]): Surroundings['environment'] =>
  Object.fromEntries(
    [...ownNames, ...paths.map(environmentName)].flatMap((name) =>
      name === undefined ? [] : [[name, process.env[name]]],
    ),
  );

/** The command is this machine's own: none comes with a job. A run that needs none gets none. */
const tokenCommand = ({ target }: ShardJob['plan']): Record<string, string | undefined> =>
  target.auth === 'command' ? { CHAT_LOAD_TOKEN_COMMAND: process.env['CHAT_LOAD_TOKEN_COMMAND'] } : {};

const anotherWay = (own: string, asked: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `requests are authorized otherwise there (${own}) than where the run was started (${asked})`,
    hint: 'Say the same in target.auth everywhere. A worker runs no command of another machine: start it with CHAT_LOAD_TOKEN_COMMAND in its environment for --token-command, and with CHAT_LOAD_OAUTH_CLIENT_SECRET for OAuth.',
  });

const anotherScenario = (file: string, own: string, asked: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${file} is another scenario there (${own.slice(0, 12)}) than where the run was started (${asked.slice(0, 12)})`,
    hint: 'Check out the same commit everywhere, give every worker the same CHAT_LOAD_HEADER, with data files and what the scenario imports. A scenario must also be the same whenever it is loaded: Math.random() and the time belong in none, `random` of a function does.',
  });

/** Options with a path on the machine that uses it: a worker takes them from its own scenario and environment alone. */
const ownPaths = scenarioOptions.filter(({ name }) =>
  [...tlsFileNames.map((each) => `target.tls.${each}`), 'target.unixSocket'].includes(name),
);

/** Flags of a plan without those paths. */
function withoutPaths(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([flag]) => ownPaths.every((option) => option.flag !== flag)));
}

/** Refuses a job that asks this machine for more than it allows by itself, without using anything of the job but the name of its protocol. */
function checkJob(author: unknown, { baseUrl, plan }: ShardJob, allowHosts: readonly string[]): void {
  const readTlsFiles = (): ReturnType<ReadTlsFiles> => ({ files: {}, problems: [] });
  // The rest of a scenario may be fit for the protocol that the run names alone.
  const { protocol } = flagsOfPlan(plan);
  const { target } = settle(author, { flags: { protocol }, environment: process.env, readTlsFiles }).plan;
  checkSocket(plan.target, target);
  checkTrust(plan.target, target);
  // Whoever listens on a Unix socket is of this machine.
  if (plan.target.unixSocket !== null) return;
  const url = new URL(baseUrl);
  if (isAllowedOrigin(url, { own: target.baseUrl, named: allowHosts })) return;
  throw new ChatLoadError('usage', {
    message: `the run asks to load ${url.origin}, which neither the scenario of this worker nor its environment names`,
    hint: `Start the worker with --allow-host ${originText(url)}, or set CHAT_LOAD_BASE_URL there. Scheme and port count.`,
  });
}

/** Whoever has the socket sees the key. */
function checkSocket(asked: Plan['target'], own: Plan['target']): void {
  if (asked.unixSocket === null || asked.unixSocket === own.unixSocket) return;
  throw new ChatLoadError('usage', {
    message: `the run asks for the Unix socket ${asked.unixSocket}, which neither the scenario of this worker nor its environment names`,
    hint: 'Set CHAT_LOAD_UNIX_SOCKET where the worker runs.',
  });
}

/**
 * The proxy of a job on a worker: the worker's own, since whoever has the proxy sees the key. A job that asks for another
 * one, or for none, is refused, unless `--allow-host` names that one. This machine is reached directly: a proxy elsewhere
 * would forward the key in clear, and take `localhost` for itself.
 */
function proxyOfJob(
  { baseUrl, plan: { target, options } }: ShardJob,
  own: ProxyServer | undefined,
  allowHosts: readonly string[],
): ProxyServer | undefined {
  const isHere = isLoopback(plainName(new URL(baseUrl).hostname));
  const usual = isHere ? undefined : own;
  const asked = target.proxy;
  if (!isAround(options['target.proxy']?.from) || asked === (usual?.name ?? null)) return usual;
  if (asked === null)
    throw new ChatLoadError('usage', {
      message: `the run asks for no proxy, and this worker has ${usual?.name ?? 'one'}`,
      hint: 'Start the run without --proxy none, or the worker with CHAT_LOAD_PROXY=none.',
    });
  if (isHere)
    throw new ChatLoadError('usage', {
      message: `the run asks for the proxy ${asked} to this machine, which a worker reaches directly`,
      hint: 'Start the run with --proxy none. CHAT_LOAD_PROXY of a worker is for other machines.',
    });
  if (URL.canParse(asked) && isNamedOrigin(new URL(asked), allowHosts)) {
    const { protocol, host } = new URL(asked);
    return readProxyServer(`${protocol}//${host}`);
  }
  throw new ChatLoadError('usage', {
    message: `the run asks for the proxy ${asked}, which neither the scenario of this worker nor its environment names`,
    hint: 'Set CHAT_LOAD_PROXY where the worker runs, or start it with --allow-host and the origin of the proxy, such as http://proxy.example.com:3128.',
  });
}

/** A worker decides by its own scenario and environment alone to whom it shows the key, and which files it reads for that. */
function checkTrust({ tls, resolve: addresses }: Plan['target'], own: Plan['target']): void {
  const differing = [
    ...(tls.insecure && !own.tls.insecure ? ['CHAT_LOAD_INSECURE'] : []),
    ...tlsFileNames.flatMap((name) => (tls[name] === own.tls[name] ? [] : [`CHAT_LOAD_TLS_${name.toUpperCase()}`])),
    ...(tls.serverName === own.tls.serverName ? [] : ['CHAT_LOAD_TLS_SERVER_NAME']),
    ...(isDeepStrictEqual(addresses, own.resolve) ? [] : ['CHAT_LOAD_RESOLVE']),
  ];
  if (differing.length === 0) return;
  throw new ChatLoadError('usage', {
    message: `the run asks to trust other services, or to use other files for TLS, than the scenario of this worker and its environment say (${differing.join(', ')})`,
    hint: `Set ${differing.join(', ')} there as where the run is started.`,
  });
}

/** The plan of a job is the one that its flags and the worker's own scenario settle to: no field of it can be forged. */
function checkPlan(own: Plan, { plan, baseUrl, scenario }: ShardJob): void {
  const isElsewhere = plan.target.baseUrl !== null && new URL(plan.target.baseUrl).href !== new URL(baseUrl).href;
  const differing = isElsewhere ? ['baseUrl'] : differingParts(comparable(own), comparable(plan));
  if (differing.length === 0) return;
  throw new ChatLoadError('usage', {
    message: `the plan of the run is not that of ${scenario} on this worker: ${differing.join(', ')} of it differs`,
    hint: 'Check out the same commit everywhere, and give every worker the same environment.',
  });
}

/** The parts of a plan as it travels, without those that may differ from machine to machine. */
function comparable(plan: Plan): Record<string, unknown> {
  const { target, ...travelled } = planSchema.parse(JSON.parse(JSON.stringify(plan)));
  const ofTarget = Object.entries(target).map(([name, value]) => [`target.${name}`, value] as const);
  const parts = [...Object.entries(travelled), ...ofTarget];
  return Object.fromEntries(parts.filter(([name]) => !machineParts.includes(name)));
}

const machineParts = ['seed', 'options', 'allowHosts', 'target.proxy'];

const differingParts = (own: Record<string, unknown>, asked: Record<string, unknown>): string[] =>
  [...new Set([...Object.keys(own), ...Object.keys(asked)])].filter(
    (name) => !isDeepStrictEqual(own[name], asked[name]),
  );
