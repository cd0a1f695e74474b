import { isForwarded } from '../../../base/proxy-server.ts';
import { redactorOf } from '../../../base/redact.ts';
import { later, ms, type Instant } from '../../../base/time.ts';
import type { Send } from '../../../session/send.ts';
import { blankExchange } from '../response/blank-exchange.ts';
import { Connection, type ConnectionPool, type ExchangeStart, type ConnectionSettings } from './connection.ts';
import { DeadlineQueue, DueEntry } from '../exchange/deadline-queue.ts';
import { FastResponse } from '../response/fast-response.ts';
import { QueueingSender } from '../sender/queueing-sender.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import { ReadPace } from '../exchange/read-pace.ts';
import { composeRequest } from '../request/request-head.ts';

/** Large enough for nearly every response: one that is read in pieces has to be collected. */
const readBufferBytes = 256 * 1024;

/** How long a body waits for a server that does not know `Expect`: as long as curl's. */
const maxExpectationMs = ms(1000);

/** The sender over HTTP/1.1. */
export class ConnectedSender extends QueueingSender<Connection, Connection, string> implements ConnectionPool {
  readonly traffic = { bytesSent: 0, bytesReceived: 0 };
  readonly #settings: ConnectionSettings;
  /** Those whose body waits for the server to ask for it. */
  readonly #expecting: DeadlineQueue<Connection>;

  constructor(options: SenderOptions) {
    super(options, { tunnelsAlways: false });
    const { counts, exhausted, traffic, socketAim: aim } = this;
    this.#settings = { ...settingsOf(options), aim, traffic, exhausted, counts };
    this.#expecting = new DeadlineQueue(options.clock, (connection) => connection.sendBody());
  }

  readonly send: Send = (asked, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      const { route } = asked;
      const request = composeRequest(this.headOf(route), asked);
      const connection = this.#dispatch({ request, route, sentAt, resolve });
      if (leaveAfterMs !== undefined && connection !== undefined) {
        connection.leavingEntry ??= new DueEntry(connection);
        this.leaving.add(connection.leavingEntry, later(sentAt, leaveAfterMs));
      }
    });

  connected(connection: Connection): void {
    this.opening.remove(connection.openingEntry);
  }

  becameIdle(connection: Connection, due: Instant): void {
    this.underWay.remove(connection.entry);
    this.forget(connection);
    this.idle.add(connection.entry, due);
  }

  expects(connection: Connection): void {
    connection.expectEntry ??= new DueEntry(connection);
    this.#expecting.add(connection.expectEntry, later(this.#settings.clock.now(), maxExpectationMs));
  }

  left(connection: Connection): void {
    this.opening.remove(connection.openingEntry);
    this.forget(connection);
    connection.entry.list?.remove(connection.entry);
  }

  socketClosed(): void {
    this.countClosed();
  }

  protected override forget(connection: Connection): void {
    super.forget(connection);
    if (connection.expectEntry !== undefined) this.#expecting.remove(connection.expectEntry);
  }

  protected readHead(head: string): string {
    return head;
  }

  protected leaveAll(): void {
    while (this.idle.first !== undefined) this.idle.first.owner.leave();
    this.#expecting.stop();
  }

  /** Busy ones are closed behind their exchange. */
  protected leaveAstray(): void {
    for (let entry = this.idle.first; entry !== undefined;) {
      const { owner, after } = entry;
      if (owner.isAstray) owner.leave();
      entry = after;
    }
  }

  /** Gives the connection that carries it; `undefined`: none does any more. */
  #dispatch(start: ExchangeStart): Connection | undefined {
    if (this.isCut) {
      start.resolve(this.abortedBeforeSend(blankExchange(start.sentAt, false)));
      return undefined;
    }
    const due = later(start.sentAt, this.#settings.timeoutMs);
    const kept = this.idle.last;
    if (kept === undefined || kept.due <= start.sentAt) {
      const opened = new Connection(this.#settings, this, start);
      this.opened(opened, this.#settings.clock.now());
      this.underWay.add(opened.entry, due);
      return opened;
    }
    this.idle.remove(kept);
    this.underWay.add(kept, due);
    kept.owner.begin(start);
    return kept.owner;
  }
}

const settingsOf = (options: SenderOptions): Omit<ConnectionSettings, 'aim' | 'traffic' | 'exhausted' | 'counts'> => {
  const {
    baseUrl,
    clock,
    apiKey,
    redact = redactorOf(apiKey),
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
  } = options;
  return {
    clock,
    redact,
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
    limits: options,
    forwarder: options.proxy !== undefined && isForwarded(baseUrl, options.proxy) ? options.proxy : undefined,
    expectContinue: options.expectContinue ?? false,
    readBuffer: Buffer.allocUnsafeSlow(readBufferBytes),
    fastResponse: new FastResponse(options, options.cookies),
    cookies: options.cookies ?? false,
    pace: new ReadPace(),
    maxEventBytes: options.maxEventBytes ?? 2 ** 20,
  };
};
