import { ChatLoadError } from '../../base/errors.ts';
import { listFirst } from '../../base/format.ts';
import { later, type Clock, type Ms } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { forkShard, type ShardProcess } from '../../edge/fleet/fork-shard.ts';
import { openWorkerSide } from '../../edge/fleet/redis/open-worker-side.ts';
import type { NamedScenarios } from '../../edge/disk/scenario/name-scenarios.ts';
import type { RedisIdentity } from '../../edge/fleet/redis/connect-redis.ts';
import { type ShardEnd, patience, type Patience } from './relay-shard.ts';
import { takeShard } from './take-shard.ts';

export interface WorkerOptions {
  url: string;
  identity: RedisIdentity;
  prefix: string;
  /** Folder of the scenarios; it corresponds to the working folder of the coordinator. */
  folder: string;
  /** Scenarios named on the command line, as of the start of the worker. */
  scenarios: NamedScenarios;
  /** Number of concurrent shards. */
  cores: number;
  /** True if it exits after one shard. */
  isOnce: boolean;
  /** Maximum time until the first shard arrives; `undefined`: unlimited. */
  wait: Ms | undefined;
  allowHosts: readonly string[];
  stops: { drain: AbortSignal; cut: AbortSignal };
  /** Called with a line for each event. */
  note: (text: string) => void;
}

/** Replaceable parts of a worker, for tests. */
export interface WorkerParts {
  fork: () => ShardProcess;
  clock: Clock;
  patience: Patience;
}

const realParts: WorkerParts = { fork: forkShard, clock: systemClock, patience };

/**
 * Takes shards from Redis and runs each in a child process, until it is stopped. Resolves with the outcome of each shard.
 * Throws `usage` or `environment` if Redis is unusable, `environment` if no shard arrives in time.
 */
export async function runWorker(options: WorkerOptions, parts: WorkerParts = realParts): Promise<readonly ShardEnd[]> {
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
    const named = listFirst([...scenarios.keys()], maxListed);
    note(
      `Waiting for shards at ${side.shown}, prefix ${prefix}, ${String(cores)} at once, of ${named} below ${folder}.`,
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
  if (ends.length === 0 && !stops.drain.aborted) throw noShard();
  return ends;
}

/** Maximum number of scenarios listed by name. */
const maxListed = 5;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });

const noShard = (): ChatLoadError =>
  new ChatLoadError('environment', {
    message: 'no shard arrived within --wait.',
    hint: 'Start the run with --fleet and the same Redis and --prefix; workers may be up before it.',
  });
