import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ChatLoadError } from '../../base/errors.ts';
import { readProxyServer, type ProxyServer } from '../../base/proxy-server.ts';
import { tlsFilesReader } from '../../edge/disk/read-tls-files.ts';
import { loadScenario } from '../../edge/disk/scenario/load-scenario.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';
import { proxyVariables } from '../../plan/environment-proxy.ts';
import { flagsOfPlan } from '../../plan/given-options.ts';
import type { Surroundings } from '../../plan/overlay.ts';
import type { Plan } from '../../plan/plan.ts';
import { refusedHost } from '../../plan/refused-host.ts';
import { sampleDigest } from '../../plan/sample-digest.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import { checkCredential } from '../run/check-credential.ts';
import { passphraseVariable, type ReadTlsFiles } from '../../plan/tls-files.ts';

/** Where a shard finds what it plays, and what it may load. */
export interface ShardPlace {
  /** The folder below which the scenario is. */
  folder: string;
  /** Hosts beside loopback and the target of the scenario itself that may be loaded. */
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
export async function settleShard({ plan, scenario, baseUrl, sample }: ShardJob, place: ShardPlace): Promise<Settled> {
  const file = resolve(place.folder, scenario);
  const author = await loadScenario(file);
  const environment = { ...ownEnvironment(), ...tokenCommand(plan), ...place.environment };
  const readTlsFiles = tlsFilesReader({ ofScenario: dirname(file), ofCommand: place.folder });
  const own = settle(author, { flags: flagsOfPlan(plan), environment, readTlsFiles }, scenario);
  if (own.plan.hash !== plan.hash) throw anotherScenario(scenario, own.plan.hash, plan.hash);
  if (own.plan.cost?.hash !== plan.cost?.hash) throw anotherScenario(scenario, 'another cost', 'cost');
  if (sample !== null && (await sampleDigest(own.script)) !== sample)
    throw anotherScenario(scenario, 'other messages', 'the same plan');
  if (own.auth.kind !== plan.target.auth) throw anotherWay(own.auth.kind, plan.target.auth);
  if (!place.trustsTarget) {
    checkTarget(author, { baseUrl, plan }, place);
    checkTrust(author, plan);
  }
  checkCredential(own);
  return { ...own, plan, proxy: proxyFor(plan, own), script: { ...own.script, seed: plan.seed } };
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

const ownEnvironment = (): Surroundings['environment'] =>
  Object.fromEntries(ownNames.map((name) => [name, process.env[name]]));

/**
 * A proxy that the run asks for is that of all its shards; its credentials are this machine's own, where it names the
 * same one. Without such, a machine has the proxy of its own surroundings.
 */
function proxyFor({ target, options }: Plan, { proxy }: Settled): ProxyServer | undefined {
  if ((options['target.proxy']?.from ?? 'default') === 'default') return proxy;
  if (target.proxy === null) return undefined;
  return proxy?.name === target.proxy ? proxy : readProxyServer(target.proxy);
}

/** The command is this machine's own: none comes with a job. A run that needs none gets none. */
const tokenCommand = ({ target }: ShardJob['plan']): Record<string, string | undefined> =>
  target.auth === 'command' ? { CHAT_LOAD_TOKEN_COMMAND: process.env['CHAT_LOAD_TOKEN_COMMAND'] } : {};

const anotherWay = (own: string, asked: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `requests are authorized otherwise there (${own}) than where the run was started (${asked})`,
    hint: 'Say the same in target.auth everywhere. A worker runs no command of another machine: start it with CHAT_LOAD_TOKEN_COMMAND in its environment for --token-command, and with CHAT_LOAD_OAUTH_CLIENT_SECRET for OAuth.',
  });

/** The key of this machine goes only where this machine says. */
function checkTarget(
  author: unknown,
  { baseUrl, plan }: Pick<ShardJob, 'baseUrl' | 'plan'>,
  { allowHosts }: ShardPlace,
): void {
  const { target } = settle(author, { flags: {}, environment: process.env }).plan;
  checkWay(plan.target, target, allowHosts);
  const named = target.baseUrl === null ? [] : [new URL(target.baseUrl).host];
  const { unixSocket } = plan.target;
  const host = refusedHost({ target: { baseUrl, unixSocket, resolve: null }, allowHosts: [...allowHosts, ...named] });
  if (host === undefined) return;
  throw new ChatLoadError('usage', {
    message: `the run asks to load ${host}, which neither the scenario of this worker nor its environment names`,
    hint: `Start the worker with --allow-host ${host}, or set CHAT_LOAD_BASE_URL there.`,
  });
}

/** Whoever has a socket or a proxy sees the key. */
function checkWay(asked: Plan['target'], own: Plan['target'], allowHosts: readonly string[]): void {
  const refuse = (what: string, variable: string): never => {
    throw new ChatLoadError('usage', {
      message: `the run asks for ${what}, which neither the scenario of this worker nor its environment names`,
      hint: `Set ${variable} where the worker runs.`,
    });
  };
  if (asked.unixSocket !== null && asked.unixSocket !== own.unixSocket)
    refuse(`the Unix socket ${asked.unixSocket}`, 'CHAT_LOAD_UNIX_SOCKET');
  if (asked.proxy === null || asked.proxy === own.proxy) return;
  const baseUrl = asked.proxy.replace(/^\w+/, 'http');
  if (refusedHost({ target: { baseUrl, unixSocket: null, resolve: null }, allowHosts: [...allowHosts] }) !== undefined)
    refuse(`the proxy ${asked.proxy}`, 'CHAT_LOAD_PROXY');
}

/** What decides whom the key is shown to, a worker takes from its own scenario and environment alone. */
function checkTrust(author: unknown, { target: asked }: Pick<Plan, 'target'>): void {
  const readTlsFiles = (): ReturnType<ReadTlsFiles> => ({ files: {}, problems: [] });
  const { target: own } = settle(author, { flags: {}, environment: process.env, readTlsFiles }).plan;
  const differing = [
    ...(asked.tls.insecure && !own.tls.insecure ? ['CHAT_LOAD_INSECURE'] : []),
    ...(asked.tls.ca === own.tls.ca ? [] : ['CHAT_LOAD_TLS_CA']),
    ...(asked.tls.serverName === own.tls.serverName ? [] : ['CHAT_LOAD_TLS_SERVER_NAME']),
    ...(isDeepStrictEqual(asked.resolve, own.resolve) ? [] : ['CHAT_LOAD_RESOLVE']),
  ];
  if (differing.length === 0) return;
  throw new ChatLoadError('usage', {
    message: `the run asks to trust other services than the scenario of this worker and its environment say (${differing.join(', ')})`,
    hint: `Set ${differing.join(', ')} there as where the run is started.`,
  });
}

const anotherScenario = (file: string, own: string, asked: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${file} is another scenario there (${own.slice(0, 12)}) than where the run was started (${asked.slice(0, 12)})`,
    hint: 'Check out the same commit everywhere, give every worker the same CHAT_LOAD_HEADER, with data files and what the scenario imports. A scenario must also be the same whenever it is loaded: Math.random() and the time belong in none, `random` of a function does.',
  });
