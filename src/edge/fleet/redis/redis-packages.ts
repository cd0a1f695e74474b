import type * as Bullmq from 'bullmq';
import { withPackages } from '../../optional-packages.ts';

const redisPackages = { need: 'A fleet takes the packages bullmq and ioredis', names: ['bullmq', 'ioredis'] };

/** The client of Redis. Throws a usage error where it is missing. */
export function loadRedis() {
  return withPackages(redisPackages, () => import('ioredis'));
}

/** The queue. Throws a usage error where it is missing. */
export function loadQueue(): Promise<Pick<typeof Bullmq, 'Queue' | 'Worker'>> {
  return withPackages(redisPackages, () => import('bullmq'));
}
