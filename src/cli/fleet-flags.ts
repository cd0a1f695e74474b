import { availableParallelism } from 'node:os';
import type { Argv } from 'yargs';
import type { Fleet } from '../app/run/ports.ts';
import { mostShardsOf } from '../plan/shard.ts';
import type { Plan } from '../plan/plan.ts';
import { ChatLoadError } from '../base/errors.ts';
import { ms } from '../base/time.ts';
import { pathBelow } from '../edge/disk/read-scenario-files.ts';
import { openCores } from '../edge/fleet/open-cores.ts';
import { readCores } from './read-cores.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { redisIdentity } from './redis-flags.ts';

export interface FleetArguments {
  cores?: string | undefined;
  fleet?: string | undefined;
  shards?: number | undefined;
  prefix?: string | undefined;
  'ready-timeout'?: string | undefined;
}

/** Adds the flags that say who plays a run. */
export function takeFleetFlags<T>(yargs: Argv<T>): Argv<T & FleetArguments> {
  const group = 'More than one core, more than one machine:';
  return yargs
    .option('cores', {
      type: 'string',
      requiresArg: true,
      group,
      describe: 'Spread the run over so many processes of this machine; auto: as many as it has cores',
    })
    .option('fleet', {
      type: 'string',
      group,
      describe:
        'Have it played by the workers at this Redis or Valkey (chat-load worker); without an address that of CHAT_LOAD_REDIS_URL',
    })
    .option('shards', { type: 'number', requiresArg: true, group, describe: 'Over how many of them' })
    .option('prefix', {
      type: 'string',
      defaultDescription: usualPrefix,
      requiresArg: true,
      group,
      describe: 'The prefix of their keys there',
    })
    .option('ready-timeout', {
      type: 'string',
      defaultDescription: usualTimeout,
      requiresArg: true,
      group,
      describe: 'How long shards may take until all are ready',
    });
}

/** Who plays a run; `undefined`: this process. Throws a usage error for flags that cannot be used. */
export function readFleet(
  args: FleetArguments & { scenario: string },
  { plan, note }: { plan: Plan; note: (text: string) => void },
): Fleet | undefined {
  const { cores, fleet, shards, scenario, prefix } = args;
  const timeout = args['ready-timeout'];
  const readyWithinMs = ms(readDurationFlag(timeout ?? usualTimeout, { flag: '--ready-timeout', example: '2m' }));
  if (fleet === undefined) {
    if (shards !== undefined) throw unusable('--shards says over how many workers of a fleet: it needs --fleet.');
    if (prefix !== undefined) throw unusable('--prefix is of a fleet: it needs --fleet.');
    if (timeout !== undefined && cores === undefined)
      throw unusable('--ready-timeout is for shards: it needs --cores or --fleet.');
    const count =
      cores === undefined ? 1 : cores === 'auto' ? Math.min(readCores(cores), mostShardsOf(plan)) : readCores(cores);
    if (count === 1) return undefined;
    const open: Fleet['open'] = (jobs, environment) => Promise.resolve(openCores(jobs, { folder: '.', environment }));
    return { count, scenario, isElsewhere: false, readyWithinMs, serviceCores: coresLeft(count), open };
  }
  if (cores !== undefined) throw unusable('--cores is for this machine, and --fleet for workers: give one of them.');
  return {
    count: readShards(shards),
    scenario: pathBelow(scenario, '.'),
    isElsewhere: true,
    readyWithinMs,
    serviceCores: 1,
    open: async (jobs) => {
      // Loaded here alone, as the packages behind it are.
      const { openRedisFleet } = await import('../edge/fleet/redis/open-redis-fleet.ts');
      return openRedisFleet({
        ...redisIdentity(fleet === '' ? undefined : fleet),
        prefix: prefix ?? usualPrefix,
        jobs,
        note,
      });
    },
  };
}

/** The embedded service must not take the cores of the shards. */
const coresLeft = (shards: number): number => Math.max(1, Math.min(shards, availableParallelism() - shards));

function readShards(shards: number | undefined): number {
  if (shards !== undefined && Number.isInteger(shards) && shards >= 1 && shards <= mostShards) return shards;
  const given = shards === undefined ? '' : `, not ${String(shards)}`;
  throw unusable(
    `--fleet needs --shards, a whole number from 1 to ${String(mostShards)}${given}: over how many workers.`,
  );
}

const mostShards = 10_000;
const usualPrefix = 'chat-load';
const usualTimeout = '60s';

const unusable = (message: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message,
    hint: 'Such as --cores 4 on this machine, or --fleet redis://HOST:6379 --shards 4; docs/fleet.md says when to use which.',
  });
