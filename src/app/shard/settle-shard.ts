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
}

/**
 * The scenario as the coordinator has settled it, from this machine's own file and key. Throws a usage error when the
 * file is another one, or when its key would go to a target that neither it nor this machine names.
 */
export async function settleShard({ plan, scenario, baseUrl, sample }: ShardJob, place: ShardPlace): Promise<Settled> {
  const author = await loadScenario(resolve(place.folder, scenario));
  const environment = { CHAT_LOAD_API_KEY: process.env['CHAT_LOAD_API_KEY'] };
  const own = settle(author, { flags: flagsOfPlan(plan), environment }, scenario);
  if (own.plan.hash !== plan.hash) throw anotherScenario(scenario, own.plan.hash, plan.hash);
  if (own.plan.cost?.hash !== plan.cost?.hash) throw anotherScenario(scenario, 'another cost', 'cost');
  if (sample !== null && (await sampleDigest(own.script)) !== sample)
    throw anotherScenario(scenario, 'other messages', 'the same plan');
  if (!place.trustsTarget) checkTarget(author, baseUrl, place);
  checkCredential(own);
  return { ...own, plan, script: { ...own.script, seed: plan.seed } };
}

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
    hint: 'Check out the same commit everywhere, with data files and what the scenario imports. A scenario must also be the same whenever it is loaded: Math.random() and the time belong in none, `random` of a function does.',
  });
