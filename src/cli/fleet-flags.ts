import { availableParallelism } from 'node:os';
import { relative, resolve, sep } from 'node:path';
import type { Argv } from 'yargs';
import type { Fleet } from '../app/run/ports.ts';
import { ChatLoadError } from '../base/errors.ts';
import { ms } from '../base/time.ts';
import { openCores } from '../edge/fleet/open-cores.ts';

export interface FleetArguments {
  cores: string | undefined;
}

/** Adds the flags that say who plays a run. */
export function takeFleetFlags<T>(yargs: Argv<T>): Argv<T & FleetArguments> {
  return yargs.option('cores', {
    type: 'string',
    requiresArg: true,
    describe: 'Spread the run over so many processes of this machine; auto: as many as it has cores',
  });
}

/** Who plays a run; `undefined`: this process. Throws a usage error for flags that cannot be used. */
export function readFleet({ cores, scenario }: FleetArguments & { scenario: string }): Fleet | undefined {
  const count = readCores(cores);
  if (count === 1) return undefined;
  return {
    count,
    scenario: pathBelow(scenario),
    readyWithinMs: ms(60_000),
    serviceCores: count,
    open: (jobs) => Promise.resolve(openCores(jobs, { folder: '.' })),
  };
}

const mostCores = 256;

/** The number of processes that `--cores` asks for. */
export function readCores(given: string | undefined): number {
  if (given === undefined) return 1;
  if (given === 'auto') return availableParallelism();
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= mostCores) return count;
  throw new ChatLoadError('usage', {
    message: `--cores takes a whole number from 1 to ${String(mostCores)}, or auto, not ${given}.`,
    hint: `This machine has ${String(availableParallelism())} cores for it.`,
  });
}

/** A path that means the same in any process of this folder. */
const pathBelow = (file: string): string => relative('.', resolve(file)).split(sep).join('/');
