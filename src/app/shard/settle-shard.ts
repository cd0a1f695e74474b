import { dirname, resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { tlsFilesReader } from '../../edge/disk/read-tls-files.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import { proxyVariables } from '../../plan/settle-proxy.ts';
import { flagsOfPlan, environmentName, type Surroundings } from '../../plan/overlay.ts';
import { sampleDigest } from '../../plan/session-plan.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import { openScenario, scenarioLabel } from '../built-in/built-in-scenario.ts';
import { checkCredential } from '../run/check-settled.ts';
import { passphraseVariable } from '../../plan/tls-files.ts';
import type { ScenarioOption } from '../../scenario/scenario-options.ts';
import { checkJob, checkPlan, ownPaths, proxyOfJob, withoutPaths } from './check-job.ts';

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
