import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep, win32 } from 'node:path';
import type { ErrorCode } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';

/** What a worker has, as far as a shard depends on it. */
export interface WorkerTraits {
  toolVersion: string;
  nodeMajor: number;
  /** The folder below which its scenarios are. */
  folder: string;
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
export async function judgeJob(
  job: ShardJob,
  { toolVersion, nodeMajor, folder }: WorkerTraits,
  silenceMs: number | undefined,
): Promise<Refusal | undefined> {
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
  return judgePath(job.scenario, folder);
}

function lateRefusal(silenceMs: number | undefined): Refusal {
  const heard = silenceMs === undefined ? 'is gone' : `was last heard of ${(silenceMs / 1000).toFixed(0)} s ago`;
  return {
    code: 'environment',
    message: `this shard comes too late: the coordinator of its run ${heard}`,
    hint: 'Start the run again, with as many workers waiting as it has shards.',
  };
}

async function judgePath(scenario: string, folder: string): Promise<Refusal | undefined> {
  const isOutside = isAbsolute(scenario) || win32.isAbsolute(scenario) || scenario.split(/[\\/]/).includes('..');
  if (isOutside) return outside(scenario);
  try {
    const [there, root] = await Promise.all([realpath(join(folder, scenario)), realpath(folder)]);
    const path = relative(root, there);
    return path.split(sep)[0] === '..' || isAbsolute(path) ? outside(scenario) : undefined;
  } catch (thrown) {
    return usage(
      `the scenario ${scenario} cannot be read here: ${fileReason(thrown)}`,
      'Give the folder of your scenarios with --folder, at the state that the coordinator has.',
    );
  }
}

const outside = (scenario: string): Refusal =>
  usage(
    `the scenario ${scenario} is outside the folder of this worker`,
    'Start the run in the folder above its scenario, and the workers with --folder for theirs.',
  );

const usage = (message: string, hint: string): Refusal => ({ code: 'usage', message, hint });
