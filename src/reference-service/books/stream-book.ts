import type { Ms } from '../../base/time.ts';
import { streamFaults, type StreamFaultKind } from '../../scenario/embedded-faults.ts';
import { zeroCounts } from '../../scenario/embedded-kinds.ts';
import { ServiceTimes, type ServiceTimeFigures, type ServiceTimesSnapshot } from './service-times.ts';

/** What the service did with the replies that it gave in pieces. */
export interface StreamStats extends StreamCounts {
  /** From the request read to the first piece written. */
  firstToken: ServiceTimeFigures;
  /** Between two pieces of one reply, as they were written. */
  gap: ServiceTimeFigures;
}

export interface StreamCounts {
  /** Replies of which anything was written. */
  begun: number;
  /** Those that were written to their end, whatever was wrong with them. */
  completed: number;
  /** Pieces written: of reasoning, text and arguments. */
  contentEvents: number;
  /** Those whose client left before the end. */
  abandonedMidway: number;
  /** Pieces made for clients that had left. */
  eventsAfterAbandon: number;
  /** For how long. */
  workAfterAbandonMs: number;
  /** Faults within such replies, by kind. */
  faults: Record<StreamFaultKind, number>;
}

/** A book as it goes from one process to another. */
export interface StreamSnapshot {
  counts: StreamCounts;
  firstToken: ServiceTimesSnapshot;
  gap: ServiceTimesSnapshot;
}

/** Counts and times replies in pieces. */
export class StreamBook {
  readonly #counts: StreamCounts = {
    begun: 0,
    completed: 0,
    contentEvents: 0,
    abandonedMidway: 0,
    eventsAfterAbandon: 0,
    workAfterAbandonMs: 0,
    faults: zeroCounts(streamFaults),
  };
  readonly #firstToken = new ServiceTimes();
  readonly #gap = new ServiceTimes();

  begin(): void {
    this.#counts.begun++;
  }

  /** The first piece of a reply. */
  first(after: Ms): void {
    this.#counts.contentEvents++;
    this.#firstToken.record(after);
  }

  /** Any other piece. */
  next(after: Ms): void {
    this.#counts.contentEvents++;
    this.#gap.record(after);
  }

  complete(): void {
    this.#counts.completed++;
  }

  abandon(): void {
    this.#counts.abandonedMidway++;
  }

  /** What was made for nobody. */
  waste(events: number, during: Ms): void {
    this.#counts.eventsAfterAbandon += events;
    this.#counts.workAfterAbandonMs += during;
  }

  spoil(kind: StreamFaultKind): void {
    this.#counts.faults[kind]++;
  }

  figures(): StreamStats {
    return { ...this.#copy(), firstToken: this.#firstToken.figures(), gap: this.#gap.figures() };
  }

  snapshot(): StreamSnapshot {
    return { counts: this.#copy(), firstToken: this.#firstToken.snapshot(), gap: this.#gap.snapshot() };
  }

  /** Frees memory outside the garbage-collected heap. */
  destroy(): void {
    this.#firstToken.destroy();
    this.#gap.destroy();
  }

  #copy(): StreamCounts {
    return { ...this.#counts, faults: { ...this.#counts.faults } };
  }
}
