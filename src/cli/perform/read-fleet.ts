import { availableParallelism } from 'node:os';
import type { Fleet } from '../../app/run/ports.ts';
import { variablesOfFlags } from '../../plan/overlay.ts';
import { maxShardsOf } from '../../plan/shard.ts';
import type { Plan } from '../../plan/plan.ts';
import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { pathBelow } from '../../edge/disk/path-below.ts';
import { openCores } from '../../edge/fleet/open-cores.ts';
import type { RedisIdentity } from '../../edge/fleet/redis/connect-redis.ts';
import { keepSecret } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';

/** Returns the fleet that runs the load; `undefined`: this process. `own`: variables of local processes. Throws a usage error for unusable flags. */
export function readFleet(
  args: Partial<Given<'fleet'>> & { scenario: string },
  { plan, note, own = {} }: { plan: Plan; note: (text: string) => void; own?: Readonly<Record<string, string>> },
): Fleet | undefined {
  const { cores, fleet, shards, scenario, prefix } = args;
  const timeout = args['ready-timeout'];
  const readyWithinMs = timeout ?? ms(60_000);
  if (fleet === undefined) {
    if (shards !== undefined) throw unusable('--shards requires --fleet.');
    if (prefix !== undefined) throw unusable('--prefix requires --fleet.');
    if (timeout !== undefined && cores === undefined) throw unusable('--ready-timeout requires --cores or --fleet.');
    const count =
      cores === undefined ? 1 : cores === 'auto' ? Math.min(readCores(cores), maxShardsOf(plan)) : readCores(cores);
    if (count === 1) return undefined;
    const ofFlags = variablesOfFlags({ ...args });
    const open: Fleet['open'] = (jobs, environment) =>
      Promise.resolve(openCores(jobs, { folder: '.', environment: { ...environment, ...ofFlags, ...own } }));
    return { count, scenario, isElsewhere: false, readyWithinMs, open };
  }
  if (cores !== undefined) throw unusable('--cores and --fleet cannot be combined.');
  return {
    count: readShards(shards),
    scenario: pathBelow(scenario, '.'),
    isElsewhere: true,
    readyWithinMs,
    open: async (jobs) => {
      // Loaded on demand, with its packages.
      const { openRedisFleet } = await import('../../edge/fleet/redis/open-redis-fleet.ts');
      return openRedisFleet({
        ...redisIdentity(fleet === '' ? undefined : fleet),
        prefix: prefix ?? 'chat-load',
        jobs,
        note,
      });
    },
  };
}

function readShards(shards: number | undefined): number {
  if (shards !== undefined && Number.isInteger(shards) && shards >= 1 && shards <= maxShards) return shards;
  const given = shards === undefined ? '' : `, not ${String(shards)}`;
  throw unusable(
    `--fleet requires --shards, the number of workers: a whole number from 1 to ${String(maxShards)}${given}.`,
  );
}

const maxShards = 10_000;
const maxProcesses = 64;
const unusable = (message: string): ChatLoadError =>
  usageError(
    message,
    'For example --cores 4 on this machine, or --fleet redis://HOST:6379 --shards 4; see docs/guides/many-machines.md.',
  );

/** Reads `--cores`: a number of processes, or `auto` for one per available core. Throws a usage error. */
export function readCores(text: string): number {
  if (text === 'auto') return Math.min(maxProcesses, availableParallelism());
  const cores = /^\d+$/.test(text) ? Number(text) : NaN;
  if (cores >= 1 && cores <= maxProcesses) return cores;
  throw usageError(
    `--cores takes a whole number from 1 to ${String(maxProcesses)}, or auto, not '${text}'.`,
    `For example --cores 2; auto is ${String(Math.min(maxProcesses, availableParallelism()))} here.`,
  );
}

/** Variable with the default address. */
export const redisVariable = 'CHAT_LOAD_REDIS_URL';

/** Returns the address of Redis and its credentials, from flag or environment. Its secrets are never printed. */
export function redisIdentity(given: string | undefined): { url: string; identity: RedisIdentity } {
  const {
    CHAT_LOAD_REDIS_USERNAME: username,
    CHAT_LOAD_REDIS_PASSWORD: password,
    [redisVariable]: known,
  } = process.env;
  const url = given ?? (known === '' ? undefined : known);
  if (url === undefined)
    throw usageError(
      'The address of Redis is missing.',
      `Set ${redisVariable}, or name it with --fleet (run) or --redis (worker), such as redis://localhost:6379.`,
    );
  keepPassword(url);
  return { url, identity: { username, password } };
}

function keepPassword(url: string): void {
  if (!URL.canParse(url)) return;
  const { password } = new URL(url);
  for (const form of [password, decoded(password)]) keepSecret(form);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
