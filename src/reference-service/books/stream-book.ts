import type { Ms } from '../../base/time.ts';
import { streamFaults, type StreamFaultKind } from '../../scenario/embedded-faults.ts';
import { zeroCounts } from '../../scenario/embedded-kinds.ts';
import { ServiceTimes, type ServiceTimeFigures } from './service-times.ts';

/** Streamed replies as the service sent them. */
export interface StreamStats {
  /** Replies of which anything was written. */
  begun: number;
  /** Replies written to their end, whatever their faults. */
  completed: number;
  /** Content events written: of reasoning, text and arguments. */
  contentEvents: number;
  /** Replies whose client disconnected before the end. */
  abandonedMidway: number;
  /** Content events generated for disconnected clients. */
  eventsAfterAbandon: number;
  /** Time spent on them. */
  workAfterAbandonMs: number;
  /** Faults within streamed replies, by kind. */
  faults: Record<StreamFaultKind, number>;
  /** Time from the request read to the first content event written. */
  firstToken: ServiceTimeFigures;
  /** Time between two content events of one reply, as they were written. */
  gap: ServiceTimeFigures;
}

/** Counts and times streamed replies. */
export class StreamBook {
  readonly #counts: Omit<StreamStats, 'firstToken' | 'gap'> = {
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

  /** Counts the first content event of a reply. */
  first(after: Ms): void {
    this.#counts.contentEvents++;
    this.#firstToken.record(after);
  }

  /** Counts any other content event. */
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

  /** Counts content events generated for a disconnected client. */
  waste(events: number, during: Ms): void {
    this.#counts.eventsAfterAbandon += events;
    this.#counts.workAfterAbandonMs += during;
  }

  fault(kind: StreamFaultKind): void {
    this.#counts.faults[kind]++;
  }

  stats(): StreamStats {
    return { ...structuredClone(this.#counts), firstToken: this.#firstToken.figures(), gap: this.#gap.figures() };
  }

  /** Frees memory outside the garbage-collected heap. */
  destroy(): void {
    this.#firstToken.destroy();
    this.#gap.destroy();
  }
}
