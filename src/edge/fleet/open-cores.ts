import { later, ms, type Ms } from '../../base/time.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import type { Shards, ShardsListener } from '../../fleet/shards.ts';
import { machineOffsetMs, systemClock } from '../clock.ts';
import { forkShard, type ShardProcess } from './fork-shard.ts';

/**
 * Opens shards on the cores of this machine, each in a separate process. `folder`: the folder of the scenario;
 * `environment`: added to this process's, also for flags of this command that plans do not contain.
 */
export function openCores(
  jobs: readonly ShardJob[],
  { folder, environment }: { folder: string; environment: Readonly<Record<string, string>> },
): Shards {
  const processes = jobs.map(() => forkShard(environment));
  return new Cores(processes, (shard) => {
    const job = jobs[shard];
    if (job === undefined) return;
    processes[shard]?.send({ kind: 'play', job, folder, allowHosts: [], trustsTarget: true, environment });
  });
}

class Cores implements Shards {
  readonly count: number;
  readonly #processes: readonly ShardProcess[];
  readonly #play: (shard: number) => void;
  readonly #alive: Set<number>;
  #noneLeft: () => void = () => undefined;

  constructor(processes: readonly ShardProcess[], play: (shard: number) => void) {
    this.count = processes.length;
    this.#processes = processes;
    this.#play = play;
    this.#alive = new Set(processes.keys());
  }

  listen({ received, gone }: ShardsListener): void {
    for (const [shard, each] of this.#processes.entries()) {
      each.listen({
        received: (message) => received(shard, message),
        gone: (reason) => {
          this.#alive.delete(shard);
          gone(shard, reason);
          if (this.#alive.size === 0) this.#noneLeft();
        },
      });
      this.#play(shard);
    }
  }

  send(message: Parameters<Shards['send']>[0], shard?: number): void {
    for (const each of shard === undefined ? this.#alive : [shard]) this.#processes[each]?.send(message);
  }

  appoint(ahead: Ms): ReturnType<Shards['appoint']> {
    const startedAt = later(systemClock.now(), ahead);
    return { at: startedAt + machineOffsetMs, instant: startedAt };
  }

  clockUncertaintyMs(): Ms {
    return ms(0);
  }

  interruptedSince(): undefined {
    return undefined;
  }

  abandon(shard: number): void {
    this.#processes[shard]?.kill();
  }

  async close(): Promise<void> {
    if (this.#alive.size === 0) return;
    const left = new Promise<void>((resolve) => (this.#noneLeft = resolve));
    this.send({ kind: 'stop', level: 'cut' });
    const kill = setTimeout(() => this.#alive.forEach((shard) => this.abandon(shard)), closingMs);
    await left;
    clearTimeout(kill);
  }
}

/** A process that still runs this long after the cut is killed. */
const closingMs = 2000;
