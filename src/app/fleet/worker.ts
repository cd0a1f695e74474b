import { environmentError, type ErrorCode } from '../../base/errors.ts';
import { listFirst, shellWord } from '../../base/format.ts';
import { later, type Ms, ms, type Clock } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { forkShard } from '../../edge/fleet/fork-shard.ts';
import { openWorkerSide, type WorkerSide } from '../../edge/fleet/redis/open-worker-side.ts';
import type { RedisIdentity } from '../../edge/fleet/redis/connect-redis.ts';
import { type ShardEnd, patience, relayShard, type ShardSurroundings } from './relay-shard.ts';
import { isShallow } from '../../base/json.ts';
import { hostname } from 'node:os';
import type { NamedScenarios } from '../../edge/disk/scenario/name-scenarios.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { shardJobSchema, type ShardJob } from '../../fleet/messages.ts';
import type { ShardLine } from '../../fleet/shards.ts';
import { posix } from 'node:path';
import { shortDigest } from '../../edge/disk/scenario/load-scenario.ts';

/** `folder` corresponds to the working folder of the coordinator; `scenarios` are those named on the command line. */
export interface WorkerOptions extends Pick<
  WorkerSurroundings,
  'folder' | 'scenarios' | 'allowHosts' | 'stops' | 'note'
> {
  url: string;
  identity: RedisIdentity;
  prefix: string;
  cores: number;
  /** True if it exits after one shard. */
  isOnce: boolean;
  /** Maximum time until the first shard arrives; `undefined`: unlimited. */
  wait: Ms | undefined;
}

export type WorkerParts = Pick<WorkerSurroundings, 'fork' | 'clock' | 'patience'>;

/**
 * Takes shards from Redis and runs each in a child process, until it is stopped. Resolves with the outcome of each shard.
 * Throws `usage` or `environment` if Redis is unusable, `environment` if no shard arrives in time.
 */
export async function runWorker(
  options: WorkerOptions,
  parts: WorkerParts = { fork: forkShard, clock: systemClock, patience },
): Promise<readonly ShardEnd[]> {
  const { cores, isOnce, note, prefix, folder, scenarios, stops, wait } = options;
  const side = await openWorkerSide(options);
  const ends: ShardEnd[] = [];
  const underWay = new Set<Promise<void>>();
  const over = new AbortController();
  const play = async (job: unknown): Promise<void> => {
    ends.push(await takeShard(job, { ...options, ...parts, side }));
    if (isOnce) over.abort();
  };
  const track = (played: Promise<void>): Promise<void> => {
    underWay.add(played);
    cancelWait();
    return played.finally(() => underWay.delete(played));
  };
  const cancelWait =
    wait === undefined ? () => undefined : parts.clock.wakeAt(later(parts.clock.now(), wait), () => over.abort());
  try {
    const taking = await side.take({ max: cores, play: (job) => track(play(job)) });
    const named = listFirst([...scenarios.keys()], 5);
    note(
      `Waiting for shards at ${side.shown}, prefix ${prefix}: at most ${String(cores)} at once, scenarios ${named} in ${folder}.`,
    );
    await aborted(AbortSignal.any([stops.drain, over.signal]));
    taking.takeNoMore();
    await Promise.all(underWay);
    await taking.close();
    // Another shard may have arrived at the last moment.
    await Promise.all(underWay);
  } finally {
    cancelWait();
    side.close();
  }
  if (ends.length === 0 && !stops.drain.aborted)
    throw environmentError(
      'no shard arrived within --wait.',
      'Start the run with --fleet and the same Redis and --prefix; workers may be up before it.',
    );
  return ends;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });

type WorkerSurroundings = Omit<ShardSurroundings, 'line'> & { side: WorkerSide; scenarios: NamedScenarios };

