import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { runWorker, type WorkerOptions, type WorkerParts } from '../../src/app/fleet/worker.ts';
import type { ShardEnd } from '../../src/app/fleet/relay-shard.ts';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import type { ShardProcess, ToShardProcess } from '../../src/edge/fleet/fork-shard.ts';
import { scenarioDigest } from '../../src/edge/disk/scenario/load-scenario.ts';
import { openRedisFleet } from '../../src/edge/fleet/redis/open-redis-fleet.ts';
import { toolVersion } from '../../src/edge/tool-version.ts';
import type { FromShard, ShardJob } from '../../src/fleet/messages.ts';
import type { Shards } from '../../src/fleet/shards.ts';
import { makeFolder } from './command.ts';
import { planFor } from './synthetic-run.ts';
import { patient } from './deadline.ts';

/** The process of a shard, simulated by a test: its received messages, and those that it sends. */
export class StandIn implements ShardProcess {
  readonly pid = 0;
  readonly sent: ToShardProcess[] = [];
  isKilled = false;
  #listener: Parameters<ShardProcess['listen']>[0] | undefined;

  send(message: ToShardProcess): void {
    this.sent.push(message);
  }

  listen(listener: Parameters<ShardProcess['listen']>[0]): void {
    this.#listener = listener;
  }

  kill(): void {
    if (this.isKilled) return;
    this.isKilled = true;
    this.leave('its process was ended by SIGKILL');
  }

  /** Sends `started` several times, numbered by `lateMs`. */
  count(from: number, to: number): void {
    for (let number = from; number <= to; number++) this.say({ kind: 'started', lateMs: number });
  }

  say(message: FromShard): void {
    this.#listener?.received(message);
  }

  leave(reason = 'its process ended with code 0'): void {
    this.#listener?.gone(reason);
  }

  /** The message of a shard that has ended. */
  end(): void {
    this.say({
      kind: 'ended',
      pieces: 0,
      elapsedMs: 1,
      early: null,
      generator: null,
      samples: [],
      traffic: null,
      transport: null,
    });
    this.leave();
  }

  /** Kinds and levels of the messages received, in order. */
  get words(): string[] {
    return this.sent.map((message) => (message.kind === 'stop' ? message.level : message.kind));
  }
}

/** Messages that the coordinator of a run has received. */
export interface OpenRun {
  shards: Shards;
  heard: { shard: number; message: FromShard }[];
  gone: { shard: number; reason: string }[];
  notes: string[];
  /** Counts of a shard, as reported. */
  counted(shard: number): number[];
}

const labScenario = 'export default {};\n';
const labDigest = scenarioDigest(Buffer.from(labScenario));

/** Jobs of a run, for a scenario that every worker of the lab has. */
export function jobsOf(run: string, count: number, differing: Partial<ShardJob> = {}): ShardJob[] {
  return Array.from({ length: count }, (_, index) => ({
    run,
    salt: 'a0a0a0a0',
    shard: { index, count },
    scenario: 'scenario.mjs',
    plan: planFor(),
    baseUrl: 'http://127.0.0.1:9',
    toolVersion,
    sample: null,
    scenarioDigest: labDigest,
    nodeMajor: Number.parseInt(process.versions.node),
    ...differing,
  }));
}

/** Opens a run, and closes it with the test. */
export async function openRun(url: string, jobs: readonly ShardJob[], prefix = 'lab'): Promise<OpenRun> {
  const notes: string[] = [];
  const shards = await openRedisFleet({ url, prefix, jobs, note: (text) => notes.push(text) });
  onTestFinished(() => shards.close());
  const heard: OpenRun['heard'] = [];
  const gone: OpenRun['gone'] = [];
  shards.listen({
    received: (shard, message) => heard.push({ shard, message }),
    gone: (shard, reason) => gone.push({ shard, reason }),
  });
  const counted = (of: number): number[] =>
    heard.flatMap(({ shard, message }) => (shard === of && message.kind === 'started' ? [message.lateMs] : []));
  return { shards, heard, gone, notes, counted };
}

export interface OpenWorker {
  /** The processes that it has started. */
  children: StandIn[];
  notes: string[];
  drain(): void;
  cut(): void;
  ended: Promise<readonly ShardEnd[]>;
}

/** Patience of a second or so, so that tests need no half minute. */
export const hasty = { drainAfter: ms(1500), cutAfter: ms(2000), leaveAfter: ms(2500) };

/** Starts a worker whose shards are stand-ins, and ends it with the test. */
export async function openWorker(
  url: string,
  options: Partial<WorkerOptions> = {},
  parts: Partial<WorkerParts> = {},
): Promise<OpenWorker> {
  const folder = await makeFolder();
  await writeFile(join(folder, 'scenario.mjs'), labScenario);
  const [drain, cut] = [new AbortController(), new AbortController()];
  const children: StandIn[] = [];
  const notes: string[] = [];
  const fork = (): StandIn => {
    const child = new StandIn();
    children.push(child);
    return child;
  };
  const ended = runWorker(
    {
      url,
      identity: {},
      prefix: 'lab',
      folder,
      scenarios: new Map([['scenario.mjs', labDigest]]),
      cores: 1,
      isOnce: false,
      wait: undefined,
      allowHosts: [],
      stops: { drain: drain.signal, cut: cut.signal },
      note: (text) => notes.push(text),
      ...options,
    },
    {
      fork,
      clock: systemClock,
      patience: { drainAfter: ms(60_000), cutAfter: ms(70_000), leaveAfter: ms(80_000) },
      ...parts,
    },
  );
  onTestFinished(async () => {
    drain.abort();
    for (const child of children) child.kill();
    await ended.catch(() => undefined);
  });
  return { children, notes, drain: () => drain.abort(), cut: () => cut.abort(), ended };
}

/** Waits until something holds. */
export async function until(holds: () => boolean | undefined): Promise<void> {
  await vi.waitUntil(holds, { ...patient, interval: 10 });
}
