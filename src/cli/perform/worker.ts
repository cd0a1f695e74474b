import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../../base/errors.ts';
import { checkOrigins } from '../../plan/host-names.ts';
import { takeSignals } from '../console/screen.ts';
import { stderr } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { readCores, redisIdentity } from './read-fleet.ts';

export async function work(args: Given<'worker'> & { scenarios: string[] }): Promise<number> {
  const { folder, once, prefix, wait } = args;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageError(`${folder}: no such folder.`, 'Name the folder above the scenarios with --folder.');
  const identity = { ...redisIdentity(args.redis), cores: readCores(args.cores) };
  const { nameScenarios } = await import('../../edge/disk/scenario/name-scenarios.ts');
  const scenarios = nameScenarios(args.scenarios, folder);
  // Loaded on demand, with its packages.
  const { runWorker } = await import('../../app/fleet/worker.ts');
  const stops = takeSignals((text) => stderr.note(text));
  try {
    const ends = await runWorker({
      ...identity,
      prefix,
      wait,
      scenarios,
      folder: resolve(folder),
      isOnce: once,
      allowHosts: checkOrigins(args['allow-host'] ?? []),
      stops,
      note: (text) => stderr.note(text),
    });
    return once && ends.some((end) => end !== 'played') ? 3 : 0;
  } finally {
    stops.release();
  }
}
