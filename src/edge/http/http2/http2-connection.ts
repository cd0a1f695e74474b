import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { between, instant, type Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import { connectFailureText, describeConnectTimeout, type ConnectFailure } from '../connect/connect-failure.ts';
import { openSocket, type OpeningSocket } from '../connect/open-socket.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { AddressCounts } from '../exchange/transport-counts.ts';
import type { Http2Exchange, Http2Settings } from './http2-exchange.ts';
import { closedBeforeSettings, describeHttp2Failure, isHttp2, noHttp2, startSession } from './open-session.ts';
import { GoAway } from './stream-codes.ts';

export interface Http2Pool {
  connected(connection: Http2Connection): void;
  /** The connection could not carry these exchanges, so other connections must. */
  passOn(exchanges: readonly Http2Exchange[]): void;
  /** No exchange remains on it. */
  becameIdle(connection: Http2Connection): void;
  /** It takes no further exchange; those in progress may go on. */
  retired(connection: Http2Connection): void;
  socketClosed(connection: Http2Connection): void;
}

/**
 * One connection: several exchanges at once, each a stream.
 *
 *     connecting -- SETTINGS of the server --> open -- GOAWAY, or silence --> retired -- its last exchange over --> left
 *
 * Exchanges wait for the server's SETTINGS, which limit the number of concurrent streams.
 */
export class Http2Connection {
  readonly openingEntry = new DueEntry<Http2Connection>(this);
  readonly idleEntry = new DueEntry<Http2Connection>(this);
  phase: 'connecting' | 'open' | 'retired' | 'left' = 'connecting';
  /** Time of the latest part of a response. */
  receivedAt = instant(0);
  /** True if an exchange was sent on it. */
  hasCarried = false;
  isClosed = false;
  goAway: GoAway | undefined;
  /** Maximum number of concurrent streams. If it is 0, exchanges wait until the server raises it. */
  maxStreams = 1;
  readonly #settings: Http2Settings;
  readonly #pool: Http2Pool;
  readonly #exchanges = new Set<Http2Exchange>();
  /** Exchanges that began after the session's last opportunity to write. */
  #fresh: Http2Exchange[] = [];
  #opening: OpeningSocket | undefined;
  #socket: Socket | undefined;
  #session: ClientHttp2Session | undefined;
  #connectMs: Ms | undefined;
  #address = new AddressCounts();
  #bytes = { read: 0, written: 0 };

  constructor(settings: Http2Settings, pool: Http2Pool) {
    this.#settings = settings;
    this.#pool = pool;
    const openedAt = settings.clock.now();
    this.#opening = openSocket(settings.aim, undefined, {
      ready: (socket, address) => {
        this.#opening = undefined;
        this.#begin(socket, () => {
          this.#connectMs = between(openedAt, settings.clock.readAt());
          this.#open(address);
        });
      },
      failed: (error) => {
        this.#opening = undefined;
        this.#failConnecting(describeHttp2Failure(error, settings.aim.place));
        this.#closed();
      },
    });
  }

  get load(): number {
    return this.#exchanges.size;
  }

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

  /** Takes an exchange, which is sent as soon as the connection is open. */
  take(exchange: Http2Exchange): void {
    exchange.connection = this;
    this.#exchanges.add(exchange);
    if (this.phase === 'open' && this.maxStreams > 0) this.#send(exchange);
  }

  ended(exchange: Http2Exchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size > 0) return;
    if (this.phase === 'open' && !this.isAstray) this.#pool.becameIdle(this);
    // Nothing waits any more for a connection that is being opened, or that only finished its exchanges.
    else this.leave();
  }

  answered(): void {
    this.#address.exchanges++;
    this.#settings.counts.exchanges.http2++;
  }

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
    for (const exchange of this.#waiting) exchange.goElsewhere(this.goAway?.reason ?? 'nothing was received on it');
    if (this.#exchanges.size === 0) this.leave();
  }

  /** Handles the end of the session; `how` is the reason. */
  lose(how: string, failure?: ExchangeFailure): void {
    if (this.phase === 'left') return;
    if (this.phase === 'connecting') return this.#failConnecting(closedBeforeSettings(this.#settings.aim.place, how));
    this.#giveUp((exchange) => exchange.disconnected(how, failure));
  }

  /** Closes the socket. No exchange may be in progress: it would never end. */
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

  #begin(socket: Socket, opened: () => void): void {
    this.#socket = socket;
    const { aim, counts, origin } = this.#settings;
    counts.tls.add(socket, aim.tls?.rejectUnauthorized !== false);
    socket.on('close', () => this.#closed());
    if (!isHttp2(socket)) {
      socket.on('error', () => undefined);
      return this.#failConnecting(noHttp2(aim.place));
    }
    const session = startSession(socket, origin, {
      settings: (maxStreams) => {
        this.maxStreams = maxStreams;
        if (this.phase === 'connecting') opened();
        else if (this.phase === 'open') this.#sendWaiting();
      },
      lost: (how, failure) => this.lose(how, failure),
    });
    this.#session = session;
    session.once('connect', () => session.setLocalWindowSize(connectionWindowBytes));
    session.on('goaway', (code: number, lastStream: number) => this.#takeGoAway(code, lastStream));
  }

  #open(address: string): void {
    this.phase = 'open';
    const { counts } = this.#settings;
    this.#address = counts.at(address);
    this.#address.connections++;
    counts.http2 ??= { goAways: 0, refusedStreams: 0 };
    this.#pool.connected(this);
    this.#sendWaiting();
    if (this.#exchanges.size === 0) this.#pool.becameIdle(this);
  }

  #sendWaiting(): void {
    if (this.maxStreams === 0) return;
    const waiting = this.#waiting;
    const free = Math.max(0, this.maxStreams - (this.load - waiting.length));
    const tooMany = waiting.slice(free);
    for (const exchange of tooMany) this.#exchanges.delete(exchange);
    for (const exchange of waiting.slice(0, free)) this.#send(exchange);
    this.#pool.passOn(tooMany);
  }

  get #waiting(): Http2Exchange[] {
    return [...this.#exchanges].filter(({ isBegun }) => !isBegun);
  }

  #send(exchange: Http2Exchange): void {
    const session = this.#session;
    // The session may be over although no event has reported it yet.
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
    for (const exchange of this.#fresh) exchange.isFresh = false;
    this.#fresh = [];
  }

  #takeGoAway(code: number, lastStream: number): void {
    if (this.goAway === undefined && this.#settings.counts.http2 !== null) this.#settings.counts.http2.goAways++;
    this.goAway = new GoAway(code, lastStream);
    this.retire();
  }

  #failConnecting(failure: ConnectFailure): void {
    const { counts, redact } = this.#settings;
    counts.noteLack(failure.lack);
    this.#giveUp((exchange) => exchange.fail('connect_failed', connectFailureText(failure, redact)));
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
    this.lose('the connection was closed');
    this.#pool.socketClosed(this);
  }
}

/** As large as in browsers: with the initial 64 KiB of HTTP/2, all streams together would wait for us. */
const connectionWindowBytes = 16 * 1024 * 1024;
