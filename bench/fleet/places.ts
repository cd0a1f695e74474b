import { hasRedis, withRedis } from './redis.ts';
import { startCommand, type StartedCommand } from './start-command.ts';

/** Where the shards of a run are played. */
export interface Place {
  name: string;
  /** Flags of `run` for so many shards. */
  flags(shards: number): string[];
  /** Starts so many workers, each for a number of shards, as far as the place has any. */
  startWorkers(workers: number, shards: number): Promise<StartedCommand[]>;
}

const cores: Place = {
  name: 'by --cores',
  flags: (shards) => ['--cores', String(shards)],
  startWorkers: () => Promise.resolve([]),
};

/** Lets `use` have both places, one after the other; without a redis-server the first alone. */
export async function inBothPlaces<Value>(folder: string, use: (place: Place) => Promise<Value[]>): Promise<Value[]> {
  const byCores = await use(cores);
  if (!hasRedis) return byCores;
  const byRedis = await withRedis(folder, async ({ url }) => {
    const started: StartedCommand[] = [];
    const startWorkers: Place['startWorkers'] = async (workers, shards) => {
      const words = ['worker', 'scenarios/*.ts', '--redis', url, '--cores', String(shards)];
      const opened = Array.from({ length: workers }, () => startCommand(words));
      started.push(...opened);
      await Promise.all(opened.map((worker) => worker.said(/Waiting for shards/)));
      return opened;
    };
    try {
      return await use({
        name: 'through Redis',
        flags: (of) => ['--fleet', url, '--shards', String(of)],
        startWorkers,
      });
    } finally {
      // A second signal cuts what is left.
      for (const signal of ['SIGTERM', 'SIGTERM'] as const) started.forEach((worker) => worker.kill(signal));
      await Promise.all(started.map(({ ended }) => ended.catch(() => undefined)));
    }
  });
  return [...byCores, ...byRedis];
}
