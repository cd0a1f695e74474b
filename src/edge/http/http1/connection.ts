import type { Socket } from 'node:net';
import { between, later, type Instant, type Ms } from '../../../base/time.ts';
import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { Exchange } from '../../../session/send.ts';
import { connectFailureText, describeConnectFailure, describeTlsFailure } from '../connect/connect-failure.ts';
import { openSocket, type OpeningSocket } from '../connect/open-socket.ts';
import { proxyUnauthorized } from '../connect/proxy-failure.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { AddressCounts } from '../exchange/transport-counts.ts';
import type { RequestText } from '../request/request-head.ts';
import { blankExchange, type WantedOfResponse } from '../response/exchange-reading.ts';
import { ResponseReading, type BufferedReadingSettings } from '../response/response-reading.ts';
import type { SenderSettings } from '../sender/queueing-sender.ts';

export interface ConnectionSettings extends SenderSettings, BufferedReadingSettings {
  /** The proxy that forwards requests: a 407 is its own. */
  forwarder: ProxyServer | undefined;
  /** True if bodies wait until the server requests them. */
  expectContinue: boolean;
  traffic: { bytesSent: number; bytesReceived: number };
}

export interface ConnectionPool {
  connected(connection: Connection): void;
  /** The exchange is over, and the connection may carry another one until `due`. */
  becameIdle(connection: Connection, due: Instant): void;
  /** The connection carries no further exchange. */
  left(connection: Connection): void;
  receivedContent(connection: Connection, now: Instant): void;
  /** The body waits for the server's request, for a limited time. */
  expects(connection: Connection): void;
  socketClosed(connection: Connection): void;
}

/** Start of one exchange. `resolve` is called once, with an exchange that no longer changes. */
export interface ExchangeStart {
  request: RequestText;
  route: WantedOfResponse;
  sentAt: Instant;
  resolve: (exchange: Exchange) => void;
}

/** One socket, opened for its first exchange, and the exchange in progress on it. */
export class Connection {
  /** Entry in the queue of exchanges in progress, or of idle connections. */
  readonly entry = new DueEntry<Connection>(this);
  readonly openingEntry = new DueEntry<Connection>(this);
  leavingEntry: DueEntry<Connection> | undefined;
  stallEntry: DueEntry<Connection> | undefined;
  /** Entry in the queue of waiting bodies. */
  expectEntry: DueEntry<Connection> | undefined;
  /**
   * True just after the first response: the server may have closed the connection together with it, which only the next read
   * shows. A request that is sent before would be lost.
   */
  isFresh = false;
  #phase: 'connecting' | 'busy' | 'idle' | 'left' = 'connecting';
  readonly #settings: ConnectionSettings;
  readonly #pool: ConnectionPool;
  #opening: OpeningSocket | undefined;
  #socket: Socket | undefined;
  readonly #reading: ResponseReading;
  #resolve: ExchangeStart['resolve'];
  #address = new AddressCounts();
  /** The request while connecting: released afterwards, because thousands of replies are awaited at once. */
  #unsent: RequestText | undefined;
  /** The body that waits for the server's request. */
  #heldBody: RequestText | undefined;

