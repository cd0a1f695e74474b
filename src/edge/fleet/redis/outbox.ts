import type { OfShard } from '../../../fleet/shards.ts';
import { type SaidEntry, streamExpiryMs } from './wire.ts';
import type { Redis } from 'ioredis';

type Kept = Pick<SaidEntry, 'number' | 'said'>;

/** Maximum size of the unread messages of one shard, in characters of JSON. */
const maxKept = 64 * 2 ** 20;

/** Maximum number of characters that are sent at a time. */
const maxAtOnce = 2 ** 20;

/** Number of heartbeats without a new acknowledgement after which sent messages count as lost. */
const patience = 3;

/**
 * Messages of one shard until its coordinator has read them: Redis may lose them in between. They are sent in order;
 * after `rewind`, they are sent again from the first unread one.
 */
export class Outbox {
  readonly #max: number;
  #kept: Kept[] = [];
  #size = 0;
  #last = 0;
  #sent = 0;
  #acknowledged = 0;
  #unheard = 0;
  /** True if it was rewound since the latest call of `unsent`. */
  #isRewound = false;

  constructor(max = maxKept) {
    this.#max = max;
  }

  /** Keeps a message; `false`: it does not fit, and is lost. The end of a shard always fits. */
  add(said: OfShard): boolean {
    const text = JSON.stringify(said);
    const isEnd = said.kind === 'failed' || said.kind === 'gone';
    if (this.#size + text.length > this.#max && !isEnd) return false;
    this.#last += 1;
    this.#size += text.length;
    this.#kept.push({ number: this.#last, said: text });
    return true;
  }

  /** Returns the messages to send now, in order. */
  unsent(): readonly Kept[] {
    this.#isRewound = false;
    let room = maxAtOnce;
    const first = this.#sent - this.#acknowledged;
    const rest = this.#kept.slice(first);
    const fitting = rest.findIndex(({ said }) => (room -= said.length) < 0);
    return fitting === -1 ? rest : rest.slice(0, Math.max(1, fitting));
  }

  /** The messages up to this number have arrived at Redis, unless it has lost them meanwhile. */
  markSent(number: number): void {
    if (!this.#isRewound) this.#sent = Math.max(this.#sent, number);
  }

  /** Sent messages that were not read may be lost. */
  rewind(): void {
    this.#sent = this.#acknowledged;
    this.#unheard = 0;
    this.#isRewound = true;
  }

  /** The coordinator's heartbeat acknowledges all messages up to this number. */
  acknowledge(number: number): void {
    if (number > this.#last) return;
    if (number <= this.#acknowledged) {
      if (this.#sent !== this.#acknowledged && ++this.#unheard >= patience) this.rewind();
      return;
    }
    const read = this.#kept.splice(0, number - this.#acknowledged);
    this.#size -= read.reduce((sum, { said }) => sum + said.length, 0);
    this.#acknowledged = number;
    this.#sent = Math.max(this.#sent, number);
    this.#unheard = 0;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }
}

export interface Publisher {
  /** Sends the messages of the outbox. */
  pump(): void;
  close(): void;
}

interface Stream {
  key: string;
  shard: { index: number; count: number };
  clockUncertaintyMs: () => number;
}

/** Sends the messages of a shard to the stream of its run, in order, and again if they may not have arrived. */
export function openPublisher(redis: Redis, outbox: Outbox, { key, shard, clockUncertaintyMs }: Stream): Publisher {
  let isBusy = false;
  let isClosed = false;
  let again: NodeJS.Timeout | undefined;

  const send = async (number: number, said: string): Promise<void> => {
    const fields = { shard: shard.index, number, clockUncertaintyMs: clockUncertaintyMs(), said };
    await redis.xadd(key, 'MAXLEN', '~', maxEntries(shard.count), '*', ...Object.entries(fields).flat());
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
  // Redis may have lost its data.
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

/** Maximum number of entries in Redis if the coordinator does not read: about ten seconds of all shards. */
const maxEntries = (shards: number): number => 1000 + 20 * shards;
