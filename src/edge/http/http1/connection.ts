import type { Socket } from 'node:net';
import { between, later, type Instant, type Ms, type Clock } from '../../../base/time.ts';
import type { Exchange } from '../../../session/send.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { AddressCounts, TransportCounts } from '../exchange/transport-counts.ts';
import { blankExchange } from '../response/blank-exchange.ts';
import { describeConnectFailure, connectFailureText } from '../connect/connect-failure.ts';
import { DueEntry, wordStall, wordTimeout } from '../exchange/deadline-queue.ts';
import { openSocket, type OpeningSocket, type SocketAim } from '../connect/open-socket.ts';
import type { RequestText } from '../request/request-head.ts';
import { ResponseReading, type WantedOfResponse } from '../response/response-reading.ts';
import { proxyUnauthorized } from '../connect/proxy-failure.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { describeTlsFailure } from '../connect/tls-failure.ts';
import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { ReadingSettings } from '../response/keep-response.ts';

/** What the connections of one sender share. */
export interface ConnectionSettings extends ReadingSettings {
  aim: SocketAim;
  /** The proxy that requests are sent to, to be forwarded: a 407 is its own. */
  forwarder: ProxyServer | undefined;
  clock: Clock;
  /** Whether bodies wait until the server asks for them. */
  expectContinue: boolean;
  timeoutMs: Ms;
  connectTimeoutMs: Ms;
  counts: TransportCounts;
  traffic: { bytesSent: number; bytesReceived: number };
  exhausted: { descriptorsExhausted: number; portsExhausted: number };
}

/** The owner of the connections. */
export interface ConnectionPool {
  /** Connecting is over. */
  connected(connection: Connection): void;
  /** The exchange is over, and the connection may carry another one until `due`. */
  becameIdle(connection: Connection, due: Instant): void;
  /** The connection will carry nothing more. */
  left(connection: Connection): void;
  /** Content of a reply in pieces has come. */
  heard(connection: Connection, now: Instant): void;
  /** Its body waits for the server to ask for it, but not for ever. */
  expects(connection: Connection): void;
  /** Its socket is closed. */
  socketClosed(connection: Connection): void;
}

/** What one exchange starts from. `resolve` is called once, with an exchange that does not change any more. */
export interface ExchangeStart {
  request: RequestText;
  route: WantedOfResponse;
  sentAt: Instant;
  resolve: (exchange: Exchange) => void;
}

