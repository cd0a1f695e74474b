import { isDeepStrictEqual } from 'node:util';
import { ChatLoadError } from '../../base/errors.ts';
import { readProxyServer, type ProxyServer } from '../../base/proxy-server.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import { isAllowedOrigin, isNamedOrigin, originText, isLoopback, plainName } from '../../plan/host-names.ts';
import { flagsOfPlan, isAround } from '../../plan/overlay.ts';
import { planSchema, type Plan } from '../../plan/plan.ts';
import { settle } from '../../plan/settle.ts';
import { tlsFileNames, type ReadTlsFiles } from '../../plan/tls-files.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';

/** Options with a path on the machine that uses it: a worker takes them from its own scenario and environment alone. */
export const ownPaths = scenarioOptions.filter(({ name }) =>
  [...tlsFileNames.map((each) => `target.tls.${each}`), 'target.unixSocket'].includes(name),
);

/** Flags of a plan without those paths. */
export function withoutPaths(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([flag]) => ownPaths.every((option) => option.flag !== flag)));
}

/** Refuses a job that asks this machine for more than it allows by itself, without using anything of the job but the name of its protocol. */
export function checkJob(author: unknown, { baseUrl, plan }: ShardJob, allowHosts: readonly string[]): void {
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
export function proxyOfJob(
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
export function checkPlan(own: Plan, { plan, baseUrl, scenario }: ShardJob): void {
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
