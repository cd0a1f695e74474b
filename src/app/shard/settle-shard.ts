import { resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { loadScenario } from '../../edge/disk/scenario/load-scenario.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';
import { flagsOfPlan } from '../../plan/given-options.ts';
import { refusedHost } from '../../plan/refused-host.ts';
import { sampleDigest } from '../../plan/sample-digest.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import { checkCredential } from '../run/check-credential.ts';

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
  const author = await loadScenario(resolve(place.folder, scenario));
  const { CHAT_LOAD_API_KEY, CHAT_LOAD_HEADER, CHAT_LOAD_OAUTH_CLIENT_SECRET } = process.env;
  const given = { CHAT_LOAD_API_KEY, CHAT_LOAD_HEADER, CHAT_LOAD_OAUTH_CLIENT_SECRET, ...tokenCommand(plan) };
  const environment = { ...given, ...place.environment };
  const own = settle(author, { flags: flagsOfPlan(plan), environment }, scenario);
  if (own.plan.hash !== plan.hash) throw anotherScenario(scenario, own.plan.hash, plan.hash);
  if (own.plan.cost?.hash !== plan.cost?.hash) throw anotherScenario(scenario, 'another cost', 'cost');
  if (sample !== null && (await sampleDigest(own.script)) !== sample)
    throw anotherScenario(scenario, 'other messages', 'the same plan');
  if (own.auth.kind !== plan.target.auth) throw anotherWay(own.auth.kind, plan.target.auth);
  if (!place.trustsTarget) checkTarget(author, baseUrl, place);
  checkCredential(own);
  return { ...own, plan, script: { ...own.script, seed: plan.seed } };
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
function checkTarget(author: unknown, baseUrl: string, { allowHosts }: ShardPlace): void {
  const target = { ...settle(author, { flags: {}, environment: process.env }).plan.target };
  const named = target.baseUrl === null ? [] : [new URL(target.baseUrl).host];
  const host = refusedHost({ target: { ...target, baseUrl }, allowHosts: [...allowHosts, ...named] });
  if (host === undefined) return;
  throw new ChatLoadError('usage', {
    message: `the run asks to load ${host}, which neither the scenario of this worker nor its environment names`,
    hint: `Start the worker with --allow-host ${host}, or set CHAT_LOAD_BASE_URL there.`,
  });
}

const anotherScenario = (file: string, own: string, asked: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${file} is another scenario there (${own.slice(0, 12)}) than where the run was started (${asked.slice(0, 12)})`,
    hint: 'Check out the same commit everywhere, give every worker the same CHAT_LOAD_HEADER, with data files and what the scenario imports. A scenario must also be the same whenever it is loaded: Math.random() and the time belong in none, `random` of a function does.',
  });
