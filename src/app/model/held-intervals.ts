import { PieceMerger, type Snapshot } from '../../record/snapshot.ts';
import type { MissingShard } from '../../result/journal/journal.ts';

interface HeldIntervalsOptions {
  /** Number of parts in which model calls are counted: one, or that of calls without a shard and one per shard. */
  parts: number;
  /** Publishes an interval of the load. */
  publish: (piece: Snapshot, missing: readonly MissingShard[] | undefined) => void;
  /** Publishes an interval of model calls. */
  publishModel: (piece: Snapshot) => void;
}

/** An interval of the load that waits for the model calls of the same time. */
interface HeldLoad {
  piece: Snapshot;
  missing: readonly MissingShard[] | undefined;
}

/**
 * Publishes the intervals of the load and of its model calls in step, so that all published figures cover the same time:
 *
 *     an interval of the load is published once the model service has closed it,
 *     model calls of a shard are published up to the latest interval of the load, and never beyond the latest one that the shard
 *     has delivered: what a lost shard did later is in no figure.
 */
export class HeldIntervals {
  readonly #options: HeldIntervalsOptions;
  readonly #load: HeldLoad[] = [];
  /** Held and published model calls of each part. */
  readonly #held: Snapshot[][];
  readonly #published: PieceMerger[];
  readonly #deliveredMs: number[];
  #publishedMs = 0;
  /** End of the latest interval of which all model calls are known. */
  #modelMs = 0;

  constructor(options: HeldIntervalsOptions) {
    const { parts } = options;
    this.#options = options;
    this.#held = Array.from({ length: parts }, () => []);
    this.#published = Array.from({ length: parts }, () => new PieceMerger());
    // Calls without a shard, and those of a run in one process, need no delivery.
    this.#deliveredMs = Array.from({ length: parts }, (_, part) => (part === 0 ? Infinity : 0));
  }

  /** Takes an interval of the load. */
  add(piece: Snapshot, missing?: readonly MissingShard[]): void {
    this.#load.push({ piece, missing });
    this.#publish();
  }

  /** Takes an interval of the model calls of a part. */
  addModel(part: number, piece: Snapshot): void {
    this.#held[part]?.push(piece);
    this.#publish();
  }

  /** The model service has published all calls up to an instant, in milliseconds since the start; `Infinity` after its end. */
  modelClosed(untilMs: number): void {
    this.#modelMs = Math.max(this.#modelMs, untilMs);
    this.#publish();
  }

  /** A shard has delivered its intervals up to an instant, in milliseconds since the start; `Infinity` at its end. */
  delivered(shard: number, untilMs: number): void {
    const part = shard + 1;
    if (part < this.#deliveredMs.length) this.#deliveredMs[part] = untilMs;
  }

  /** Publishes everything that is held, except for calls of shards that have not ended. */
  end(): void {
    this.#publishedMs = Infinity;
    this.modelClosed(Infinity);
  }

  /** Reports whether all model calls of a part count: those of a shard only if it has ended. */
  isWhole(part: number): boolean {
    return this.#deliveredMs[part] === Infinity;
  }

  /** Returns the published model calls of a part; `undefined`: none. */
  publishedOf(part: number): Snapshot | undefined {
    return this.#published[part]?.whole();
  }

  #publish(): void {
    for (let [next] = this.#load; next !== undefined && next.piece.elapsedMs <= this.#modelMs; [next] = this.#load) {
      this.#load.shift();
      this.#publishedMs = Math.max(this.#publishedMs, next.piece.elapsedMs);
      // Before it: a journal that ends between them is cut at the interval of the load.
      this.#publishModel();
      this.#options.publish(next.piece, next.missing);
    }
    this.#publishModel();
  }

  #publishModel(): void {
    for (const [part, held] of this.#held.entries()) {
      const untilMs = Math.min(this.#publishedMs, this.#deliveredMs[part] ?? 0);
      for (let [piece] = held; piece !== undefined && piece.elapsedMs <= untilMs; [piece] = held) {
        held.shift();
        this.#published[part]?.add(piece);
        this.#options.publishModel(piece);
      }
    }
  }
}
