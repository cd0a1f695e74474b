import { posix } from 'node:path';
import type { ErrorCode } from '../../base/errors.ts';
import { shellWord } from '../../base/format.ts';
import type { NamedScenarios } from '../../edge/disk/scenario/name-scenarios.ts';
import { shortDigest } from '../../edge/disk/scenario/load-scenario.ts';
import type { ShardJob } from '../../fleet/messages.ts';

/** What a worker has, as far as a shard depends on it. */
export interface WorkerTraits {
  toolVersion: string;
  nodeMajor: number;
  scenarios: NamedScenarios;
}

/** Why a worker does not play a shard. Nothing was sent. */
export interface Refusal {
  code: Exclude<ErrorCode, 'not_comparable'>;
  message: string;
  hint: string;
}

/** A coordinator that was not heard of for so long is dead, or was there long ago. */
const latestMs = 5000;

/** Whether a worker can play a shard; `undefined`: it can. The rest is judged where the scenario is loaded. */
export function judgeJob(
  job: ShardJob,
  { toolVersion, nodeMajor, scenarios }: WorkerTraits,
  silenceMs: number | undefined,
): Refusal | undefined {
  if (silenceMs === undefined || silenceMs > latestMs) return lateRefusal(silenceMs);
  if (job.toolVersion !== toolVersion)
    return usage(
      `this worker has chat-load ${toolVersion}, the coordinator ${job.toolVersion}`,
      'Install the same version on both.',
    );
  if (job.nodeMajor !== nodeMajor)
    return usage(
      `this worker runs on Node.js ${String(nodeMajor)}, the coordinator on ${String(job.nodeMajor)}`,
      'Use the same major version on both.',
    );
  return judgeScenario(job, scenarios);
}

function lateRefusal(silenceMs: number | undefined): Refusal {
  const heard = silenceMs === undefined ? 'is gone' : `was last heard of ${(silenceMs / 1000).toFixed(0)} s ago`;
  return {
    code: 'environment',
    message: `this shard comes too late: the coordinator of its run ${heard}`,
    hint: 'Start the run again, with as many workers waiting as it has shards.',
  };
}

/** By the text of the path alone: a job learns nothing of other files. */
function judgeScenario(
  { scenario, scenarioDigest }: Pick<ShardJob, 'scenario' | 'scenarioDigest'>,
  scenarios: NamedScenarios,
): Refusal | undefined {
  const own = scenarios.get(posix.normalize(scenario));
  if (own === undefined)
    return usage(
      `the scenario ${scenario} is not among those that the command line of this worker names`,
      `Start the worker with it, if it may be executed there: chat-load worker ${shellWord(scenario)}`,
    );
  if (own === scenarioDigest) return undefined;
  return usage(
    `the file ${scenario} of this worker is another one (${shortDigest(own)}) than where the run was started (${shortDigest(scenarioDigest)})`,
    'Check out the same commit everywhere, and restart the worker: it takes its files when it starts.',
  );
}

const usage = (message: string, hint: string): Refusal => ({ code: 'usage', message, hint });
