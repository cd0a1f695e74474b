import { readFileSync } from 'node:fs';
import { runWorker } from '../../src/app/fleet/worker.ts';
import { patience } from '../../src/app/fleet/relay-shard.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { nameScenarios } from '../../src/edge/disk/scenario/name-scenarios.ts';
import { peakScenario } from './peak-fleet.ts';
import { Replay, type StartSeen } from './replay.ts';
import type { Recording } from './record-shards.ts';

/** Task of a replaying process. */
export interface ReplayTask {
  url: string;
  prefix: string;
  /** Number of workers, each with its own connections. */
  workers: number;
  /** Path of the file with the recordings. */
  recordings: string;
}

/** Message to the parent: the process waits for shards, or a shard has received its start. */
export type FromReplays = { kind: 'waiting' } | ({ kind: 'start' } & StartSeen);

// Real workers in one process, with all their Redis connections, whose shards replay recordings. Ends after the last
// shard.
const task = JSON.parse(process.argv[2] ?? '') as ReplayTask;
const recordings = JSON.parse(readFileSync(task.recordings, 'utf8')) as Recording[];
const report = (message: FromReplays): void => void process.send?.(message);
const fork = (): Replay => new Replay(recordings, (seen) => report({ kind: 'start', ...seen }));

/** Resolves when the worker is connected, with a promise for the end of its shard. */
function openWorker(): Promise<{ over: Promise<unknown> }> {
  const stops = { drain: new AbortController().signal, cut: new AbortController().signal };
  const scenarios = nameScenarios([peakScenario], '.');
  const place = { url: task.url, identity: {}, prefix: task.prefix, folder: '.', scenarios, allowHosts: [], stops };
  return new Promise((resolve, reject) => {
    const over = runWorker(
      { ...place, cores: 1, isOnce: true, wait: undefined, note: () => resolve({ over }) },
      { fork, clock: systemClock, patience },
    );
    over.catch(reject);
  });
}

const opened: { over: Promise<unknown> }[] = [];
// Opened in small groups: on separate machines they would not wait for each other.
while (opened.length < task.workers)
  opened.push(...(await Promise.all(Array.from({ length: Math.min(10, task.workers - opened.length) }, openWorker))));
report({ kind: 'waiting' });
await Promise.all(opened.map(({ over }) => over));
process.exit();
