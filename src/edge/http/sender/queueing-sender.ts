import { later, ms, type Clock, type Instant, type Ms } from '../../../base/time.ts';
import type { HeaderFields, Route } from '../../../protocol/protocol.ts';
import type { Exchange, Send, Transport } from '../../../session/send.ts';
import { watchAddresses, type AddressWatch } from '../connect/address-watch.ts';
import { aimSocket, type SocketAim } from '../connect/open-socket.ts';
import type { Sender, SenderOptions } from './sender-options.ts';
import { authorizationOf, checkBaseUrl, composeRequestHead, type RequestAim } from '../request/request-head.ts';
import { DeadlineQueue, DueEntry } from '../exchange/deadline-queue.ts';
import { TransportCounts } from '../exchange/transport-counts.ts';

/** An exchange under way, as its queues know it. */
interface Queued<Self> {
  /** In the lists of exchanges whose user leaves, and of streams that may stall: made where a run has such. */
  leavingEntry: DueEntry<Self> | undefined;
  stallEntry: DueEntry<Self> | undefined;
  timeOut(): void;
  userLeaves(): void;
  stall(afterMs: Ms): void;
  abort(): void;
}

/** A connection, as its queues know it. */
interface QueuedConnection<Self> {
  /** In the list of connections being opened. */
  readonly openingEntry: DueEntry<Self>;
  giveUpConnecting(): void;
  leave(): void;
}

/**
 * What senders over both versions of HTTP are made of: queues of connections and of exchanges under way, heads of
 * requests, counts. `Head` is the head of a request as its version writes it.
 */
export abstract class QueueingSender<
  Each extends Queued<Each>,
  Link extends QueuedConnection<Link>,
  Head,
> implements Sender {
  readonly connections = { open: 0, opened: 0 };
  readonly exhausted = { descriptorsExhausted: 0, portsExhausted: 0 };
  abstract readonly traffic: Sender['traffic'];
  abstract readonly send: Send;
  protected readonly counts: TransportCounts;
  protected readonly socketAim: SocketAim;
  protected readonly opening: DeadlineQueue<Link>;
  /** The last one is used first over HTTP/1.1, so that the others can expire. */
  protected readonly idle: DeadlineQueue<Link>;
  protected readonly underWay: DeadlineQueue<Each>;
  /** Exchanges whose user leaves before they end. */
  protected readonly leaving: DeadlineQueue<Each>;
  protected isCut = false;
  /** Streamed replies whose content has begun. */
  readonly #stalling: DeadlineQueue<Each>;
  readonly #stallTimeoutMs: Ms | null;
  readonly #clock: Clock;
  readonly #connectTimeoutMs: Ms;
  /** Follows a service that moves; `undefined`: its addresses are given. */
  readonly #watch: AddressWatch | undefined;
  #aim: Omit<RequestAim, 'route'>;
  #heads = new WeakMap<Route, Head>();
  #closed: Promise<void> | undefined;
  #reportClosed: () => void = () => undefined;

  /** `tunnelsAlways`: a proxy makes a tunnel, and no request is meant for it. */
  constructor(options: SenderOptions, { tunnelsAlways }: { tunnelsAlways: boolean }) {
    checkBaseUrl(options.baseUrl);
    const { clock, stallTimeoutMs = null, proxy } = options;
    this.counts = new TransportCounts(proxy?.name);
    this.#aim = { ...options, proxy: tunnelsAlways ? undefined : proxy, authorization: authorizationOf(options) };
    this.socketAim = aimSocket(options.baseUrl, options.tls, { ...options, tunnelsAlways });
    this.#clock = clock;
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.opening = new DeadlineQueue(clock, (connection) => connection.giveUpConnecting());
    this.idle = new DeadlineQueue(clock, (connection) => connection.leave());
    this.underWay = new DeadlineQueue(clock, (exchange) => exchange.timeOut());
    this.leaving = new DeadlineQueue(clock, (exchange) => exchange.userLeaves());
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#stalling = new DeadlineQueue(clock, (exchange) => exchange.stall(stallTimeoutMs ?? ms(0)));
    this.#watch = watchAddresses(this.socketAim, options, (addresses) => {
      if (this.counts.lookedUp(addresses)) this.leaveAstray();
    });
  }

  authorize(authorization: HeaderFields): void {
    this.#aim = { ...this.#aim, authorization };
    this.#heads = new WeakMap();
  }

  transport(): Transport {
    return this.counts.account();
  }

  cut(): void {
    this.isCut = true;
    while (this.underWay.first !== undefined) this.underWay.first.owner.abort();
  }

  close(): Promise<void> {
    this.cut();
    this.leaveAll();
    for (const list of [this.opening, this.underWay, this.idle, this.leaving, this.#stalling]) list.stop();
    this.#watch?.stop();
    this.#closed ??= new Promise((resolve) => {
      this.#reportClosed = resolve;
      if (this.connections.open === 0) resolve();
    });
    return this.#closed;
  }

  /** Content of a streamed reply has come. */
  heard(exchange: Each, now: Instant): void {
    if (this.#stallTimeoutMs === null) return;
    exchange.stallEntry ??= new DueEntry(exchange);
    this.#stalling.remove(exchange.stallEntry);
    this.#stalling.add(exchange.stallEntry, later(now, this.#stallTimeoutMs));
  }

  /** Forgets what was to happen during an exchange. */
  protected forget({ leavingEntry, stallEntry }: Each): void {
    if (leavingEntry !== undefined) this.leaving.remove(leavingEntry);
    if (stallEntry !== undefined) this.#stalling.remove(stallEntry);
  }

  protected opened(connection: Link, now: Instant): void {
    this.#watch?.start();
    this.connections.open++;
    this.connections.opened++;
    this.opening.add(connection.openingEntry, later(now, this.#connectTimeoutMs));
  }

  protected countClosed(): void {
    this.connections.open--;
    if (this.connections.open === 0) this.#reportClosed();
  }

  /** Made once for a route, and forgotten with it. */
  protected headOf(route: Route): Head {
    let head = this.#heads.get(route);
    if (head === undefined) this.#heads.set(route, (head = this.readHead(composeRequestHead({ ...this.#aim, route }))));
    return head;
  }

  protected abortedBeforeSend(blank: Exchange): Exchange {
    const detail = 'the run was cut before it was sent';
    return { ...blank, endedAt: this.#clock.now(), failure: 'aborted', detail };
  }

  /** Turns a head that was composed for HTTP/1.1 into one of this version. */
  protected abstract readHead(head: string): Head;

  /** Closes connections to addresses that are gone, or lets them take nothing more. */
  protected abstract leaveAstray(): void;

  /** Closes every connection that is left when all exchanges were cut. */
  protected abstract leaveAll(): void;
}