/** Runs the shard of a job, or refuses it and notifies its coordinator. Never rejects. */
async function takeShard(asked: unknown, around: WorkerSurroundings): Promise<ShardEnd> {
  const job = isShallow(asked) ? shardJobSchema.safeParse(asked).data : undefined;
  if (job === undefined) return refuseUnread(asked, around);
  const note = (text: string): void => around.note(`${nameOf(job)}: ${text}`);
  note(`accepted (${job.scenario})`);
  const refusal = await refusalOf(job, around);
  const line = around.side.lineOf(job);
  if (refusal === undefined) return relayShard(job, { ...around, line, note });
  note(`refused: ${refusal.message}. ${refusal.hint}`);
  await sendRefusal(line, refusal, around.clock);
  return 'refused';
}

/** Refuses an unreadable job; notifies the coordinator if the job identifies it. */
async function refuseUnread(asked: unknown, { side, note, clock }: WorkerSurroundings): Promise<ShardEnd> {
  const sender = senderSchema.safeParse(asked).data;
  const unread = usage(
    `the job is not a shard that chat-load ${toolVersion} can read`,
    'Install the same version of chat-load everywhere.',
  );
  note(`${sender === undefined ? 'Job' : nameOf(sender)}: refused: ${unread.message}. ${unread.hint}`);
  if (sender !== undefined) await sendRefusal(side.lineOf(sender), unread, clock);
  return 'refused';
}

const senderSchema = shardJobSchema.pick({ run: true, shard: true });

const nameOf = ({ shard, run }: Pick<ShardJob, 'run' | 'shard'>): string =>
  `Shard ${String(shard.index)} (of ${String(shard.count)}) of run ${run}`;

async function refusalOf(job: ShardJob, { side, stops, scenarios }: WorkerSurroundings): Promise<Refusal | undefined> {
  if (stops.drain.aborted)
    return {
      code: 'environment',
      message: 'this worker is stopping',
      hint: 'Start the run again when its workers are up.',
    };
  // Without a response, the coordinator counts as dead.
  const silenceMs = await side.silenceOf(job.run).catch(() => undefined);
  return judgeJob(job, { toolVersion, nodeMajor: Number.parseInt(process.versions.node), scenarios }, silenceMs);
}

/** Sends a refusal and waits until the coordinator, if any, has read it. */
function sendRefusal(line: ShardLine, refusal: Refusal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      line.close();
      resolve();
    };
    const cancel = clock.wakeAt(later(clock.now(), ms(2000)), end);
    const nothing = (): void => undefined;
    line.listen({ heartbeat: () => line.isRead() && end(), received: nothing, abandoned: end, closed: end });
    line.send({ kind: 'refused', host: hostname(), ...refusal });
  });
}

interface Refusal {
  code: Exclude<ErrorCode, 'not_comparable'>;
  message: string;
  hint: string;
}

/** Maximum silence of a live coordinator, in milliseconds. */
const maxSilenceMs = 5000;

/** Returns the reason for refusing a shard, if any. Other checks follow when the scenario is loaded. */
export function judgeJob(
  job: ShardJob,
  { toolVersion, nodeMajor, scenarios }: { toolVersion: string; nodeMajor: number; scenarios: NamedScenarios },
  silenceMs: number | undefined,
): Refusal | undefined {
  if (silenceMs === undefined || silenceMs > maxSilenceMs) {
    const state = silenceMs === undefined ? 'is gone' : `was last active ${(silenceMs / 1000).toFixed(0)} s ago`;
    return {
      code: 'environment',
      message: `this shard is too late: the coordinator of its run ${state}`,
      hint: 'Start the run again, with as many workers waiting as it has shards.',
    };
  }
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
  const { scenario, scenarioDigest } = job;
  // Compares only the text of the path, so that a job learns nothing about other files.
  const own = scenarios.get(posix.normalize(scenario));
  if (own === undefined)
    return usage(
      `the scenario ${scenario} is not named on the command line of this worker`,
      `To allow it, start the worker with chat-load worker ${shellWord(scenario)}`,
    );
  if (own === scenarioDigest) return undefined;
  return usage(
    `the file ${scenario} of this worker (${shortDigest(own)}) differs from the file of the coordinator (${shortDigest(scenarioDigest)})`,
    'Check out the same commit everywhere, and restart the worker: it reads its files at its start.',
  );
}

const usage = (message: string, hint: string): Refusal => ({ code: 'usage', message, hint });
