import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import type { Finding } from '../finding.ts';
import { childrenOf } from '../process-tree.ts';
import { withGreetedService, type GreetedService } from './greeted-service.ts';
import { inBothPlaces, type Place } from './places.ts';
import { runWords, startCommand } from './start-command.ts';
import { steadyScenario } from './steady-scenario.ts';

interface DeadWorker {
  folder: string;
  times: number;
  report: (text: string) => void;
}

const shards = 2;
const asked: readonly (readonly ['SIGKILL' | 'SIGSTOP', string])[] = [
  ['SIGKILL', 'killed'],
  ['SIGSTOP', 'stopped'],
];

/** Measures the time until the coordinator reports a lost shard after its process is killed or stopped. */
export function measureDeadWorker({ folder, times, report }: DeadWorker): Promise<Finding[]> {
  return withGreetedService((service) =>
    inBothPlaces(folder, async (place) => {
      const findings: Finding[] = [];
      for (const [signal, word] of asked) {
        const took: number[] = [];
        while (took.length < times) {
          took.push(await loseOne(place, { service, signal, out: mkdtempSync(join(folder, 'dead-')) }));
          report(`${place.name}, ${word}: reported after ${took.at(-1)?.toFixed(1) ?? ''} s`);
        }
        const what = `until a worker ${place.name} that was ${word} is reported as lost, maximum of ${String(times)}`;
        findings.push({ what, value: Math.max(...took), unit: 's', atMost: 5 });
      }
      return findings;
    }),
  );
}

interface Loss {
  service: GreetedService;
  signal: 'SIGKILL' | 'SIGSTOP';
  out: string;
}

async function loseOne(place: Place, { service, signal, out }: Loss): Promise<number> {
  const workers = await place.startWorkers(shards, 1);
  service.forget();
  const run = startCommand([
    ...runWords(steadyScenario, { out, baseUrl: service.baseUrl }),
    ...['--duration', '10s', ...place.flags(shards)],
  ]);
  await Promise.race([service.allHeard(shards), run.ended]);
  await pass(2000 + 1000 * Math.random());
  // A killed worker cannot report anything; a worker whose shard hangs is still alive.
  const victim = signal === 'SIGKILL' && workers[0] ? workers[0].pid : childrenOf(workers[0]?.pid ?? run.pid)[0];
  if (victim === undefined) throw new Error('no process of a shard was found');
  const lostAt = performance.now();
  process.kill(victim, signal);
  await run.said(/is lost/);
  const tookMs = performance.now() - lostAt;
  await run.ended;
  for (const worker of workers) worker.kill('SIGKILL');
  return tookMs / 1000;
}
