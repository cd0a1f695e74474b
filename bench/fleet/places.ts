import { hasRedis, withRedis } from './redis.ts';
import { startCommand, type StartedCommand } from './start-command.ts';

/** A way to run the shards of a run. */
export interface Place {
  name: string;
  /** Returns the flags of `run` for a number of shards. */
  flags(shards: number): string[];
  /** Starts workers, each for a number of shards, if this way of running has workers. */
  startWorkers(workers: number, shards: number): Promise<StartedCommand[]>;
}

const cores: Place = {
  name: 'by --cores',
  flags: (shards) => ['--cores', String(shards)],
  startWorkers: () => Promise.resolve([]),
};

/** Passes both ways to `use`, one after the other; without a redis-server only the first. */
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
      // A second signal cuts the remaining turns.
      for (const signal of ['SIGTERM', 'SIGTERM'] as const) started.forEach((worker) => worker.kill(signal));
      await Promise.all(started.map(({ ended }) => ended.catch(() => undefined)));
    }
  });
  return [...byCores, ...byRedis];
}
