import { isDeepStrictEqual } from 'node:util';
import { ChatLoadError } from '../../base/errors.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';
import { isAllowedOrigin, originText } from '../../plan/allowed-origins.ts';
import { flagsOfPlan } from '../../plan/given-options.ts';
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
  checkWay(plan.target, target, allowHosts);
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
  if (!isAllowedOrigin(new URL(asked.proxy), { own: null, named: allowHosts }))
    refuse(`the proxy ${asked.proxy}`, 'CHAT_LOAD_PROXY');
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
