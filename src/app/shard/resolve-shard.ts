import { dirname, resolve } from 'node:path';
import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { scenarioReaders } from '../../edge/disk/scenario-readers.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import { proxyVariables } from '../../plan/resolve-proxy.ts';
import { flagsOfPlan, environmentName, type Surroundings, isAround } from '../../plan/overlay.ts';
import { forRun } from '../../plan/script.ts';
import { sampleDigest } from '../../plan/session-plan.ts';
import { resolveScenario, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { openScenario, scenarioLabel } from '../built-in/built-in-scenario.ts';
import { checkCredential } from '../run/check-resolved.ts';
import { passphraseVariable, tlsFileNames, type ReadTlsFiles, planSchema, type Plan } from '../../plan/plan.ts';
import { type ScenarioOption, scenarioOptions } from '../../scenario/scenario-options.ts';
import { isDeepStrictEqual } from 'node:util';
import { readProxyServer, type ProxyServer } from '../../base/proxy-server.ts';
import {
  hostOfOrigin,
  isAllowedOrigin,
  isNamedOrigin,
  originText,
  isLoopback,
  plainName,
} from '../../plan/host-names.ts';

export interface ShardPlace {
  /** Folder above the scenario. */
  folder: string;
  /** Allowed origins besides loopback and the scenario's own origin. */
  allowHosts: readonly string[];
  /** True if the target of the job is trusted because a command of this machine started it. */
  trustsTarget: boolean;
  /** Flags of a local command that are not part of a plan, as variables. */
  environment?: Readonly<Record<string, string>>;
}

/**
 * Resolves the scenario as the coordinator did, with this machine's own file and key. Throws a usage error if the file
 * differs, or if the key would be sent to a target that neither the file nor this machine names.
 */
export async function resolveShard(job: ShardJob, place: ShardPlace): Promise<ResolvedScenario> {
  const { plan, scenarioDigest, sample } = job;
  const scenario = scenarioLabel(job.scenario);
  const author = await openScenario(job.scenario, place.folder, scenarioDigest ?? undefined);
  // Before any other part of the job is used.
  const allowHosts = place.trustsTarget ? plan.allowHosts : checkJob(author, job, place.allowHosts);
  const environment = {
    ...ownEnvironment(place.trustsTarget ? [] : ownPaths),
    ...tokenCommand(plan),
    ...place.environment,
  };
  const flags = place.trustsTarget ? flagsOfPlan(plan) : withoutPaths(flagsOfPlan(plan));
  const readers = scenarioReaders({
    ofScenario: dirname(resolve(place.folder, job.scenario)),
    ofCommand: place.folder,
  });
  const own = resolveScenario(author, { flags, environment, ...readers }, scenario);
  if (own.plan.hash !== plan.hash) throw anotherScenario(scenario, own.plan.hash, plan.hash);
  if (own.plan.cost?.hash !== plan.cost?.hash) throw anotherScenario(scenario, 'another cost', 'cost');
  if (own.plan.prices?.hash !== plan.prices?.hash) throw anotherScenario(scenario, 'other prices', 'prices');
  if (sample !== null && (await sampleDigest(own.script)) !== sample)
    throw anotherScenario(scenario, 'other messages', 'the same plan');
  if (own.auth.kind !== plan.target.auth)
    throw usageError(
      `this worker authorizes requests differently (${own.auth.kind}) than the coordinator (${plan.target.auth})`,
      'Use the same target.auth everywhere. A worker never runs a command of another machine: start it with CHAT_LOAD_TOKEN_COMMAND in its environment for --token-command, and with CHAT_LOAD_OAUTH_CLIENT_SECRET for OAuth.',
    );
  if (!place.trustsTarget) checkPlan(own.plan, job);
  checkCredential(own);
  const proxy = place.trustsTarget ? own.proxy : proxyOfJob(job, own.proxy, place.allowHosts);
  return {
    ...own,
    plan: { ...plan, allowHosts },
    proxy,
    script: forRun({ ...own.script, seed: plan.seed }, { id: job.run, salt: job.salt }),
  };
}

const ownNames = [
  'CHAT_LOAD_API_KEY',
  'CHAT_LOAD_HEADER',
  'CHAT_LOAD_OAUTH_CLIENT_SECRET',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
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

/** Returns the token command of this machine if the run needs one; a job never contains a command. */
const tokenCommand = ({ target }: ShardJob['plan']): Record<string, string | undefined> =>
  target.auth === 'command' ? { CHAT_LOAD_TOKEN_COMMAND: process.env['CHAT_LOAD_TOKEN_COMMAND'] } : {};

const anotherScenario = (file: string, own: string, requested: string): ChatLoadError =>
  usageError(
    `${file} of this worker (${own.slice(0, 12)}) differs from the file of the coordinator (${requested.slice(0, 12)})`,
    'Use the same commit, data files, imports and CHAT_LOAD_HEADER on every worker. A scenario must also be the same whenever it is loaded: use the `random` argument of functions instead of Math.random() and the time.',
  );

/** Options with local paths, which a worker reads only from its own scenario and environment. */
const ownPaths = scenarioOptions.filter(({ name }) =>
  [...tlsFileNames.map((each) => `target.tls.${each}`), 'target.unixSocket', 'prices'].includes(name),
);

function withoutPaths(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([flag]) => ownPaths.every((option) => option.flag !== flag)));
}

/**
 * Throws a usage error for a job that requests more than this machine allows; uses only the protocol name of the job. Returns
 * the hosts that requests may go to besides the target: a job cannot add any.
 */