/** One socket, opened for its first exchange, and the exchange under way on it. */
export class Connection {
  /** In the list of exchanges under way, or of idle connections. */
  readonly entry = new DueEntry<Connection>(this);
  /** In the list of connections being opened. */
  readonly openingEntry = new DueEntry<Connection>(this);
  /** In the lists of exchanges whose user leaves, and of streams that may stall: made where a run has such. */
  leavingEntry: DueEntry<Connection> | undefined;
  stallEntry: DueEntry<Connection> | undefined;
  /** In the list of those whose body waits. */
  expectEntry: DueEntry<Connection> | undefined;
  #phase: 'connecting' | 'busy' | 'idle' | 'left' = 'connecting';
  readonly #settings: ConnectionSettings;
  readonly #pool: ConnectionPool;
  /** Until it is ready to be written to. */
  #opening: OpeningSocket | undefined;
  /** From then on. */
  #socket: Socket | undefined;
  readonly #reading: ResponseReading;
  #resolve: ExchangeStart['resolve'];
  /** Where what it carries is counted. */
  #address: Pick<AddressCounts, 'connections' | 'exchanges' | 'isGone'> = {
    connections: 0,
    exchanges: 0,
    isGone: false,
  };
  /** What is still to be written: forgotten then, since replies are waited for in thousands at once. */
  #unsent: RequestText | undefined;
  /** The body that waits for the server to ask for it. */
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
      failed: (error) => this.#loseConnecting(error),
    });
  }

  /** Whether the service has moved away from its address. */
  get isAstray(): boolean {
    return this.#address.isGone;
  }

  /** Only on an idle connection. */
  begin(start: ExchangeStart): void {
    this.#phase = 'busy';
    this.#resolve = start.resolve;
    this.#reading.begin(blankExchange(start.sentAt, true), start.route);
    this.#start(start.request);
  }

  /** The total timeout of the exchange is over. */
  timeOut(): void {
    this.#fail('timed_out', wordTimeout(this.#settings.timeoutMs, this.#standing));
  }

  /** Nothing of a reply in pieces came for as long as its content may stall. */
  stall(afterMs: Ms): void {
    this.#fail('timed_out', wordStall(afterMs, this.#standing));
  }

  /** The user leaves: what came of the reply is kept. */
  userLeaves(): void {
    this.#fail('abandoned', `the user left ${this.#progress}`);
  }

  /** The connect timeout is over. */
  giveUpConnecting(): void {
    if (this.#opening === undefined) return;
    const failure = this.#opening.describeTimeout(this.#settings.connectTimeoutMs);
    this.#fail('connect_failed', connectFailureText(failure, this.#settings.redact));
  }

  /** Ends the exchange under way as `aborted`. */
  abort(): void {
    this.#fail('aborted', `the run was cut ${this.#progress}`);
  }

  /** Closes the socket. No exchange may be waiting: nothing would notify it. */
  leave(): void {
    if (this.#phase === 'left') return;
    this.#phase = 'left';
    this.#pool.left(this);
    this.#socket?.destroy();
    if (this.#opening === undefined) return;
    this.#opening.cancel();
    this.#pool.socketClosed(this);
  }

  #ready({ socket, address, openedAt }: { socket: Socket; address: string; openedAt: Instant }): void {
    this.#phase = 'busy';
    this.#opening = undefined;
    this.#socket = socket;
    socket.on('error', (error) => this.#lose(error));
    socket.on('end', () => this.#endStream());
    socket.on('close', () => this.#close());
    this.#pool.connected(this);
    this.#address = this.#settings.counts.at(address);
    this.#address.connections++;
    const { tls } = this.#settings.aim;
    if (tls !== undefined) this.#settings.counts.tls.add(socket, tls.rejectUnauthorized !== false);
    this.#reading.exchange.connectMs = between(openedAt, this.#settings.clock.now());
    if (this.#unsent !== undefined) this.#start(this.#unsent);
    this.#unsent = undefined;
  }

  #start(request: RequestText): void {
    if (this.#settings.expectContinue) this.#writeHead(request);
    else this.#write(request);
  }

  /** Of a request with a body the head alone; the body waits. */
  #writeHead(request: RequestText): void {
    const { text, encoding, bytes } = request;
    const head = text.slice(0, text.indexOf(endOfHead) + endOfHead.length);
    if (head.length === text.length) return this.#write(request);
    const headBytes = Buffer.byteLength(head, encoding);
    this.#heldBody = { text: text.slice(head.length), encoding, bytes: bytes - headBytes };
    this.#write({ text: head, encoding, bytes: headBytes });
    this.#pool.expects(this);
  }

  /** Writes the body that waited: the server asked for it, or it has waited long enough. */
  sendBody(): void {
    const body = this.#heldBody;
    this.#heldBody = undefined;
    if (body !== undefined && this.#phase === 'busy') this.#write(body);
  }

  #write({ text, encoding, bytes }: RequestText): void {
    this.#settings.traffic.bytesSent += bytes;
    this.#socket?.write(text, encoding);
  }

  /** `count` bytes are in the read buffer. True: go on reading. */
  #read(count: number): true {
    this.#settings.traffic.bytesReceived += count;
    if (this.#phase === 'busy') this.#receive(count, this.#settings.clock.now());
    else this.leave();
    return true;
  }

  #receive(count: number, now: Instant): void {
    const reading = this.#reading;
    if (reading.take(count, now)) this.#conclude(now);
    else if (this.#heldBody !== undefined && reading.isContinued) this.sendBody();
    else if (reading.cameNow > 0) this.#pool.heard(this, now);
  }

  #conclude(now: Instant): void {
    const { failure, detail, idleFor } = this.#reading;
    const { forwarder } = this.#settings;
    if (forwarder !== undefined && this.#reading.exchange.status === 407) this.#fail('connect_failed', '');
    // Some close it then and do not say so (tinyproxy): what is sent meanwhile would be lost.
    else if (failure === undefined) this.#complete(now, forwarder === undefined ? idleFor : undefined);
    else this.#fail(failure, detail);
  }

  /** A whole response is here. `idleFor` is how long the connection may wait for another exchange, if it may at all. */
  #complete(now: Instant, idleFor: Ms | undefined): void {
    const socket = this.#socket;
    this.#reading.exchange.endedAt = now;
    this.#address.exchanges++;
    this.#settings.counts.exchanges.http1++;
    // A response may come before the request was written to its end: what is left of it would reach the next one.
    // Nor may a body that the server did not ask for come there.
    if (idleFor !== undefined && this.#heldBody === undefined && !this.#address.isGone && isWritten(socket)) {
      this.#phase = 'idle';
      this.#pool.becameIdle(this, later(now, idleFor));
    } else {
      this.leave();
    }
    this.#hand();
  }

  #fail(failure: ExchangeFailure, detail: string): void {
    if (this.#phase === 'left' || this.#phase === 'idle') return;
    const { exchange } = this.#reading;
    const { forwarder, redact } = this.#settings;
    exchange.endedAt = this.#settings.clock.now();
    this.#reading.keepPart();
    // The proxy has answered for itself, and may hang up on the request: nothing of it has reached the target.
    const isRefused = forwarder !== undefined && exchange.status === 407 && failure !== 'aborted';
    exchange.failure = isRefused ? 'connect_failed' : failure;
    exchange.detail = safeDetail(
      isRefused ? connectFailureText(proxyUnauthorized(forwarder).failure, redact) : detail,
      redact,
    );
    this.leave();
    this.#hand();
  }

  /** Hands the exchange over, and forgets it. */
  #hand(): void {
    const resolve = this.#resolve;
    this.#resolve = noOne;
    resolve(this.#reading.release());
  }

  #endStream(): void {
    if (this.#phase === 'idle') return this.leave();
    if (this.#phase !== 'busy') return;
    // A reset that arrives with the last bytes is reported as an end; the peer's address is gone then.
    if (this.#settings.aim.unixSocket === undefined && this.#socket?.remoteAddress === undefined) {
      return this.#fail('connection_lost', `the server reset the connection ${this.#progress}`);
    }
    if (!this.#reading.end())
      return this.#fail('connection_lost', `the server closed the connection ${this.#progress}`);
    this.#conclude(this.#settings.clock.now());
  }

  #lose(error: Error): void {
    if (this.#phase === 'idle') return this.leave();
    this.#fail('connection_lost', `the connection broke ${this.#progress}: ${wordBreak(error)}`);
  }

  #loseConnecting(error: Error): void {
    const { aim, exhausted } = this.#settings;
    const failure = describeConnectFailure(error, aim.place);
    if (failure.lack === 'descriptor') exhausted.descriptorsExhausted++;
    if (failure.lack === 'port') exhausted.portsExhausted++;
    this.#fail('connect_failed', connectFailureText(failure, this.#settings.redact));
  }

  #close(): void {
    this.#fail('connection_lost', `the connection was closed ${this.#progress}`);
    this.leave();
    this.#pool.socketClosed(this);
  }

  get #standing(): { progress: string; hasReplyEnded: boolean } {
    return { progress: this.#progress, hasReplyEnded: this.#reading.hasReplyEnded };
  }

  get #progress(): string {
    if (this.#phase === 'connecting') return 'while connecting';
    const { exchange, progress } = this.#reading;
    return exchange.reused ? `${progress} on a kept connection` : progress;
  }
}

const isWritten = (socket: Socket | undefined): boolean => socket?.writable === true && socket.writableLength === 0;

/** A server may refuse a TLS handshake after the first request was sent. */
function wordBreak(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_SSL_') ? describeTlsFailure(code, error.message).what : error.message;
}

const endOfHead = '\r\n\r\n';

/** Between two exchanges. */
const noOne = (): void => undefined;
