import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { Finding } from '../finding.ts';
import { childrenOf, ownUsageOf } from '../process-tree.ts';
import { service as usual, withService, type Service } from '../streams/with-service.ts';
import { resultIn, runWords, startCommand } from './start-command.ts';

const scenario = 'bench/scenarios/wide.ts';
const shards = 2;
const lookMs = 100;
const MB = 1e6;

const hosts = ['127.0.0.1', '127.0.0.2'] as const;
const options: EmbeddedOptions = { ...usual, latency: '8s' };

/**
 * Runs 20,000 turns in flight over two shards against two services, because one has too few descriptors. They are two
 * addresses of one host; the protocol is without sessions, so that either can answer any turn.
 */
export async function measureWideFleet({ folder }: { folder: string }): Promise<Finding[]> {
  const [host, otherHost] = hosts;
  return withService({ folder, options, at: { host, port: '0' }, isPinned: false }, (service) => {
    const { port } = new URL(service.baseUrl);
    return withService({ folder, options, at: { host: otherHost, port }, isPinned: false }, (other) =>
      measureRun([service, other], { folder, port }),
    );
  });
}

async function measureRun(
  services: readonly Service[],
  { folder, port }: { folder: string; port: string },
): Promise<Finding[]> {
  const out = mkdtempSync(join(folder, 'wide-'));
  const addresses = hosts.flatMap((host) => ['--resolve', `localhost:${port}:${host}`]);
  const words = runWords(scenario, { out, baseUrl: `http://localhost:${port}` });
  const { maxInFlight, peakBytes } = await watchRun(services, [...words, ...addresses, '--cores', String(shards)]);
  const { outcomes, environment } = resultIn(out);
  const lost = environment?.workers?.filter((worker) => worker.lost !== null) ?? [];
  const turns = Object.values(outcomes.turns).reduce((sum, count) => sum + count, 0);
  return [
    {
      what: 'concurrent turns in flight over two shards, counted by the service',
      value: maxInFlight,
      atLeast: 20_000,
    },
    { what: 'resident memory of the larger shard', value: peakBytes / MB, unit: 'MB', atMost: 250 },
    { what: 'lost shards', value: lost.length, atMost: 0 },
    { what: 'turns of the other shards that were not ok', value: turns - outcomes.turns.ok, atMost: 0 },
  ];
}

async function watchRun(
  services: readonly Service[],
  words: readonly string[],
): Promise<{ maxInFlight: number; peakBytes: number }> {
  const max = { maxInFlight: 0, peakBytes: 0 };
  const run = startCommand(words);
  const look = async (): Promise<void> => {
    const bytes = livingChildren(run.pid).map((pid) => ownUsageOf(pid)?.peakBytes ?? 0);
    max.peakBytes = Math.max(max.peakBytes, ...bytes);
    const stats = await Promise.all(services.map((service) => service.stats()));
    const inFlight = stats.reduce((sum, { queue }) => sum + queue.busy, 0);
    max.maxInFlight = Math.max(max.maxInFlight, inFlight);
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookMs);
  await run.ended.finally(() => clearInterval(timer));
  await looking;
  return max;
}

function livingChildren(pid: number): number[] {
  try {
    return childrenOf(pid);
  } catch {
    // The process has just ended.
    return [];
  }
}
