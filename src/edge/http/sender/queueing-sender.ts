import { redactorOf } from '../../../base/redact.ts';
import { later, ms, type Instant, type Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { HeaderFields, Route, StreamLine } from '../../../protocol/protocol.ts';
import type { Exchange, Send, Transport } from '../../../session/send.ts';
import { watchAddresses, type AddressWatch } from '../connect/address-watch.ts';
import { aimSocket, type SocketAim } from '../connect/socket-aim.ts';
import { DeadlineQueue, describeStall, describeTimeout, DueEntry } from '../exchange/deadline-queue.ts';
import { ReadPace } from '../exchange/read-pace.ts';
import { TransportCounts } from '../exchange/transport-counts.ts';
import { authorizationOf, checkBaseUrl, composeRequestHead, type RequestAim } from '../request/request-head.ts';
import { blankExchange, type ReadingSettings } from '../response/exchange-reading.ts';
import type { Sender, SenderOptions } from './sender-options.ts';

/** Settings and resources that the connections and exchanges of one sender share. */
export interface SenderSettings
  extends ReadingSettings, Pick<SenderOptions, 'clock' | 'timeoutMs' | 'connectTimeoutMs' | 'idleConnectionMs'> {
  aim: SocketAim;
  counts: TransportCounts;
}

interface Queued<Self> {
  /**
   * Entries in the queues of exchanges whose user leaves, and of streams that may stall; created only for runs that
   * need them.
   */
  leavingEntry: DueEntry<Self> | undefined;
  stallEntry: DueEntry<Self> | undefined;
  readonly hasReplyEnded: boolean;
  readonly progress: string;
  fail(failure: ExchangeFailure, detail: string): void;
}

interface QueuedConnection<Self> {
  readonly openingEntry: DueEntry<Self>;
  giveUpConnecting(): void;
  leave(): void;
}

/**
 * The common part of the senders over both versions of HTTP: queues of connections and of exchanges in progress, heads of
 * requests, counts. `Head` is the head of a request in the form of its version.
 */
export abstract class QueueingSender<
  Each extends Queued<Each>,
  Link extends QueuedConnection<Link>,
  Head,
> implements Sender {
  readonly connections = { open: 0, opened: 0 };
  abstract readonly traffic: Sender['traffic'];
  abstract readonly send: Send;
  protected readonly settings: SenderSettings;
  protected readonly opening: DeadlineQueue<Link>;
  /** The last one is used first over HTTP/1.1, so that the others can expire. */
  protected readonly idle: DeadlineQueue<Link>;
  protected readonly underWay: DeadlineQueue<Each>;
  /** Streams that stay open as long as their sessions. */
  protected readonly listening = new Set<Each>();
  protected isCut = false;
  /** Exchanges whose user leaves before they end. */
  readonly #leaving: DeadlineQueue<Each>;
  /** Streamed replies whose content has begun. */
  readonly #stalling: DeadlineQueue<Each>;
  readonly #stallTimeoutMs: Ms | null;
  /** Follows a service that moves; `undefined`: its addresses are fixed. */
  readonly #watch: AddressWatch | undefined;
  #aim: Omit<RequestAim, 'route'>;
  /** One head per route, released with it. */
  #heads = new WeakMap<Route, Head>();
  #closed: Promise<void> | undefined;
  #reportClosed: () => void = () => undefined;

  /** `tunnelsAlways`: a proxy always opens a tunnel, and requests are never addressed to it. */
  constructor(options: SenderOptions, { tunnelsAlways }: { tunnelsAlways: boolean }) {
    checkBaseUrl(options.baseUrl);
    const { clock, timeoutMs, connectTimeoutMs, idleConnectionMs, stallTimeoutMs = null, proxy } = options;
    const { dnsRefreshMs: refreshMs = null, lookUp } = options;
    this.#aim = { ...options, proxy: tunnelsAlways ? undefined : proxy, authorization: authorizationOf(options) };
    const aim = aimSocket(options.baseUrl, options.tls, { ...options, tunnelsAlways });
    const counts = new TransportCounts(proxy?.name);
    this.settings = {
      aim,
      clock,
      counts,
      timeoutMs,
      connectTimeoutMs,
      idleConnectionMs,
      limits: options,
      maxEventBytes: options.maxEventBytes ?? 2 ** 20,
      redact: options.redact ?? redactorOf(options.apiKey),
      cookies: options.cookies ?? false,
      pace: new ReadPace(),
    };
    this.opening = new DeadlineQueue(clock, (connection) => connection.giveUpConnecting());
    this.idle = new DeadlineQueue(clock, (connection) => connection.leave());
    this.underWay = new DeadlineQueue(clock, (exchange) =>
      exchange.fail('timed_out', describeTimeout(timeoutMs, exchange)),
    );
    this.#leaving = new DeadlineQueue(clock, (exchange) =>
      exchange.fail('abandoned', `the user left ${exchange.progress}`),
    );
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#stalling = new DeadlineQueue(clock, (exchange) =>
      exchange.fail('timed_out', describeStall(stallTimeoutMs ?? ms(0), exchange)),
    );
    const found = (addresses: ReadonlySet<string>): void => {
      if (counts.lookedUp(addresses)) this.leaveAstray();
    };
    if (refreshMs !== null && aim.isLookedUp)
      this.#watch = watchAddresses({ host: aim.host, refreshMs, clock, lookUp, found });
  }

  get exhausted(): Sender['exhausted'] {
    return this.settings.counts.exhausted;
  }

  authorize(authorization: HeaderFields): void {
    this.#aim = { ...this.#aim, authorization };
    this.#heads = new WeakMap();
  }

  transport(): Transport {
    return this.settings.counts.account();
  }

  cut(): void {
    this.isCut = true;
    for (let entry = this.underWay.first; entry !== undefined; entry = this.underWay.first)
      entry.owner.fail('aborted', `the run was cut ${entry.owner.progress}`);
    for (const stream of [...this.listening]) stream.fail('aborted', `the run was cut ${stream.progress}`);
  }

  close(): Promise<void> {
    this.cut();
    this.leaveAll();
    for (const queue of [this.opening, this.underWay, this.idle, this.#leaving, this.#stalling]) queue.stop();
    this.#watch?.stop();
    this.#closed ??= new Promise((resolve) => {
      this.#reportClosed = resolve;
      if (this.connections.open === 0) resolve();
    });
    return this.#closed;
  }

  receivedContent(exchange: Each, now: Instant): void {
    if (this.#stallTimeoutMs === null) return;
    exchange.stallEntry ??= new DueEntry(exchange);
    this.#stalling.remove(exchange.stallEntry);
    this.#stalling.add(exchange.stallEntry, later(now, this.#stallTimeoutMs));
  }

  /** Begins a stream without a time-out, which its session closes. */
  protected listen(stream: Each, line: StreamLine): void {
    this.listening.add(stream);
    line.close = () => stream.fail('abandoned', `the session ended ${stream.progress}`);
  }

  /** Schedules the instant at which the user leaves, unless the exchange has ended by then. */
  protected leaveAt(exchange: Each, due: Instant): void {
    exchange.leavingEntry ??= new DueEntry(exchange);
    this.#leaving.add(exchange.leavingEntry, due);
  }

  protected forget(exchange: Each): void {
    const { leavingEntry, stallEntry } = exchange;
    this.listening.delete(exchange);
    if (leavingEntry !== undefined) this.#leaving.remove(leavingEntry);
    if (stallEntry !== undefined) this.#stalling.remove(stallEntry);
  }

  protected opened(connection: Link, now: Instant): void {
    this.#watch?.start();
    this.connections.open++;
    this.connections.opened++;
    this.opening.add(connection.openingEntry, later(now, this.settings.connectTimeoutMs));
  }

  protected countClosed(): void {
    this.connections.open--;
    if (this.connections.open === 0) this.#reportClosed();
  }

  protected headOf(route: Route): Head {
    let head = this.#heads.get(route);
    if (head === undefined) this.#heads.set(route, (head = this.readHead(composeRequestHead({ ...this.#aim, route }))));
    return head;
  }

  protected abortedBeforeSend(sentAt: Instant, isHttp2: boolean): Exchange {
    const detail = 'the run was cut before it was sent';
    const endedAt = this.settings.clock.now();
    return { ...blankExchange(sentAt, false, isHttp2), endedAt, failure: 'aborted', detail };
  }

  /** Converts a head that was composed for HTTP/1.1 to this version. */
  protected abstract readHead(head: string): Head;

  /** Closes connections to addresses that are gone, or stops using them. */
  protected abstract leaveAstray(): void;

  /** Closes every remaining connection after all exchanges were cut. */
  protected abstract leaveAll(): void;
}
