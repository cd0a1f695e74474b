import { toolVersion } from '../../edge/tool-version.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';
import type { Plan } from '../../plan/plan.ts';
import { checkShards } from '../../plan/shard.ts';
import type { Fleet } from './ports.ts';

/** The parts that all jobs of a run share. */
interface Shared extends Pick<ShardJob, 'run' | 'sample' | 'scenarioDigest'> {
  plan: Plan;
  baseUrl: URL;
}

/** The jobs of a run, one a shard. Throws a usage error when the load cannot be dealt to as many. */
export function shardJobs(
  { count, scenario }: Pick<Fleet, 'count' | 'scenario'>,
  { run, plan, baseUrl, sample, scenarioDigest }: Shared,
): ShardJob[] {
  checkShards(plan, count);
  return Array.from({ length: count }, (_, index) => ({
    run,
    shard: { index, count },
    scenario,
    scenarioDigest,
    plan,
    sample,
    baseUrl: baseUrl.href,
    toolVersion,
    nodeMajor: Number(process.versions.node.split('.')[0]),
  }));
}
