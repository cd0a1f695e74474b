import type { Ms } from '../../base/time.ts';
import { serviceClasses, type ServiceClass } from './service-class.ts';
import { ServiceTimes, type ServiceTimeFigures, type ServiceTimesSnapshot } from './service-times.ts';
import type { Operation } from '../../protocol/protocol.ts';
import type { ProtocolName } from '../../protocol/registry/registry.ts';

/** What the service did with the exchanges of one operation. */
export interface OperationStats extends OperationCounts {
  /** From the request read to the reply written; of every response that was given, whatever its class. */
  serviceTime: ServiceTimeFigures;
}

export interface OperationCounts {
  /** Exchanges whose whole request was read: the sum of all classes and of those in progress. */
  received: number;
  inProgress: number;
  classes: Record<ServiceClass, number>;
  /** Replies held back by a fault; each is counted in its class too. */
  stalled: number;
}

/** A book as it goes from one process to another, to be merged with others. */
export interface OperationSnapshot {
  counts: OperationCounts;
  times: ServiceTimesSnapshot;
}

/** Counts the exchanges of one operation. */
export class OperationBook {
  readonly #classes = zeroClasses();
  readonly #times = new ServiceTimes();
  #received = 0;
  #ended = 0;
  #stalled = 0;

  begin(): void {
    this.#received++;
  }

  end(outcome: ServiceClass): void {
    this.#ended++;
    this.#classes[outcome]++;
  }

  stall(): void {
    this.#stalled++;
  }

  time(took: Ms): void {
    this.#times.record(took);
  }

  figures(): OperationStats {
    return { ...this.counts(), serviceTime: this.#times.figures() };
  }

  snapshot(): OperationSnapshot {
    return { counts: this.counts(), times: this.#times.snapshot() };
  }

  /** Frees memory outside the garbage-collected heap. */
  destroy(): void {
    this.#times.destroy();
  }

  counts(): OperationCounts {
    return {
      received: this.#received,
      inProgress: this.#received - this.#ended,
      classes: { ...this.#classes },
      stalled: this.#stalled,
    };
  }
}

/** The exchanges of one API, as far as they are counted by API. */
export type ApiCounts = Omit<OperationCounts, 'stalled'>;
export type ApiBook = Readonly<Record<Operation, ApiCounts>>;

/** Every API's part of the books. */
export type BooksByApi = Record<ProtocolName, { messages: ApiCounts; creates: ApiCounts }>;

export function newApiBook(): ApiBook {
  return { message: newCounts(), create: newCounts() };
}

export function byApi(books: Readonly<Record<ProtocolName, ApiBook>>): BooksByApi {
  const shown = Object.entries(books).map(([name, { message, create }]) => [
    name,
    { messages: message, creates: create },
  ]);
  return structuredClone(Object.fromEntries(shown)) as BooksByApi;
}

const newCounts = (): ApiCounts => ({ received: 0, inProgress: 0, classes: zeroClasses() });

const zeroClasses = (): Record<ServiceClass, number> =>
  Object.fromEntries(serviceClasses.map((name) => [name, 0])) as Record<ServiceClass, number>;
