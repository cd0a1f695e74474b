import type { Redis } from 'ioredis';
import type { Outbox } from './outbox.ts';
import { streamExpiryMs } from './fleet-keys.ts';

export interface Publisher {
  /** Sends what the outbox holds. */
  pump(): void;
  close(): void;
}

interface Stream {
  key: string;
  shard: { index: number; count: number };
  clockUncertaintyMs: () => number;
}

/** Sends what a shard has said to the stream of its run, in order, and again where that may not have arrived. */
export function openPublisher(redis: Redis, outbox: Outbox, { key, shard, clockUncertaintyMs }: Stream): Publisher {
  let isBusy = false;
  let isClosed = false;
  let again: NodeJS.Timeout | undefined;

  const send = async (number: number, said: string): Promise<void> => {
    const fields = { shard: shard.index, number, clockUncertaintyMs: clockUncertaintyMs(), said };
    await redis.xadd(key, 'MAXLEN', '~', mostEntries(shard.count), '*', ...Object.entries(fields).flat());
  };
  const sendAll = async (): Promise<void> => {
    for (let batch = outbox.unsent(); batch.length > 0 && !isClosed; batch = outbox.unsent()) {
      await Promise.all([...batch.map(({ number, said }) => send(number, said)), redis.pexpire(key, streamExpiryMs)]);
      outbox.markSent(batch.at(-1)?.number ?? 0);
    }
  };
  const pump = (): void => {
    if (isBusy || isClosed) return;
    isBusy = true;
    clearTimeout(again);
    sendAll()
      .catch(() => {
        outbox.rewind();
        again = setTimeout(pump, afterErrorMs);
      })
      .finally(() => (isBusy = false));
  };
  // Redis may come back without what it had.
  const sendAgain = (): void => {
    outbox.rewind();
    pump();
  };
  redis.on('ready', sendAgain);
  return {
    pump,
    close: () => {
      isClosed = true;
      clearTimeout(again);
      redis.off('ready', sendAgain);
    },
  };
}

const afterErrorMs = 200;

/** Entries that Redis keeps where the coordinator does not read: some ten seconds of all shards. */
const mostEntries = (shards: number): number => 1000 + 20 * shards;