function checkJob(author: unknown, { baseUrl, plan }: ShardJob, allowHosts: readonly string[]): string[] {
  const readTlsFiles = (): ReturnType<ReadTlsFiles> => ({ files: {}, problems: [] });
  const readPrices = (): unknown => ({ any: { input: 0, output: 0 } });
  // The scenario may be valid only with the protocol of the run.
  const { protocol } = flagsOfPlan(plan);
  const { target, allowHosts: ownHosts } = resolveScenario(author, {
    flags: { protocol },
    environment: process.env,
    readTlsFiles,
    readPrices,
  }).plan;
  checkSocket(plan.target, target);
  checkTrust(plan.target, target);
  const hosts = [...ownHosts, ...allowHosts.map(hostOfOrigin)];
  // A Unix socket is always on this machine.
  if (plan.target.unixSocket !== null) return hosts;
  const url = new URL(baseUrl);
  if (isAllowedOrigin(url, { own: target.baseUrl, named: allowHosts })) return hosts;
  throw usageError(
    `the run requests the target ${url.origin}, which neither the scenario of this worker nor its environment names`,
    `Start the worker with --allow-host ${originText(url)}, or set CHAT_LOAD_BASE_URL there. Scheme and port must match.`,
  );
}

/** Throws a usage error for a foreign socket, whose owner would receive the key. */
function checkSocket(requested: Plan['target'], own: Plan['target']): void {
  if (requested.unixSocket === null || requested.unixSocket === own.unixSocket) return;
  throw usageError(
    `the run requests the Unix socket ${requested.unixSocket}, which neither the scenario of this worker nor its environment names`,
    'Set CHAT_LOAD_UNIX_SOCKET where the worker runs.',
  );
}

/**
 * Returns the proxy of a job on a worker: the worker's own, because a proxy can read the key. Throws a usage error for a job
 * that requests another proxy, unless `--allow-host` names it, or none. This machine is reached directly: a remote proxy
 * would forward the key unencrypted, and resolve `localhost` to itself.
 */
function proxyOfJob(
  { baseUrl, plan: { target, options } }: ShardJob,
  own: ProxyServer | undefined,
  allowHosts: readonly string[],
): ProxyServer | undefined {
  const isHere = isLoopback(plainName(new URL(baseUrl).hostname));
  const ownProxy = isHere ? undefined : own;
  const requested = target.proxy;
  if (!isAround(options['target.proxy']?.from) || requested === (ownProxy?.name ?? null)) return ownProxy;
  if (requested === null)
    throw usageError(
      `the run requests no proxy, but this worker has ${ownProxy?.name ?? 'one'}`,
      'Start the run without --proxy none, or the worker with CHAT_LOAD_PROXY=none.',
    );
  if (isHere)
    throw usageError(
      `the run requests the proxy ${requested} to this machine, which a worker reaches directly`,
      'Start the run with --proxy none. CHAT_LOAD_PROXY of a worker is for other machines.',
    );
  if (URL.canParse(requested) && isNamedOrigin(new URL(requested), allowHosts)) {
    const { protocol, host } = new URL(requested);
    return readProxyServer(`${protocol}//${host}`);
  }
  throw usageError(
    `the run requests the proxy ${requested}, which neither the scenario of this worker nor its environment names`,
    'Set CHAT_LOAD_PROXY where the worker runs, or start it with --allow-host and the origin of the proxy, such as http://proxy.example.com:3128.',
  );
}

/** Checks that a job does not change which services and TLS files this worker trusts. */
function checkTrust({ tls, resolve: addresses }: Plan['target'], own: Plan['target']): void {
  const differing = [
    ...(tls.insecure && !own.tls.insecure ? ['CHAT_LOAD_INSECURE'] : []),
    ...tlsFileNames.flatMap((name) => (tls[name] === own.tls[name] ? [] : [`CHAT_LOAD_TLS_${name.toUpperCase()}`])),
    ...(tls.serverName === own.tls.serverName ? [] : ['CHAT_LOAD_TLS_SERVER_NAME']),
    ...(isDeepStrictEqual(addresses, own.resolve) ? [] : ['CHAT_LOAD_RESOLVE']),
  ];
  if (differing.length === 0) return;
  throw usageError(
    `the run requests other trusted services or TLS files than the scenario and environment of this worker (${differing.join(', ')})`,
    `Set ${differing.join(', ')} on the worker as on the coordinator.`,
  );
}

/** Checks that the plan of a job equals the plan resolved from its flags and the worker's own scenario, so that no field can be forged. */
function checkPlan(own: Plan, { plan, baseUrl, scenario }: ShardJob): void {
  const isElsewhere = plan.target.baseUrl !== null && new URL(plan.target.baseUrl).href !== new URL(baseUrl).href;
  const differing = isElsewhere ? ['baseUrl'] : differingParts(comparable(own), comparable(plan));
  if (differing.length === 0) return;
  throw usageError(
    `the plan of the run differs from the plan of ${scenario} on this worker: ${differing.join(', ')}`,
    'Use the same commit and environment on every worker.',
  );
}

/** Returns the serialized parts of a plan, without the parts that may differ between machines. */
function comparable(plan: Plan): Record<string, unknown> {
  const { target, ...travelled } = planSchema.parse(JSON.parse(JSON.stringify(plan)));
  const ofTarget = Object.entries<unknown>(target).map(([name, value]) => [`target.${name}`, value] as const);
  const parts = [...Object.entries(travelled), ...ofTarget];
  return Object.fromEntries(
    parts.filter(([name]) => !['seed', 'options', 'allowHosts', 'target.proxy'].includes(name)),
  );
}

const differingParts = (own: Record<string, unknown>, requested: Record<string, unknown>): string[] =>
  [...new Set([...Object.keys(own), ...Object.keys(requested)])].filter(
    (name) => !isDeepStrictEqual(own[name], requested[name]),
  );
