import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ms } from '../base/time.ts';
import { ChatLoadError } from '../base/errors.ts';
import { checkOrigins } from '../plan/allowed-origins.ts';
import type { Command } from './command.ts';
import { readCores } from './read-cores.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { redisIdentity, takeRedis } from './redis-flags.ts';
import { takeSignals } from './signals.ts';
import { stderr } from './terminal.ts';

interface WorkerArguments {
  scenarios: string[];
  redis?: string | undefined;
  prefix: string;
  cores: string;
  folder: string;
  once: boolean;
  wait?: string | undefined;
  allowHost?: string[] | undefined;
}

export const workerCommand: Command<WorkerArguments> = {
  builder: (yargs) =>
    takeRedis(yargs)
      .positional('scenarios', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'The scenario files that may be executed here, or patterns of them in quotes',
      })
      .option('cores', {
        type: 'string',
        default: '1',
        requiresArg: true,
        describe: 'Shards at once, a process each; auto: as many as this machine has cores',
      })
      .option('folder', {
        type: 'string',
        default: '.',
        requiresArg: true,
        describe: 'The folder above the scenarios that corresponds to the folder that runs are started in',
      })
      .option('once', { type: 'boolean', default: false, describe: 'End when a shard is over: for jobs of Kubernetes' })
      .option('wait', { type: 'string', requiresArg: true, describe: 'End with 3 when no shard came for so long' })
      .option('allow-host', {
        type: 'string',
        array: true,
        nargs: 1,
        describe:
          'An origin that a run may load besides this machine and the base URL of the scenario: HOST (https), HOST:PORT (https), or http://HOST:PORT',
      })
      .epilogue(
        'Only the named files are executed, as they were when the worker was started, never one in node_modules or in a ' +
          'hidden folder. The key of the target comes from the environment of the worker (CHAT_LOAD_API_KEY), user and password of Redis ' +
          'better from CHAT_LOAD_REDIS_USERNAME and CHAT_LOAD_REDIS_PASSWORD than from its address. A first Ctrl-C or ' +
          'SIGTERM drains its shards, a second cuts them. Exit codes: 0 ok, also after a signal; 2 usage; 3 Redis cannot be used, no shard ' +
          'came within --wait, or with --once a shard was refused or failed; 70 a bug.',
      )
      .example(
        '$0 worker scenarios/peak.ts --redis redis://10.0.0.5:6379',
        'A worker; start as many as a run has shards',
      )
      .example("$0 worker 'scenarios/*.ts' --redis rediss://redis:6380 --cores 4", 'Four shards at once, over TLS')
      .example('$0 worker scenarios/peak.ts --once --wait 10m', 'One shard, then end; Redis from CHAT_LOAD_REDIS_URL'),
  handler: work,
};

async function work({
  scenarios,
  redis,
  prefix,
  cores,
  folder,
  once,
  wait,
  allowHost,
}: WorkerArguments): Promise<void> {
  requireFolder(folder);
  const asked = { ...redisIdentity(redis), prefix, cores: readCores(cores), folder: resolve(folder), isOnce: once };
  const patience = wait === undefined ? undefined : ms(readDurationFlag(wait, { flag: '--wait', example: '10m' }));
  const { nameScenarios } = await import('../edge/disk/scenario/name-scenarios.ts');
  const named = nameScenarios(scenarios, folder);
  // Loaded here alone, as the packages behind it are.
  const { runWorker } = await import('../app/fleet/worker.ts');
  const stops = takeSignals((text) => stderr.note(text));
  try {
    const note = (text: string): void => stderr.note(text);
    const ends = await runWorker({
      ...asked,
      scenarios: named,
      wait: patience,
      allowHosts: checkOrigins(allowHost ?? []),
      stops,
      note,
    });
    process.exitCode = once && ends.some((end) => end !== 'played') ? 3 : 0;
  } finally {
    stops.release();
  }
}

function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new ChatLoadError('usage', {
    message: `There is no folder ${folder}.`,
    hint: 'Give --folder the folder below which the scenarios are.',
  });
}
