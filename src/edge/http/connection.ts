import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { between, instant, later } from '../../base/time.ts';
import type { Instant, Ms } from '../../base/time.ts';
import type { Exchange } from '../../session/send.ts';
import type { ExchangeFailure } from '../../protocol/outcome.ts';
import type { Route } from '../../protocol/protocol.ts';
import { blankExchange, noExchange } from './blank-exchange.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { describeConnectFailure, describeConnectTimeout, connectFailureText } from './connect-failure.ts';
import { DueEntry } from './deadline-queue.ts';
import type { FastResponse } from './fast-response.ts';
import { idleTime, keepAliveSeconds } from './idle-time.ts';
import { openSocket } from './open-socket.ts';
import type { RequestText } from './request-head.ts';
import { pickHeaders } from './pick-headers.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';
import { safeDetail } from './safe-detail.ts';
import { isStream } from './is-stream.ts';
import { StreamedReply } from './stream/streamed-reply.ts';
import { describeTlsFailure } from './tls-failure.ts';

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
  /** Its socket is closed. */
  socketClosed(connection: Connection): void;
}

/** What one exchange starts from. `resolve` is called once, with an exchange that does not change any more. */
export interface ExchangeStart {
  request: RequestText;
  /** What of the response its reader needs. */
  route: Pick<Route, 'stream' | 'wantedHeaders'>;
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
  #phase: 'connecting' | 'busy' | 'idle' | 'left' = 'connecting';
  readonly #settings: ConnectionSettings;
  readonly #pool: ConnectionPool;
  readonly #socket: Socket;
  #exchange: Exchange;
  #resolve: ExchangeStart['resolve'];
  /** What is still to be written: forgotten then, since replies are waited for in thousands at once. */
  #unsent: RequestText | undefined;
  /** The slow path: made when the first response needs it. */
  #parser: ResponseParser | undefined;
  #isParsing = false;
  #readAt = instant(0);
  #route: ExchangeStart['route'];
  /** The reply in pieces under way. */
  #streamed: StreamedReply | undefined;