  constructor(settings: ConnectionSettings, pool: ConnectionPool, start: ExchangeStart) {
    this.#settings = settings;
    this.#pool = pool;
    this.#resolve = start.resolve;
    this.#unsent = start.request;
    this.#reading = new ResponseReading(settings);
    this.#reading.begin(blankExchange(start.sentAt, false), start.route);
    const openedAt = settings.clock.now();
    const onread = { buffer: settings.readBuffer, callback: (count: number) => this.#read(count) };
    this.#opening = openSocket(settings.aim, onread, {
      ready: (socket, address) => this.#ready({ socket, address, openedAt }),
      failed: (error) => this.#failConnecting(error),
    });
  }

  get isAstray(): boolean {
    return this.#address.isGone;
  }

  get hasReplyEnded(): boolean {
    return this.#reading.hasReplyEnded;
  }

  get progress(): string {
    if (this.#phase === 'connecting') return 'while connecting';
    const { exchange, progress } = this.#reading;
    return exchange.reused ? `${progress} on a kept connection` : progress;
  }

  /** Only on an idle connection. */
  begin(start: ExchangeStart): void {
    this.#phase = 'busy';
    this.#resolve = start.resolve;
    this.#reading.begin(blankExchange(start.sentAt, true), start.route);
    this.#start(start.request);
  }

  giveUpConnecting(): void {
    if (this.#opening === undefined) return;
    const failure = this.#opening.describeTimeout(this.#settings.connectTimeoutMs);
    this.fail('connect_failed', connectFailureText(failure, this.#settings.redact));
  }

  /** Closes the socket. No exchange may be in progress: it would never end. */
  leave(): void {
    if (this.#phase === 'left') return;
    this.#phase = 'left';
    this.#pool.left(this);
    this.#socket?.destroy();
    if (this.#opening === undefined) return;
    this.#opening.cancel();
    this.#pool.socketClosed(this);
  }

  /** Ends the exchange in progress as failed; the received part of the reply is kept. */
  fail(failure: ExchangeFailure, detail: string): void {
    if (this.#phase === 'left' || this.#phase === 'idle') return;
    const { exchange } = this.#reading;
    const { forwarder, redact, clock } = this.#settings;
    exchange.endedAt = clock.now();
    this.#reading.keepPart();
    // The proxy itself has answered, and may close the connection: nothing of the request has reached the target.
    const isRefused = forwarder !== undefined && exchange.status === 407 && failure !== 'aborted';
    exchange.failure = isRefused ? 'connect_failed' : failure;
    exchange.detail = safeDetail(
      isRefused ? connectFailureText(proxyUnauthorized(forwarder, { status: '407' }).failure, redact) : detail,
      redact,
    );
    this.leave();
    this.#handOver();
  }

  #ready({ socket, address, openedAt }: { socket: Socket; address: string; openedAt: Instant }): void {
    this.#phase = 'busy';
    this.#opening = undefined;
    this.#socket = socket;
    socket.on('error', (error) => this.#lose(error));
    socket.on('end', () => this.#endStream());
    socket.on('close', () => this.#close());
    this.#pool.connected(this);
    const { aim, counts, clock } = this.#settings;
    this.#address = counts.at(address);
    this.#address.connections++;
    counts.tls.add(socket, aim.tls?.rejectUnauthorized !== false);
    this.#reading.exchange.connectMs = between(openedAt, clock.readAt());
    if (this.#unsent !== undefined) this.#start(this.#unsent);
    this.#unsent = undefined;
  }

  #start(request: RequestText): void {
    if (this.#settings.expectContinue) this.#writeHead(request);
    else this.#write(request);
  }

  /** Writes the head of a request with a body; the body waits. */
  #writeHead(request: RequestText): void {
    const { text, encoding, bytes } = request;
    const head = text.slice(0, text.indexOf(endOfHead) + endOfHead.length);
    if (head.length === text.length) return this.#write(request);
    const headBytes = Buffer.byteLength(head, encoding);
    this.#heldBody = { text: text.slice(head.length), encoding, bytes: bytes - headBytes };
    this.#write({ text: head, encoding, bytes: headBytes });
    this.#pool.expects(this);
  }

  /** Writes the waiting body: the server requested it, or it has waited long enough. */
  sendBody(): void {
    const body = this.#heldBody;
    this.#heldBody = undefined;
    if (body !== undefined && this.#phase === 'busy') this.#write(body);
  }

  #write({ text, encoding, bytes }: RequestText): void {
    this.#settings.traffic.bytesSent += bytes;
    this.#socket?.write(text, encoding);
  }

  /** `count` bytes are in the read buffer. Returns true: go on reading. */
  #read(count: number): true {
    this.#settings.traffic.bytesReceived += count;
    if (this.#phase === 'busy') this.#receive(count, this.#settings.clock.readAt());
    else this.leave();
    return true;
  }

  #receive(count: number, now: Instant): void {
    const reading = this.#reading;
    if (reading.take(count, now)) this.#conclude(now);
    else if (this.#heldBody !== undefined && reading.isContinued) this.sendBody();
    else if (reading.newEvents > 0) this.#pool.receivedContent(this, now);
  }

  #conclude(now: Instant): void {
    const { failure, detail, idleFor } = this.#reading;
    const { forwarder } = this.#settings;
    if (forwarder !== undefined && this.#reading.exchange.status === 407) this.fail('connect_failed', '');
    // Some close it then without notice (tinyproxy): requests sent meanwhile would be lost.
    else if (failure === undefined) this.#complete(now, forwarder === undefined ? idleFor : undefined);
    else this.fail(failure, detail);
  }

  /** Handles a complete response. `idleFor`: time that the connection may wait for another exchange, if any. */
  #complete(now: Instant, idleFor: Ms | undefined): void {
    const socket = this.#socket;
    this.#reading.exchange.endedAt = now;
    this.#address.exchanges++;
    this.#settings.counts.exchanges.http1++;
    // A response may arrive before the request was written to its end, or its body was requested: the remaining bytes
    // would reach the next exchange.
    const isWritten = socket?.writable === true && socket.writableLength === 0;
    if (idleFor !== undefined && this.#heldBody === undefined && !this.#address.isGone && isWritten) {
      this.#phase = 'idle';
      if (!this.#reading.exchange.reused) this.#beFresh();
      this.#pool.becameIdle(this, later(now, idleFor));
    } else {
      this.leave();
    }
    this.#handOver();
  }

  #beFresh(): void {
    this.isFresh = true;
    afterNextReads(() => (this.isFresh = false));
  }

  #handOver(): void {
    const resolve = this.#resolve;
    this.#resolve = noListener;
    resolve(this.#reading.release());
  }

  #endStream(): void {
    if (this.#phase === 'idle') return this.leave();
    if (this.#phase !== 'busy') return;
    // A reset that arrives with the last bytes is reported as an end; the peer's address is gone then.
    if (this.#settings.aim.unixSocket === undefined && this.#socket?.remoteAddress === undefined)
      return this.fail('connection_lost', `the server reset the connection ${this.progress}`);
    if (!this.#reading.end()) return this.fail('connection_lost', `the server closed the connection ${this.progress}`);
    this.#conclude(this.#settings.clock.now());
  }

  #lose(error: Error): void {
    if (this.#phase === 'idle') return this.leave();
    const code = 'code' in error ? String(error.code) : '';
    // A server may refuse a TLS handshake after the first request was sent.
    const reason = code.startsWith('ERR_SSL_') ? describeTlsFailure(code, error.message).what : error.message;
    this.fail('connection_lost', `the connection broke ${this.progress}: ${reason}`);
  }

  #failConnecting(error: Error): void {
    const { aim, counts, redact } = this.#settings;
    const failure = describeConnectFailure(error, aim.place);
    counts.noteLack(failure.lack);
    this.fail('connect_failed', connectFailureText(failure, redact));
  }

  #close(): void {
    this.fail('connection_lost', `the connection was closed ${this.progress}`);
    this.leave();
    this.#pool.socketClosed(this);
  }
}

/** Calls back after the next reads of all sockets: the first callback precedes these reads, the second one follows them. */
export function afterNextReads(action: () => void): void {
  setImmediate(() => setImmediate(action));
}

const endOfHead = '\r\n\r\n';

const noListener = (): void => undefined;
