import { between, later, type Instant, type Ms } from '../../base/time.ts';
import type { Operation } from '../../protocol/protocol.ts';
import type { ApiCounts, OperationBook } from '../books/operation-book.ts';
import type { Client } from '../http/client.ts';
import type { EventSink } from '../http/write-delivery.ts';
import type { ServedName } from '../../protocol/registry/registry.ts';
import { failures, withoutResponse, type Delivery } from '../http/delivery.ts';
import { elapsedAt, type ServiceContext } from './service-context.ts';

/** A request that was read. */
export interface Arrival {
  operation: Operation;
  api: ServedName;
  arrivedAt: Instant;
  client: Client;
}

/**
 * One exchange from the request read to its end, which is counted once, whatever happens: a reply, a broken connection,
 * or a client that disconnects.
 */
export class ServerExchange {
  readonly operation: Operation;
  readonly arrivedAt: Instant;
  readonly context: ServiceContext;
  readonly #book: OperationBook;
  /** The counts of its API. */
  readonly #part: ApiCounts;
  readonly #client: Client;
  #left: (() => void) | undefined;
  #isOver = false;
  #isWatched = false;
  #isStalled = false;

  constructor(context: ServiceContext, { operation, api, arrivedAt, client }: Arrival) {
    this.operation = operation;
    this.arrivedAt = arrivedAt;
    this.context = context;
    this.#book = context.books[operation];
    this.#client = client;
    this.#book.begin();
    this.#part = context.apiBooks[api][operation];
    this.#part.received++;
    this.#part.inProgress++;
  }

  /** Time of arrival, since the start of the service. */
  get elapsed(): Ms {
    return elapsedAt(this.context, this.arrivedAt);
  }

  /** Runs the service's own work on this exchange; a bug in it is an internal error, and the process warns of it. */
  run(work: () => void | Promise<void>): void | Promise<void> {
    try {
      return work()?.catch((bug: unknown) => this.#fail(bug));
    } catch (bug) {
      this.#fail(bug);
    }
  }

  /** Ends the exchange when the service is not frozen; a hanging exchange ends when the client disconnects. */
  send(delivery: Delivery): void | Promise<void> {
    if (delivery.outcome === 'hung') return this.#endWhenGone('hung');
    const frozenUntil = this.frozenUntil();
    if (frozenUntil !== undefined) return this.hold(frozenUntil).then(() => this.send(delivery));
    if (this.#end(delivery.outcome) && this.#client.deliver(delivery)) this.#time();
  }

  /** Resolves at an instant, after silence. */
  hold(until: Instant): Promise<void> {
    this.noteStall();
    this.watch();
    return new Promise((resolve) => this.context.clock.wakeAt(until, resolve));
  }

  /** Counts that it was delayed by a fault, once. */
  noteStall(): void {
    if (!this.#isStalled) this.#book.stall();
    this.#isStalled = true;
  }

  /**
   * Detects that the client disconnects. Used only for work that takes time, because it costs more than a quick reply.
   */
  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#endWhenGone('abandoned');
  }

  /** Begins a streamed reply, which `conclude` ends, or the client by disconnecting; returns `undefined` if it already has. */
  begin(left: () => void): EventSink | undefined {
    if (this.#isOver) return undefined;
    this.#left = left;
    this.watch();
    return this.#client.open();
  }

  /** Counts the end of a streamed reply, which is written next. */
  conclude(outcome: Delivery['outcome']): void {
    if (this.#end(outcome) && outcome !== 'cut') this.#time();
  }

  /** Returns the end of the freeze that the service is in, if any. */
  frozenUntil(): Instant | undefined {
    const { context } = this;
    if (!context.faults.freezes) return undefined;
    const until = context.faults.frozenUntil(this.operation, elapsedAt(context, context.clock.now()));
    return until === undefined ? undefined : later(context.startedAt, until);
  }

  #endWhenGone(outcome: 'abandoned' | 'hung'): void {
    this.#client.onceGone(() => {
      if (this.#end(outcome)) this.#left?.();
    });
  }

  #time(): void {
    this.#book.time(between(this.arrivedAt, this.context.clock.now()));
  }

  #end(outcome: Delivery['outcome']): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#book.end(outcome);
    this.#part.inProgress--;
    this.#part.classes[outcome]++;
    return true;
  }

  #fail(bug: unknown): void {
    process.emitWarning(bug instanceof Error ? bug : new Error(String(bug)));
    if (!this.#isOver && this.#left === undefined) {
      this.#end(failures.internal.outcome);
      if (this.#client.deliver(failures.internal)) this.#time();
      return;
    }
    this.#end('closed');
    this.#client.deliver(withoutResponse('closed'));
  }
}
