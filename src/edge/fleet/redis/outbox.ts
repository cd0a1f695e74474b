import type { OfShard } from '../../../fleet/shards.ts';
import { type SaidEntry, streamExpiryMs } from './wire.ts';
import type { Redis } from 'ioredis';

type Kept = Pick<SaidEntry, 'number' | 'said'>;

/** Memory for what one shard has said and its coordinator has not read, in characters of JSON. */
const maxKept = 64 * 2 ** 20;

/** Characters that are sent at a time. */
const maxAtOnce = 2 ** 20;

/** Heartbeats without a new acknowledgement after which what was sent counts as lost. */
const patience = 3;

/**
 * What one shard has said, until its coordinator has read it: Redis may lose it in between. Sent in order, and again
 * from the first that was not read after `rewind`.
 */
export class Outbox {
  readonly #max: number;
  #kept: Kept[] = [];
  #size = 0;
  #last = 0;
  #sent = 0;
  #acknowledged = 0;
  #unheard = 0;
  /** Since something was last given to be sent. */
  #isRewound = false;

  constructor(max = maxKept) {
    this.#max = max;
  }

  /** Keeps what was said; `false`: there is no room, and it is lost. The end of a shard always has room. */
  add(said: OfShard): boolean {
    const text = JSON.stringify(said);
    const isEnd = said.kind === 'failed' || said.kind === 'gone';
    if (this.#size + text.length > this.#max && !isEnd) return false;
    this.#last += 1;
    this.#size += text.length;
    this.#kept.push({ number: this.#last, said: text });
    return true;
  }

  /** What is to be sent now, in order. */
  unsent(): readonly Kept[] {
    this.#isRewound = false;
    let room = maxAtOnce;
    const first = this.#sent - this.#acknowledged;
    const rest = this.#kept.slice(first);
    const fitting = rest.findIndex(({ said }) => (room -= said.length) < 0);
    return fitting === -1 ? rest : rest.slice(0, Math.max(1, fitting));
  }

  /** What was to be sent has arrived at Redis, up to this number; unless that has lost what it had meanwhile. */
  markSent(number: number): void {
    if (!this.#isRewound) this.#sent = Math.max(this.#sent, number);
  }

  /** What was sent and not read may be lost. */
  rewind(): void {
    this.#sent = this.#acknowledged;
    this.#unheard = 0;
    this.#isRewound = true;
  }

  /** The coordinator has read all up to this number, as its heartbeat says. */
  acknowledge(number: number): void {
    if (number > this.#last) return;
    if (number <= this.#acknowledged) {
      this.#wait();
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

  #wait(): void {
    if (this.#sent === this.#acknowledged) return;
    this.#unheard += 1;
    if (this.#unheard >= patience) this.rewind();
  }
}

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
const maxEntries = (shards: number): number => 1000 + 20 * shards;
