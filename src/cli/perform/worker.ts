import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { checkOrigins } from '../../plan/host-names.ts';
import { takeSignals } from '../console/screen.ts';
import { stderr } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { readCores, redisIdentity } from './read-fleet.ts';

export async function work({
  scenarios,
  redis,
  prefix,
  cores,
  folder,
  once,
  wait,
  'allow-host': allowHost = [],
}: Given<'worker'> & { scenarios: string[] }): Promise<number> {
  requireFolder(folder);
  const identity = { ...redisIdentity(redis), prefix, cores: readCores(cores), folder: resolve(folder), isOnce: once };
  const { nameScenarios } = await import('../../edge/disk/scenario/name-scenarios.ts');
  const named = nameScenarios(scenarios, folder);
  // Loaded on demand, with its packages.
  const { runWorker } = await import('../../app/fleet/worker.ts');
  const stops = takeSignals((text) => stderr.note(text));
  try {
    const note = (text: string): void => stderr.note(text);
    const ends = await runWorker({
      ...identity,
      scenarios: named,
      wait,
      allowHosts: checkOrigins(allowHost),
      stops,
      note,
    });
    return once && ends.some((end) => end !== 'played') ? 3 : 0;
  } finally {
    stops.release();
  }
}

function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new ChatLoadError('usage', {
    message: `${folder}: no such folder.`,
    hint: 'Name the folder above the scenarios with --folder.',
  });
}
