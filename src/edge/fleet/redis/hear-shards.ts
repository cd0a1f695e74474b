import type { ShardsListener } from '../../../fleet/shards.ts';
import { ofShardSchema, parsed, saidEntrySchema, type SaidEntry } from './wire.ts';

/**
 * Puts what arrives from the shards of a run in order: an entry that was read before is dropped, one that comes before
 * its turn is dropped too, since its worker sends it again while it is not acknowledged. What cannot be read makes its
 * shard `gone`.
 */
export class HearShards {
  /** By shard: the number of its last entry that was heard. */
  readonly acknowledged: number[];
  readonly #uncertainty: number[];
  readonly #gone = new Set<number>();
  readonly #listener: ShardsListener;
  /** Entries that came before their turn. */
  holes = 0;
  /** Entries of no shard of this run. */
  unreadable = 0;

  constructor(count: number, listener: ShardsListener) {
    this.acknowledged = new Array<number>(count).fill(0);
    this.#uncertainty = new Array<number>(count).fill(0);
    this.#listener = listener;
  }

  /** Takes the fields of an entry, as they were read. */
  take(fields: Readonly<Record<string, string>>): void {
    const entry = saidEntrySchema.safeParse(fields).data;
    const last = entry === undefined ? undefined : this.acknowledged[entry.shard];
    if (entry === undefined || last === undefined) {
      this.unreadable += 1;
      return;
    }
    if (entry.number > last + 1) this.holes += 1;
    if (entry.number !== last + 1) return;
    this.acknowledged[entry.shard] = entry.number;
    this.#uncertainty[entry.shard] = entry.clockUncertaintyMs;
    if (!this.#gone.has(entry.shard)) this.#hear(entry);
  }

  clockUncertaintyMs(shard: number): number {
    return this.#uncertainty[shard] ?? 0;
  }

  /** A shard that was given up is heard no more. */
  leave(shard: number): void {
    this.#gone.add(shard);
  }

  #hear({ shard, said }: SaidEntry): void {
    const message = parsed(ofShardSchema, said);
    if (message === undefined) this.#lose(shard, 'what it said could not be read');
    else if (message.kind === 'gone') this.#lose(shard, message.reason);
    else this.#listener.heard(shard, message);
  }

  #lose(shard: number, reason: string): void {
    this.#gone.add(shard);
    this.#listener.gone(shard, reason);
  }
}
