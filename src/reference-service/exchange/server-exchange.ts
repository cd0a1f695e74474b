import { between, later, type Instant } from '../../base/time.ts';
import type { Operation } from '../../protocol/protocol.ts';
import type { ApiCounts, OperationBook } from '../books/operation-book.ts';
import type { EventSink } from '../http/write-delivery.ts';
import type { ProtocolName } from '../../protocol/registry/registry.ts';
import { failures, withoutResponse, type Delivery } from '../http/delivery.ts';
import { elapsedAt, type ServiceContext } from './service-context.ts';

/** Who asked: a connection of this process, or another process that holds one. */
export interface Client {
  /** Does to the connection what the delivery says. Returns whether a whole response was written here. */
  deliver(delivery: Delivery): boolean;
  /** Begins a reply in pieces. */
  open(): EventSink;
  /** Calls back when the client goes away. */
  onceGone(notice: () => void): void;
}

/** What an exchange begins with. */
export interface Arrival {
  operation: Operation;
  api: ProtocolName;
  /** When the request was read. */
  arrivedAt: Instant;
  client: Client;
}

/**
 * One exchange from the request read to its end, which is counted once, whatever happens: a reply, a broken
 * connection, or the client going away.
 */
export class ServerExchange {
  readonly operation: Operation;
  readonly arrivedAt: Instant;
  readonly #room: ServiceContext;
  readonly #book: OperationBook;
  /** The counts of its API. */
  readonly #part: ApiCounts;
  readonly #client: Client;
  #left: (() => void) | undefined;
  #isOver = false;
  #isWatched = false;
  #isStalled = false;

  constructor(room: ServiceContext, { operation, api, arrivedAt, client }: Arrival) {
    this.operation = operation;
    this.arrivedAt = arrivedAt;
    this.#room = room;
    this.#book = room.books[operation];
    this.#client = client;
    this.#book.begin();
    this.#part = room.apiBooks[api][operation];
    this.#part.received++;
    this.#part.inProgress++;
  }

  /** Runs the service's own work on this exchange; a bug in it is an internal error, and the process warns of it. */
  run(work: () => void | Promise<void>): void | Promise<void> {
    try {
      return work()?.catch((bug: unknown) => this.#fail(bug));
    } catch (bug) {
      this.#fail(bug);
    }
  }

  /** Ends the exchange, as soon as the service is not frozen; one that is left hanging ends when the client goes away. */
  give(delivery: Delivery): void | Promise<void> {
    if (delivery.outcome === 'hung') return this.#endWhenGone('hung');
    const frozenUntil = this.frozenUntil();
    if (frozenUntil === undefined) return this.#deliver(delivery);
    return this.hold(frozenUntil).then(() => this.give(delivery));
  }

  /** Silence until then. */
  hold(until: Instant): Promise<void> {
    this.noteStall();
    this.watch();
    return new Promise((resolve) => this.#room.clock.wakeAt(until, resolve));
  }

  /** Counts that it was held back by a fault, once. */
  noteStall(): void {
    if (!this.#isStalled) this.#book.stall();
    this.#isStalled = true;
  }

  /** Notices when the client goes away. For work that takes time: it costs more than a quick reply. */
  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#endWhenGone('abandoned');
  }

  /** Begins a reply in pieces, which `conclude` ends, or the client by leaving. `undefined`: it has left already. */
  begin(left: () => void): EventSink | undefined {
    if (this.#isOver) return undefined;
    this.#left = left;
    this.watch();
    return this.#client.open();
  }

  /** Counts the end of a reply in pieces, which is written next. */
  conclude(outcome: Delivery['outcome']): void {
    if (this.#end(outcome) && outcome !== 'cut') this.#time();
  }

  /** When the service will not be frozen any more; `undefined`: it is not. */
  frozenUntil(): Instant | undefined {
    const room = this.#room;
    if (!room.faults.freezes) return undefined;
    const until = room.faults.frozenUntil(this.operation, elapsedAt(room, room.clock.now()));
    return until === undefined ? undefined : later(room.startedAt, until);
  }

  #endWhenGone(outcome: 'abandoned' | 'hung'): void {
    this.#client.onceGone(() => {
      if (this.#end(outcome)) this.#left?.();
    });
  }

  #deliver(delivery: Delivery): void {
    if (!this.#end(delivery.outcome)) return;
    if (this.#client.deliver(delivery)) this.#time();
  }

  #time(): void {
    this.#book.time(between(this.arrivedAt, this.#room.clock.now()));
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
    if (this.#isOver || this.#left !== undefined) this.#end('closed');
    else return this.#deliver(failures.internal);
    this.#client.deliver(withoutResponse('closed'));
  }
}
