import type { Worker } from '../../src/result/sections/environment.ts';
import type { Result } from '../../src/result/result.ts';
import { healthy, machine } from './synthetic-result.ts';

/** A shard that completed its work on a healthy machine. */
function workerOf(change: Partial<Worker> = {}): Worker {
  const { shard = 0 } = change;
  return {
    ...machine,
    pid: 4000 + shard,
    toolVersion: '0.1.0',
    shard,
    startLateMs: 0.4,
    clockUncertaintyMs: 0,
    sessionsStarted: 150,
    turnsFinished: 900,
    generator: healthy,
    lost: null,
    ...change,
  };
}

/** Returns this number of shards; `changes` applies to the first ones. */
export function workersOf(count: number, changes: readonly Partial<Worker>[] = []): Worker[] {
  return Array.from({ length: count }, (_, shard) => workerOf({ shard, ...changes[shard] }));
}

/** A result as one of several shards. */
export function playedBy(result: Result, workers: readonly Worker[], startSkewMs = 1): Result {
  const { environment } = result;
  return { ...result, environment: environment && { ...environment, workers: [...workers], startSkewMs } };
}
