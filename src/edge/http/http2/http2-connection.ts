import { connect, type ClientHttp2Session, type Settings } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { between, instant, type Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import {
  describeConnectFailure,
  describeConnectTimeout,
  connectFailureText,
  type ConnectFailure,
} from '../connect/connect-failure.ts';
import type { AddressCounts } from '../exchange/transport-counts.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { openSocket, type OpeningSocket } from '../connect/open-socket.ts';
import { brokenBy, GoAway } from './stream-codes.ts';
import type { Http2Exchange } from './http2-exchange.ts';
import { type Http2Settings, closedBeforeSettings, noHttp2, sessionOptions } from './http2-settings.ts';
import { isRefusedVersion } from './probe-http2.ts';

/** The owner of the connections. */
export interface Http2Pool {
  /** Connecting is over: it may carry so many exchanges at once. */
  connected(connection: Http2Connection): void;
  /** It could not take these any more: they are to be carried by others. */
  passOn(exchanges: readonly Http2Exchange[]): void;
  /** No exchange is left on it. */
  becameIdle(connection: Http2Connection): void;
  /** It takes nothing more; what it carries may go on. */
  retired(connection: Http2Connection): void;
  /** Its socket is closed. */
  socketClosed(connection: Http2Connection): void;
}

/**
 * One connection: several exchanges at once, each a stream.
 *
 *     connecting -- SETTINGS of the server --> open -- GOAWAY, or silence --> retired -- its last exchange over --> left
 *
 * What comes before the server's SETTINGS waits for them: they say how many streams it takes at once.
 */
export class Http2Connection {
  /** In the list of connections being opened. */
  readonly openingEntry = new DueEntry<Http2Connection>(this);
  /** In the list of idle ones. */
  readonly idleEntry = new DueEntry<Http2Connection>(this);
  phase: 'connecting' | 'open' | 'retired' | 'left' = 'connecting';
  /** When something of a response came last. */
  heardAt = instant(0);
  /** Whether an exchange was sent on it. */
  hasCarried = false;
  isClosed = false;
  /** What the server said when it asked to leave. */
  goAway: GoAway | undefined;
  /** How many streams the server takes at once. With none, exchanges wait until it takes some. */
  maxStreams = 1;
  readonly #settings: Http2Settings;
  readonly #pool: Http2Pool;
  readonly #exchanges = new Set<Http2Exchange>();
  /** Begun since the session last had time to write. */
  #fresh: Http2Exchange[] = [];
  #opening: OpeningSocket | undefined;
  #socket: Socket | undefined;
  #session: ClientHttp2Session | undefined;
  #connectMs: Ms | undefined;
  #address: Pick<AddressCounts, 'connections' | 'exchanges' | 'isGone'> = {
    connections: 0,
    exchanges: 0,
    isGone: false,
  };
  #bytes = { read: 0, written: 0 };

  constructor(settings: Http2Settings, pool: Http2Pool) {
    this.#settings = settings;
    this.#pool = pool;
    const openedAt = settings.clock.now();
    this.#opening = openSocket(settings.aim, undefined, {
      ready: (socket, address) => {
        this.#opening = undefined;
        this.#begin(socket, () => {
          this.#connectMs = between(openedAt, settings.clock.now());
          this.#open(address);
        });
      },
      failed: (error) => {
        this.#opening = undefined;
        this.#failConnecting(
          isRefusedVersion(error) ? noHttp2(settings.aim.place) : describeConnectFailure(error, settings.aim.place),
        );
        this.#closed();
      },
    });
  }

  /** How many exchanges it carries, or will. */
  get load(): number {
    return this.#exchanges.size;
  }

  /** Whether the service has moved away from its address. */
  get isAstray(): boolean {
    return this.#address.isGone;
  }

  get takesNone(): boolean {
    return this.phase === 'open' && this.maxStreams === 0;
  }

  get bytesRead(): number {
    return this.#socket === undefined || this.isClosed ? this.#bytes.read : this.#socket.bytesRead;
  }

  get bytesWritten(): number {
    return this.#socket === undefined || this.isClosed ? this.#bytes.written : this.#socket.bytesWritten;
  }

  /** Takes an exchange, to be sent as soon as it is open. */
  take(exchange: Http2Exchange): void {
    exchange.connection = this;
    this.#exchanges.add(exchange);
    if (this.phase === 'open' && this.maxStreams > 0) this.#send(exchange);
  }

  /** An exchange has nothing to do with it any more. */
  ended(exchange: Http2Exchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size > 0) return;
    if (this.phase === 'open' && !this.isAstray) this.#pool.becameIdle(this);
    // Of a connection that nobody waits for any more, and of one that was left but for its exchanges, nothing is needed.
    else this.leave();
  }

  /** A whole response has come. */
  answered(): void {
    this.#address.exchanges++;
    this.#settings.counts.exchanges.http2++;
  }

  /** The connect timeout is over. */
  giveUpConnecting(): void {
    const { connectTimeoutMs, aim } = this.#settings;
    const failure =
      this.#opening?.describeTimeout(connectTimeoutMs) ?? describeConnectTimeout(connectTimeoutMs, aim.place);
    this.#failConnecting(this.#session === undefined ? failure : { ...failure, remedy: noHttp2(aim.place).remedy });
  }

  /** Takes no further exchange. */
  retire(): void {
    if (this.phase !== 'open') return;
    this.phase = 'retired';
    this.#pool.retired(this);
    for (const exchange of this.#waiting) exchange.goElsewhere(this.goAway?.reason ?? 'nothing came on it');
    if (this.#exchanges.size === 0) this.leave();
  }

  broke(how: string): void {
    this.#lose(how);
  }

  /** Closes the socket. No exchange may be waiting: nothing would notify it. */
  leave(): void {
    if (this.phase === 'left') return;
    this.phase = 'left';
    this.#pool.retired(this);
    if (this.#opening !== undefined) {
      this.#opening.cancel();
      this.#closed();
    }
    this.#session?.destroy();
    this.#socket?.destroy();
  }

  #begin(socket: Socket, isOpen: () => void): void {
    this.#socket = socket;
    const { aim, counts } = this.#settings;
    if (aim.tls !== undefined) counts.tls.add(socket, aim.tls.rejectUnauthorized !== false);
    socket.on('close', () => this.#closed());
    // The socket is half open, so that the session would not hear of the end.
    socket.on('end', () => this.#lose('the server closed the connection'));
    socket.on('error', () => undefined); // The session hears of it too.
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2')
      return this.#failConnecting(noHttp2(this.#settings.aim.place));
    const session = connect(this.#settings.origin, { ...sessionOptions, createConnection: () => socket });
    this.#session = session;
    session.once('connect', () => session.setLocalWindowSize(connectionWindowBytes));
    session.on('remoteSettings', ({ maxConcurrentStreams = Infinity }: Settings) => {
      this.maxStreams = maxConcurrentStreams;
      if (this.phase === 'connecting') isOpen();
      else if (this.phase === 'open') this.#sendWaiting();
    });
    session.on('goaway', (code: number, lastStream: number) => this.#takeGoAway(code, lastStream));
    session.on('error', (error: Error) => this.#lose(...brokenBy(error)));
    session.on('close', () => this.#lose('the connection was closed'));
  }

  #open(address: string): void {
    this.phase = 'open';
    this.#address = this.#settings.counts.at(address);
    this.#address.connections++;
    this.#settings.counts.http2 ??= { goAways: 0, refusedStreams: 0 };
    this.#pool.connected(this);
    this.#sendWaiting();
    if (this.#exchanges.size === 0) this.#pool.becameIdle(this);
  }

  #sendWaiting(): void {
    if (this.maxStreams === 0) return;
    const waiting = this.#waiting;
    const room = Math.max(0, this.maxStreams - (this.load - waiting.length));
    const tooMany = waiting.slice(room);
    for (const exchange of tooMany) this.#exchanges.delete(exchange);
    for (const exchange of waiting.slice(0, room)) this.#send(exchange);
    this.#pool.passOn(tooMany);
  }

  get #waiting(): Http2Exchange[] {
    return [...this.#exchanges].filter(({ isBegun }) => !isBegun);
  }

  #send(exchange: Http2Exchange): void {
    const session = this.#session;
    // It may be over although nobody has said so yet.
    if (session === undefined || session.closed || session.destroyed) {
      this.#exchanges.delete(exchange);
      this.retire();
      this.#pool.passOn([exchange]);
      return;
    }
    exchange.begin(this, session, this.#connectMs);
    this.#connectMs = undefined;
    this.hasCarried = true;
    // Sessions write after the reads of a turn of the loop, and before its immediates.
    if (this.#fresh.push(exchange) === 1) setImmediate(() => this.#flushed());
  }

  #flushed(): void {
    for (const exchange of this.#fresh) exchange.flushed();
    this.#fresh = [];
  }

  #takeGoAway(code: number, lastStream: number): void {
    if (this.goAway === undefined && this.#settings.counts.http2 !== null) this.#settings.counts.http2.goAways++;
    this.goAway = new GoAway(code, lastStream);
    this.retire();
  }

  #lose(how: string, failure?: ExchangeFailure): void {
    if (this.phase === 'left') return;
    if (this.phase === 'connecting') return this.#failConnecting(closedBeforeSettings(this.#settings.aim.place, how));
    this.#giveUp((exchange) => exchange.disconnected(how, failure));
  }

  #failConnecting(failure: ConnectFailure): void {
    const { exhausted } = this.#settings;
    if (failure.lack === 'descriptor') exhausted.descriptorsExhausted++;
    if (failure.lack === 'port') exhausted.portsExhausted++;
    this.#giveUp((exchange) => exchange.fail('connect_failed', connectFailureText(failure, this.#settings.redact)));
  }

  #giveUp(end: (exchange: Http2Exchange) => void): void {
    this.phase = 'retired';
    this.#pool.retired(this);
    for (const exchange of [...this.#exchanges]) end(exchange);
    this.leave();
  }

  #closed(): void {
    if (this.isClosed) return;
    this.#bytes = { read: this.bytesRead, written: this.bytesWritten };
    this.isClosed = true;
    this.#lose('the connection was closed');
    this.#pool.socketClosed(this);
  }
}

/** As large as browsers have it: with the 64 KiB that HTTP/2 begins with, all streams together would wait for us. */
const connectionWindowBytes = 16 * 1024 * 1024;
