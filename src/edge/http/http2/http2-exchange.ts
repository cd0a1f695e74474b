import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { Instant, Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { Exchange } from '../../../session/send.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { blankExchange, type WantedOfResponse } from '../response/exchange-reading.ts';
import type { Fault } from '../response/response-head.ts';
import type { SenderSettings } from '../sender/queueing-sender.ts';
import { closeStream, isIdle, onEndOfStream, takeHeld, Http2Reading } from './http2-reading.ts';
import { breaches, brokenBy, describeCode, noError, refusedStream, silentBreach, type GoAway } from './stream-codes.ts';

/** Settings and resources that the connections and exchanges of one sender share. */
export type Http2Settings = SenderSettings & { origin: string };

export interface Http2Carrier {
  readonly hasCarried: boolean;
  readonly isClosed: boolean;
  readonly goAway: GoAway | undefined;
  readonly bytesRead: number;
  /** True if the server takes no stream at present. */
  readonly takesNone: boolean;
  receivedAt: Instant;
  retire(): void;
  lose(how: string): void;
  answered(): void;
  ended(exchange: Http2Exchange): void;
}

export interface ExchangePool {
  /** The server has not begun with the exchange: it has to be sent on another connection. */
  again(exchange: Http2Exchange, left: Http2Carrier): void;
  receivedContent(exchange: Http2Exchange, now: Instant): void;
  ended(exchange: Http2Exchange): void;
}

/** Start of one exchange. `resolve` is called once, with an exchange that no longer changes. */
export interface Http2Start {
  fields: OutgoingHttpHeaders;
  body: string;
  route: WantedOfResponse;
  sentAt: Instant;
  resolve: (exchange: Exchange) => void;
}

/** Maximum number of refusals after which one exchange is sent again: a server may refuse everything. */
const maxRefusals = 3;
/** Maximum number of connections that may end before one exchange was sent on them, for the same reason. */
const maxEnded = 4;

/**
 * One exchange: a separate stream on a shared connection, or several one after another if the server refuses to
 * begin, or if a connection ends before the request was written to it.
 *
 *     waiting for a connection -> sent -> response -> over
 *          ^                       |
 *          '-- refused, or unsent --'
 */
export class Http2Exchange {
  readonly entry = new DueEntry<Http2Exchange>(this);
  leavingEntry: DueEntry<Http2Exchange> | undefined;
  stallEntry: DueEntry<Http2Exchange> | undefined;
  /** The connection that carries it, or is being opened for it. */
  connection: Http2Carrier | undefined;
  /** True until its session has had time to write it. */
  isFresh = false;
  readonly #settings: Http2Settings;
  readonly #pool: ExchangePool;
  readonly #start: Http2Start;
  readonly #reading: Http2Reading;
  #stream: ClientHttp2Stream | undefined;
  #begunAt: Instant;
  #session: ClientHttp2Session | undefined;
  #refusals = 0;
  /** Number of connections that ended before it was sent on them. */
  #ended = 0;
  /** True if its head was never written to the connection. */
  #isUnsent = false;
  /** END_STREAM was received: the response is complete, even if the stream or its connection fails later. */
  #hasEnded = false;
  #isOver = false;

  constructor(settings: Http2Settings, pool: ExchangePool, start: Http2Start) {
    this.#settings = settings;
    this.#pool = pool;
    this.#start = start;
    this.#begunAt = start.sentAt;
    this.#reading = new Http2Reading(settings, start.route, blankExchange(start.sentAt, false, true));
  }

  /** True if it was passed to a session. */
  get isBegun(): boolean {
    return this.#stream !== undefined;
  }

  get hasReplyEnded(): boolean {
    return this.#reading.hasReplyEnded;
  }

  get progress(): string {
    if (this.#stream === undefined && !this.#isOver) {
      if (this.connection?.takesNone === true) return `while the server took no stream (${noStreams})`;
      return this.#refusals > 0 ? 'after it was refused' : 'while connecting';
    }
    return this.#reading.exchange.reused ? `${this.#reading.progress} on a kept connection` : this.#reading.progress;
  }

  /** Sends it over a session with a free stream. `connectMs`: set if the connection was opened for it. */
  begin(connection: Http2Carrier, session: ClientHttp2Session, connectMs: Ms | undefined): void {
    const { fields, body } = this.#start;
    const { exchange } = this.#reading;
    if (this.#refusals === 0) exchange.reused = connection.hasCarried;
    if (connectMs !== undefined) exchange.connectMs = connectMs;
    this.#begunAt = this.#settings.clock.now();
    const stream = session.request(fields, { endStream: body === '' });
    this.#stream = stream;
    this.#session = session;
    this.isFresh = true;
    onEndOfStream(stream, () => (this.#hasEnded ||= stream === this.#stream));
    stream.on('frameError', (type: number) => (this.#isUnsent ||= stream === this.#stream && type === headFrame));
    stream.on('headers', (headers) => this.#hear(stream, (now) => this.#reading.takeInterim(headers, now)));
    stream.on('response', (headers, flags) => this.#takeResponse(stream, headers, flags));
    stream.on('error', (error: Error) => this.#lose(stream, error));
    stream.on('close', () => this.#lose(stream, undefined));
    if (body !== '') stream.end(body);
  }

  /** Handles the end of the connection, for the reason `how`. A complete response is still delivered. */
  disconnected(how: string, failure: ExchangeFailure = 'connection_lost'): void {
    if (this.#isOver || this.#hasEnded) return;
    if (this.#stream === undefined || this.#isUnsent || isIdle(this.#stream)) this.goElsewhere(how);
    else this.fail(failure, `${how} ${this.progress}`);
  }

  /** It was not sent on its connection, and can no longer be sent on it. */
  goElsewhere(why: string): void {
    this.#ended++;
    if (this.#ended < maxEnded) return this.#sendElsewhere();
    this.fail('connection_lost', `${String(this.#ended)} connections ended before it was sent (${why})`);
  }

  /** Ends it and its stream as failed; the connection stays in use unless it has become silent. */
  fail(failure: ExchangeFailure, detail: string): void {
    if (this.#isOver) return;
    const { exchange } = this.#reading;
    const { connection } = this;
    // A silent connection would delay every later exchange.
    const isSilent = failure === 'timed_out' && this.isBegun && (connection?.receivedAt ?? Infinity) < this.#begunAt;
    exchange.endedAt = this.#settings.clock.now();
    exchange.failure = failure;
    exchange.detail = safeDetail(detail, this.#settings.redact);
    this.#reading.keepPart();
    this.#end(false);
    if (isSilent) connection?.retire();
  }

  #hear(stream: ClientHttp2Stream, take: (now: Instant) => Fault): void {
    if (this.#isOver || stream !== this.#stream) return;
    const now = this.#settings.clock.readAt();
    if (this.connection !== undefined) this.connection.receivedAt = now;
    const fault = take(now);
    if (fault !== undefined) this.fail('malformed', fault);
  }

  #takeResponse(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): void {
    this.#hear(stream, (now) => this.#reading.takeHead(headers, now));
    if ((flags & endsStream) !== 0) return this.#complete(stream);
    stream.on('data', (bytes: Buffer) => this.#takeData(stream, bytes));
    stream.on('end', () => (this.#hasEnded ? this.#complete(stream) : this.#lose(stream, undefined)));
  }

  #takeData(stream: ClientHttp2Stream, bytes: Buffer): void {
    const reading = this.#reading;
    this.#hear(stream, (now) => reading.takeBody(bytes, now, this.connection?.bytesRead ?? 0));
    if (reading.newEvents > 0 && !this.#isOver) this.#pool.receivedContent(this, this.#settings.clock.now());
  }

  #complete(stream: ClientHttp2Stream): void {
    if (this.#isOver || stream !== this.#stream) return;
    this.#reading.exchange.endedAt = this.#settings.clock.readAt();
    const fault = this.#reading.complete();
    if (fault !== undefined) return this.fail('malformed', fault);
    this.connection?.answered();
    this.#end(true);
  }

  /** The stream is over, without a complete response that was passed on. */
  #lose(stream: ClientHttp2Stream, error: Error | undefined): void {
    if (this.#isOver || stream !== this.#stream) return;
    if (this.#hasEnded && this.#reading.hasHead) {
      takeHeld(stream, (bytes) => this.#takeData(stream, bytes));
      return this.#complete(stream);
    }
    const { connection } = this;
    const { rstCode } = stream;
    const goAway = connection?.goAway;
    // Node.js does not report some breaches: its session only writes no further request.
    if (this.#wasNeverSent(stream, goAway))
      return goAway === undefined ? connection?.lose(silentBreach) : this.goElsewhere(goAway.reason);
    if (!this.#reading.hasHead && (rstCode === refusedStream || goAway?.excludes(stream.id) === true))
      return this.#refused(goAway?.excludes(stream.id) === true ? goAway.reason : describeCode(rstCode));
    if (goAway !== undefined && goAway.code !== noError && error !== undefined)
      return this.disconnected(`the server ended the connection (${goAway.reason})`);
    if (error !== undefined && !isOfStream(error)) return this.disconnected(...brokenBy(error));
    if (connection?.isClosed === true) return this.disconnected('the connection was closed');
    const detail = `the stream was reset ${this.progress} (${describeCode(rstCode)})`;
    this.fail(breaches.has(rstCode) ? 'malformed' : 'connection_lost', detail);
  }

  /** Node.js ends unwritten streams as refused, though the server refused nothing, or with the code of the session. */
  #wasNeverSent({ id, rstCode }: ClientHttp2Stream, goAway: GoAway | undefined): boolean {
    if (this.#isUnsent) return true;
    if (this.#session?.destroyed !== true) return false;
    return rstCode === refusedStream || (this.isFresh && goAway?.excludes(id) === true);
  }

  /** The server has not begun with it, so that it is safe to send it again. */
  #refused(reason: string): void {
    this.#refusals++;
    if (this.#settings.counts.http2 !== null) this.#settings.counts.http2.refusedStreams++;
    if (this.#refusals <= maxRefusals) return this.#sendElsewhere();
    this.fail('connection_lost', `the server refused it ${String(this.#refusals)} times (${reason})`);
  }

  #sendElsewhere(): void {
    const { connection } = this;
    if (connection === undefined) return;
    this.#stream = undefined;
    this.#isUnsent = false;
    this.connection = undefined;
    connection.ended(this);
    this.#pool.again(this, connection);
  }

  #end(isWhole: boolean): void {
    this.#isOver = true;
    const { connection } = this;
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream !== undefined && !stream.closed) closeStream(stream, isWhole);
    this.#pool.ended(this);
    connection?.ended(this);
    this.#start.resolve(this.#reading.exchange);
  }
}

/** END_STREAM. */
const endsStream = 1;
/** The type of HEADERS. */
const headFrame = 1;
const noStreams = 'its SETTINGS_MAX_CONCURRENT_STREAMS is 0';

const isOfStream = (error: Error): boolean => 'code' in error && error.code === 'ERR_HTTP2_STREAM_ERROR';