  constructor(settings: ConnectionSettings, pool: ConnectionPool, start: ExchangeStart) {
    this.#settings = settings;
    this.#pool = pool;
    this.#resolve = start.resolve;
    this.#unsent = start.request;
    this.#route = start.route;
    this.#exchange = blankExchange(start.sentAt, false);
    const openedAt = settings.clock.now();
    const onread = { buffer: settings.readBuffer, callback: (count: number) => this.#read(count) };
    const { socket, readyEvent } = openSocket(settings.aim, onread);
    this.#socket = socket;
    socket.once(readyEvent, () => this.#ready(openedAt));
    socket.on('error', (error) => this.#lose(error));
    socket.on('end', () => this.#endStream());
    socket.on('close', () => this.#close());
  }

  /** Only on an idle connection. */
  begin(start: ExchangeStart): void {
    this.#phase = 'busy';
    this.#resolve = start.resolve;
    this.#route = start.route;
    this.#exchange = blankExchange(start.sentAt, true);
    this.#write(start.request);
  }

  /** The total timeout of the exchange is over. */
  timeOut(): void {
    this.#fail(
      'timed_out',
      `no complete response within ${String(this.#settings.timeoutMs)} ms: it ended ${this.#progress}`,
    );
  }

  /** Nothing of a reply in pieces came for as long as its content may stall. */
  stall(afterMs: Ms): void {
    this.#fail('timed_out', `nothing more of the content within ${String(afterMs)} ms: it stalled ${this.#progress}`);
  }

  /** The user leaves: what came of the reply is kept. */
  userLeaves(): void {
    this.#fail('abandoned', `the user left ${this.#progress}`);
  }

  /** The connect timeout is over. */
  giveUpConnecting(): void {
    const failure = describeConnectTimeout(this.#settings.connectTimeoutMs, this.#settings.aim.place);
    this.#fail('connect_failed', connectFailureText(failure));
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
    this.#socket.destroy();
  }

  #ready(openedAt: Instant): void {
    if (this.#phase !== 'connecting') return;
    this.#phase = 'busy';
    this.#pool.connected(this);
    this.#exchange.connectMs = between(openedAt, this.#settings.clock.now());
    if (this.#unsent !== undefined) this.#write(this.#unsent);
    this.#unsent = undefined;
  }

  #write({ text, encoding, bytes }: RequestText): void {
    this.#settings.traffic.bytesSent += bytes;
    this.#socket.write(text, encoding);
  }

  /** `count` bytes are in the read buffer. True: go on reading. */
  #read(count: number): true {
    this.#settings.traffic.bytesReceived += count;
    if (this.#phase === 'busy') this.#receive(count, this.#settings.clock.now());
    else this.leave();
    return true;
  }

  #receive(count: number, now: Instant): void {
    const { readBuffer, fastResponse, idleConnectionMs } = this.#settings;
    const { stream, wantedHeaders } = this.#route;
    const isPlain = stream === undefined && wantedHeaders === undefined && !this.#isParsing;
    if (!isPlain || !fastResponse.read(readBuffer, count)) return this.#parse(count, now);
    const exchange = this.#exchange;
    exchange.firstByteAt = now;
    exchange.status = fastResponse.status;
    this.#keepWait(fastResponse);
    this.#keepHeaders(fastResponse);
    const { isPersistent, keepAliveSeconds: announced, bodyStart, bodyEnd } = fastResponse;
    exchange.body = readBuffer.toString('utf8', bodyStart, bodyEnd);
    // A server may send U+FFFD itself: only then a closer look is needed.
    if (exchange.body.includes(replacement)) exchange.isUtf8 = isUtf8(readBuffer.subarray(bodyStart, bodyEnd));
    this.#complete(now, isPersistent ? idleTime(announced, idleConnectionMs) : undefined);
  }

  #parse(count: number, now: Instant): void {
    const parser = (this.#parser ??= new ResponseParser(this.#settings.limits));
    if (!this.#isParsing && this.#route.stream !== undefined) parser.sinkFor = (head) => this.#openStream(head);
    this.#isParsing = true;
    this.#readAt = now;
    this.#streamed?.beginRead(now);
    const begun = parser.messagesBegun;
    const used = parser.feed(this.#settings.readBuffer, count);
    if (parser.messagesBegun > begun) this.#exchange.firstByteAt = now;
    const came = this.#streamed?.cameNow ?? 0;
    if (came > 0) this.#settings.pace.came(came, now);
    if (came > 0 && !parser.isOver) this.#pool.heard(this, now);
    // Bytes after a complete response belong to no exchange: its outcome is kept, and the connection is closed.
    if (parser.isOver) this.#concludeParsing(parser, { now, isAlone: used === count });
  }

  #concludeParsing(parser: ResponseParser, end: { now: Instant; isAlone: boolean }): void {
    if (parser.phase === 'malformed') return this.#fail('malformed', parser.detail);
    if (parser.phase === 'lost')
      return this.#fail('connection_lost', `the server closed the connection ${parser.detail}`);
    const exchange = this.#exchange;
    const { head } = parser;
    exchange.status = head.status;
    this.#keepWait(head);
    this.#keepHeaders(head);
    if (this.#route.wantedHeaders !== undefined) exchange.headers = pickHeaders(head, this.#route.wantedHeaders);
    if (this.#streamed === undefined) exchange.body = parser.body.text();
    if (exchange.body.includes(replacement)) exchange.isUtf8 = parser.body.isUtf8();
    this.#streamed?.end();
    this.#keepStream();
    const mayServeAgain = end.isAlone && head.isPersistent;
    const announced = head.keepAlive === undefined ? undefined : keepAliveSeconds(head.keepAlive);
    this.#stopParsing();
    this.#complete(end.now, mayServeAgain ? idleTime(announced, this.#settings.idleConnectionMs) : undefined);
  }

  /** What takes the body if the head says that it is the stream that was asked for. */
  #openStream(head: ResponseHead): StreamedReply | undefined {
    const { stream } = this.#route;
    if (stream === undefined || !isStream(head, stream.framing)) return undefined;
    const { maxEventBytes } = this.#settings;
    this.#streamed = new StreamedReply(stream, { now: this.#readAt, maxEventBytes });
    return this.#streamed;
  }

  /** What came of a reply in pieces, whole or not. */
  #keepStream(): void {
    const streamed = this.#streamed;
    if (streamed === undefined) return;
    const exchange = this.#exchange;
    exchange.stream = streamed.reply;
    exchange.content = streamed.content;
    exchange.isUtf8 = streamed.isUtf8;
  }

  #keepWait({ retryAfter, date }: Pick<FastResponse, 'retryAfter' | 'date'>): void {
    this.#exchange.retryAfter = retryAfter;
    this.#exchange.date = date;
  }

  /** Signs of a wrong service: nearly every response has none. */
  #keepHeaders({ contentType, location }: Pick<FastResponse, 'contentType' | 'location'>): void {
    if (contentType === undefined && location === undefined) return;
    const exchange = this.#exchange;
    const { apiKey } = this.#settings;
    if (contentType !== undefined) exchange.contentType = safeDetail(contentType, apiKey);
    if (location !== undefined) exchange.location = safeDetail(location, apiKey);
  }

  /** A whole response is here. `idleFor` is how long the connection may wait for another exchange, if it may at all. */
  #complete(now: Instant, idleFor: Ms | undefined): void {
    const socket = this.#socket;
    this.#exchange.endedAt = now;
    // A response may come before the request was written to its end: what is left of it would reach the next one.
    if (idleFor !== undefined && socket.writable && socket.writableLength === 0) {
      this.#phase = 'idle';
      this.#pool.becameIdle(this, later(now, idleFor));
    } else {
      this.leave();
    }
    this.#hand();
  }

  #fail(failure: ExchangeFailure, detail: string): void {
    if (this.#phase === 'left' || this.#phase === 'idle') return;
    const exchange = this.#exchange;
    const parser = this.#parser;
    exchange.endedAt = this.#settings.clock.now();
    exchange.failure = failure;
    exchange.detail = safeDetail(detail, this.#settings.apiKey);
    if (parser !== undefined && this.#isParsing) {
      exchange.status = parser.finalHead?.status ?? 0;
      if (parser.finalHead !== undefined) this.#keepWait(parser.finalHead);
      this.#keepStream();
    }
    this.leave();
    this.#stopParsing();
    this.#hand();
  }

  /** Hands the exchange over, and forgets it and its texts: thousands of connections are idle at once. */
  #hand(): void {
    const resolve = this.#resolve;
    const exchange = this.#exchange;
    this.#resolve = noOne;
    this.#exchange = noExchange;
    resolve(exchange);
  }

  #endStream(): void {
    if (this.#phase === 'idle') return this.leave();
    // While connecting it ends a TLS handshake, and the error that says so is on its way.
    if (this.#phase !== 'busy') return;
    // A reset that arrives with the last bytes is reported as an end; the peer's address is gone then.
    if (this.#socket.remoteAddress === undefined) {
      return this.#fail('connection_lost', `the server reset the connection ${this.#progress}`);
    }
    if (!this.#isParsing || this.#parser === undefined) {
      return this.#fail('connection_lost', `the server closed the connection ${this.#progress}`);
    }
    this.#parser.end();
    this.#concludeParsing(this.#parser, { now: this.#settings.clock.now(), isAlone: true });
  }

  #lose(error: Error): void {
    if (this.#phase === 'idle') return this.leave();
    if (this.#phase === 'connecting') return this.#loseConnecting(error);
    this.#fail('connection_lost', `the connection broke ${this.#progress}: ${wordBreak(error)}`);
  }

  #loseConnecting(error: Error): void {
    const { aim, exhausted } = this.#settings;
    const failure = describeConnectFailure(error, aim.place);
    if (failure.lack === 'descriptor') exhausted.descriptorsExhausted++;
    if (failure.lack === 'port') exhausted.portsExhausted++;
    this.#fail('connect_failed', connectFailureText(failure));
  }

  #close(): void {
    this.#fail('connection_lost', `the connection was closed ${this.#progress}`);
    this.leave();
    this.#pool.socketClosed(this);
  }

  /** Also releases what was read: a body over the limit is not kept until its connection is collected. */
  #stopParsing(): void {
    this.#isParsing = false;
    this.#streamed = undefined;
    this.#parser?.reset();
  }

  get #progress(): string {
    if (this.#phase === 'connecting') return 'while connecting';
    const kept = this.#exchange.reused ? ' on a kept connection' : '';
    return (
      (this.#isParsing && this.#parser !== undefined ? this.#parser.progress : 'before any byte of the response') + kept
    );
  }
}

/** A server may refuse a TLS handshake after the first request was sent. */
function wordBreak(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_SSL_') ? describeTlsFailure(code, error.message).what : error.message;
}

/** What decoding puts in the place of bytes that are not UTF-8. */
const replacement = '\u{fffd}';

/** Between two exchanges. */
const noOne = (): void => undefined;
