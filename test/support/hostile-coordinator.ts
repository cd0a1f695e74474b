import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { onTestFinished, vi } from 'vitest';
import { patient } from './deadline.ts';

/** The parts of a job that this coordinator decides on; all others are as a real one sends them. */
export interface OfferedJob {
  run: string;
  [field: string]: unknown;
}

/** A coordinator that ignores all rules: it pushes the job as given, with a heartbeat, and records the replies. */
export interface HostileCoordinator {
  /** Offers the job to one worker. Resolves with its first reply other than a warning. */
  offer(job: OfferedJob): Promise<Record<string, unknown>>;
}

/** Speaks the protocol of the queue and the streams by itself, with nothing of `src`. */
export function openHostileCoordinator(url: string, prefix = 'chat-load'): HostileCoordinator {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('shards', { connection: redis, prefix });
  const timers: NodeJS.Timeout[] = [];
  onTestFinished(async () => {
    for (const timer of timers) clearInterval(timer);
    await queue.close();
    redis.disconnect();
  });
  return {
    offer: async (job) => {
      const keys = { told: `${prefix}:run:${job.run}:told`, said: `${prefix}:run:${job.run}:said` };
      let number = 0;
      let start: number | null = null;
      const beat = async (): Promise<void> => {
        number += 1;
        const acknowledged = await redis.xlen(keys.said);
        const told = { number, all: { start, stop: null }, only: [], acknowledged: [acknowledged], isClosed: false };
        await redis.xadd(keys.told, 'MAXLEN', '=', 1, '*', 'told', JSON.stringify(told));
      };
      await beat();
      timers.push(setInterval(() => void beat().catch(() => undefined), 200));
      await queue.add('shard', job, { jobId: `${job.run}-shard-0`, attempts: 1 });
      const replies = async (): Promise<Record<string, unknown>[]> => {
        const entries = await redis.xrange(keys.said, '-', '+');
        const texts = entries.map(([, fields]) => fields[fields.indexOf('said') + 1] ?? '{}');
        return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
      };
      const isReply = ({ kind }: Record<string, unknown>): boolean => kind !== 'warning' && kind !== 'pulse';
      const reply = await vi.waitUntil(async () => (await replies()).find(isReply), patient);
      if (reply['kind'] !== 'ready') return reply;
      // It is to send whatever it sends.
      const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
      start = seconds * 1000 + micros / 1000 + 300;
      await beat();
      await vi.waitUntil(
        async () => (await replies()).some(({ kind }) => kind === 'ended' || kind === 'gone'),
        patient,
      );
      return reply;
    },
  };
}
