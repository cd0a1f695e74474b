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
  /** The folder that scenarios are found below; it corresponds to the folder that runs are started in. */
  folder: string;
  /** Those of them that its command line names, as they were when it was started. */
  scenarios: NamedScenarios;
  /** Shards at once. */
  cores: number;
  /** Takes no new shard when one is over. */
  isOnce: boolean;
  /** Ends when no shard came for so long; `undefined`: never. */
  wait: Ms | undefined;
  allowHosts: readonly string[];
  stops: { drain: AbortSignal; cut: AbortSignal };
  /** Says what happens, a line each. */
  note: (text: string) => void;
}

/** What a worker is made of; tests have their own. */
export interface WorkerParts {
  fork: () => ShardProcess;
  clock: Clock;
  patience: Patience;
}

const realParts: WorkerParts = { fork: forkShard, clock: systemClock, patience };

/**
 * Takes shards from Redis and plays each in a process of its own, until it is told to stop. Gives how each ended. Throws
 * `usage` or `environment` where there is no such Redis, `environment` where no shard came in time.
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
    // One more may have come on the last moment.
    await Promise.all(underWay);
  } finally {
    cancelWait();
    side.close();
  }
  if (ends.length === 0 && !stops.drain.aborted) throw noShard();
  return ends;
}

/** Scenarios that are listed by name. */
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
