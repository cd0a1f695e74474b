import type { Ms } from '../../base/time.ts';
import { serviceClasses, type ServiceClass } from './service-class.ts';
import { ServiceTimes, type ServiceTimeFigures } from './service-times.ts';
import type { Operation } from '../../protocol/protocol.ts';
import type { ServedName } from '../../protocol/registry/registry.ts';

/** Exchanges of one operation as the service observed them. */
export interface OperationStats extends ApiCounts {
  /** Replies delayed by a fault; each is counted in its class too. */
  stalled: number;
  /** Time from the request read to the reply written, of every response regardless of its class. */
  serviceTime: ServiceTimeFigures;
}

/** Exchanges of one API. */
export interface ApiCounts {
  /** Exchanges whose whole request was read: the sum of all classes and of those in progress. */
  received: number;
  inProgress: number;
  classes: Record<ServiceClass, number>;
}

/** Counts the exchanges of one operation. */
export class OperationBook {
  readonly #counts = { ...newCounts(), stalled: 0 };
  readonly #times = new ServiceTimes();

  begin(): void {
    this.#counts.received++;
    this.#counts.inProgress++;
  }

  end(outcome: ServiceClass): void {
    this.#counts.inProgress--;
    this.#counts.classes[outcome]++;
  }

  stall(): void {
    this.#counts.stalled++;
  }

  time(took: Ms): void {
    this.#times.record(took);
  }

  stats(): OperationStats {
    return { ...structuredClone(this.#counts), serviceTime: this.#times.figures() };
  }

  /** Frees memory outside the garbage-collected heap. */
  destroy(): void {
    this.#times.destroy();
  }
}

export type ApiBook = Readonly<Record<Operation, ApiCounts>>;

/** The exchanges of every API. */
export type BooksByApi = Record<ServedName, { messages: ApiCounts; creates: ApiCounts }>;

export function newApiBook(): ApiBook {
  return { message: newCounts(), create: newCounts() };
}

export function byApi(books: Readonly<Record<ServedName, ApiBook>>): BooksByApi {
  const shown = Object.entries(books).map(([name, { message, create }]) => [
    name,
    { messages: message, creates: create },
  ]);
  return structuredClone(Object.fromEntries(shown)) as BooksByApi;
}

const newCounts = (): ApiCounts => ({
  received: 0,
  inProgress: 0,
  classes: Object.fromEntries(serviceClasses.map((name) => [name, 0])) as Record<ServiceClass, number>,
});
