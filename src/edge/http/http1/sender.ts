import { isForwarded } from '../../../base/proxy-server.ts';
import { later, ms, type Instant } from '../../../base/time.ts';
import type { StreamLine } from '../../../protocol/protocol.ts';
import type { Send } from '../../../session/send.ts';
import { DeadlineQueue, DueEntry } from '../exchange/deadline-queue.ts';
import { composeRequest } from '../request/request-head.ts';
import { FastResponse } from '../response/fast-response.ts';
import { QueueingSender } from '../sender/queueing-sender.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import {
  afterNextReads,
  Connection,
  type ConnectionPool,
  type ConnectionSettings,
  type ExchangeStart,
} from './connection.ts';

/** Fits nearly every response: one that takes several reads has to be collected. */
const readBufferBytes = 256 * 1024;

/** Maximum time that a body waits for a server that ignores `Expect`: the same as curl's. */
const maxExpectationMs = ms(1000);

/** Parameters of `send`, and the end of its promise. */
interface Asked extends Pick<ExchangeStart, 'resolve'> {
  readonly message: Parameters<Send>[0];
  readonly sentAt: Instant;
  readonly leaveAfterMs: Parameters<Send>[2];
}

export class ConnectedSender extends QueueingSender<Connection, Connection, string> implements ConnectionPool {
  readonly traffic = { bytesSent: 0, bytesReceived: 0 };
  readonly #settings: ConnectionSettings;
  /** Connections whose body waits for the server's request. */
  readonly #expecting: DeadlineQueue<Connection>;

  constructor(options: SenderOptions) {
    super(options, { tunnelsAlways: false });
    const { baseUrl, proxy, expectContinue = false, clock } = options;
    this.#settings = {
      ...this.settings,
      traffic: this.traffic,
      forwarder: proxy !== undefined && isForwarded(baseUrl, proxy) ? proxy : undefined,
      expectContinue,
      readBuffer: Buffer.allocUnsafeSlow(readBufferBytes),
      fastResponse: new FastResponse(options, options.cookies),
    };
    this.#expecting = new DeadlineQueue(clock, (connection) => connection.sendBody());
  }

  readonly send: Send = (message, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      if (this.idle.last?.owner.isFresh !== true) this.#begin({ message, sentAt, leaveAfterMs, resolve });
      else afterNextReads(() => this.#begin({ message, sentAt, leaveAfterMs, resolve }));
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
    this.#expecting.add(connection.expectEntry, later(this.settings.clock.now(), maxExpectationMs));
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

  /** Busy connections are closed after their exchange. */
  protected leaveAstray(): void {
    for (let entry = this.idle.first; entry !== undefined;) {
      const { owner, after } = entry;
      if (owner.isAstray) owner.leave();
      entry = after;
    }
  }

  #begin({ message, sentAt, leaveAfterMs, resolve }: Asked): void {
    if (this.isCut) return resolve(this.abortedBeforeSend(sentAt, false));
    const { route, line } = message;
    const request = composeRequest(this.headOf(route), message);
    const connection = this.#dispatch({ request, route, sentAt, resolve }, line);
    if (leaveAfterMs !== undefined) this.leaveAt(connection, later(sentAt, leaveAfterMs));
  }

  #dispatch(start: ExchangeStart, line: StreamLine | undefined): Connection {
    const due = later(start.sentAt, this.#settings.timeoutMs);
    const kept = this.idle.last;
    if (kept === undefined || kept.due <= start.sentAt) {
      const opened = new Connection(this.#settings, this, start);
      this.opened(opened, this.#settings.clock.now());
      if (line === undefined) this.underWay.add(opened.entry, due);
      else this.listen(opened, line);
      return opened;
    }
    this.idle.remove(kept);
    if (line === undefined) this.underWay.add(kept, due);
    else this.listen(kept.owner, line);
    kept.owner.begin(start);
    return kept.owner;
  }
}
