import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { Instant, Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { Exchange } from '../../../session/send.ts';
import { blankExchange } from '../response/blank-exchange.ts';
import { closeStream, isIdle, onEndOfStream, takeHeld, Http2Reading } from './http2-reading.ts';
import { DueEntry, wordStall, wordTimeout } from '../exchange/deadline-queue.ts';
import type { Fault } from '../response/response-head.ts';
import type { WantedOfResponse } from '../response/response-reading.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { type GoAway, brokenBy, silentBreach, isBreach, noError, refusedStream, wordCode } from './stream-codes.ts';
import type { Http2Settings } from './http2-settings.ts';

/** The connection that carries it. */
export interface Http2Carrier {
  readonly hasCarried: boolean;
  readonly isClosed: boolean;
  readonly goAway: GoAway | undefined;
  readonly bytesRead: number;
  /** Whether the server takes no stream at present. */
  readonly takesNone: boolean;
  heardAt: Instant;
  retire(): void;
  /** It turns out that nothing more can be sent on it, and why. */
  broke(how: string): void;
  answered(): void;
  ended(exchange: Http2Exchange): void;
}

/** The owner of the exchanges. */
export interface ExchangePool {
  /** The server has not begun with it: it is to be sent on another connection. */
  again(exchange: Http2Exchange, left: Http2Carrier): void;
  /** Content of a reply in pieces has come. */
  heard(exchange: Http2Exchange, now: Instant): void;
  /** It has ended. */
  ended(exchange: Http2Exchange): void;
}

/** What one exchange starts from. `resolve` is called once, with an exchange that does not change any more. */
export interface Http2Start {
  fields: OutgoingHttpHeaders;
  body: string;
  route: WantedOfResponse;
  sentAt: Instant;
  resolve: (exchange: Exchange) => void;
}

/** How often one exchange may be refused and sent again: a server that refuses everything is not to be asked for ever. */
const maxRefusals = 3;
/** How many connections may end before one exchange was sent on them, for the same reason. */
const maxEnded = 4;

/**
 * One exchange: a stream of its own on a connection that it shares, or several one after another where the server
 * refuses to begin, or where a connection ends before the request was written to it.
 *
 *     waiting for a connection -> sent -> response -> over
 *          ^                       |
 *          '-- refused, or unsent --'
 */
export class Http2Exchange {
  /** In the list of exchanges under way. */
  readonly entry = new DueEntry<Http2Exchange>(this);
  /** In the lists of exchanges whose user leaves, and of streams that may stall: made where a run has such. */
  leavingEntry: DueEntry<Http2Exchange> | undefined;
  stallEntry: DueEntry<Http2Exchange> | undefined;
  /** What carries it, or is being opened for it. */
  connection: Http2Carrier | undefined;
  readonly #settings: Http2Settings;
  readonly #pool: ExchangePool;
  readonly #start: Http2Start;
  #reading: Http2Reading;
  #stream: ClientHttp2Stream | undefined;
  #begunAt: Instant;
  #session: ClientHttp2Session | undefined;
  #refusals = 0;
  /** How many connections ended before it was sent on them. */
  #ended = 0;
  /** Its head was never written to the connection. */
  #isUnsent = false;
  /** Its session has had no time to write it. */
  #isFresh = false;
  /** END_STREAM was received: the response is complete, whatever becomes of the stream and its connection. */
  #hasEnded = false;
  #isOver = false;

  constructor(settings: Http2Settings, pool: ExchangePool, start: Http2Start) {
    this.#settings = settings;
    this.#pool = pool;
    this.#start = start;
    this.#begunAt = start.sentAt;
    this.#reading = new Http2Reading(settings, start.route, blankExchange(start.sentAt, false, true));
  }

  /** Sends it over a session that has room for it. `connectMs`: the connection was opened for it. */
  begin(connection: Http2Carrier, session: ClientHttp2Session, connectMs: Ms | undefined): void {
    const { fields, body } = this.#start;
    const { exchange } = this.#reading;
    const isFirst = this.#refusals === 0;
    if (isFirst) exchange.reused = connection.hasCarried;
    if (connectMs !== undefined) exchange.connectMs = connectMs;
    this.#begunAt = this.#settings.clock.now();
    const stream = session.request(fields, { endStream: body === '' });
    this.#stream = stream;
    this.#session = session;
    this.#isFresh = true;
    onEndOfStream(stream, () => (this.#hasEnded ||= stream === this.#stream));
    stream.on('frameError', (type: number) => (this.#isUnsent ||= stream === this.#stream && type === headFrame));
    stream.on('headers', (headers) => this.#hear(stream, (now) => this.#reading.takeInterim(headers, now)));
    stream.on('response', (headers, flags) => this.#takeResponse(stream, headers, flags));
    stream.on('error', (error: Error) => this.#lose(stream, error));
    stream.on('close', () => this.#lose(stream, undefined));
    if (body !== '') stream.end(body);
  }

  /** The session has written what it can. */
  flushed(): void {
    this.#isFresh = false;
  }

  /** The total timeout is over. */
  timeOut(): void {
    const { connection } = this;
    const wasSent = this.isBegun;
    this.fail('timed_out', wordTimeout(this.#settings.timeoutMs, this.#standing));
    // A connection on which nothing comes any more would hold up every exchange after this one.
    if (wasSent && connection !== undefined && connection.heardAt < this.#begunAt) connection.retire();
  }

  /** Nothing of a reply in pieces came for as long as its content may stall. */
  stall(afterMs: Ms): void {
    this.fail('timed_out', wordStall(afterMs, this.#standing));
  }

  /** The user leaves: what came of the reply is kept. */
  userLeaves(): void {
    this.fail('abandoned', `the user left ${this.#progress}`);
  }

  /** The run is cut. */
  abort(): void {
    this.fail('aborted', `the run was cut ${this.#progress}`);
  }

  /** Whether it was given to a session. */
  get isBegun(): boolean {
    return this.#stream !== undefined;
  }

  /** The connection went away under it. `how` is said of the connection. A complete response is still to be taken. */
  disconnected(how: string, failure: ExchangeFailure = 'connection_lost'): void {
    if (this.#isOver || this.#hasEnded) return;
    if (this.#stream === undefined || this.#isUnsent || isIdle(this.#stream)) this.goElsewhere(how);
    else this.fail(failure, `${how} ${this.#progress}`);
  }

  /** It was not sent on its connection, and cannot be any more. */
  goElsewhere(why: string): void {
    this.#ended++;
    if (this.#ended < maxEnded) return this.#sendElsewhere();
    this.fail('connection_lost', `${String(this.#ended)} connections ended before it was sent (${why})`);
  }

  /** Ends it as failed, and its stream with it: the connection goes on. */
  fail(failure: ExchangeFailure, detail: string): void {
    if (this.#isOver) return;
    const { exchange } = this.#reading;
    exchange.endedAt = this.#settings.clock.now();
    exchange.failure = failure;
    exchange.detail = safeDetail(detail, this.#settings.redact);
    this.#reading.keepPart();
    this.#end(false);
  }

  #hear(stream: ClientHttp2Stream, take: (now: Instant) => Fault): void {
    if (this.#isOver || stream !== this.#stream) return;
    const now = this.#settings.clock.now();
    if (this.connection !== undefined) this.connection.heardAt = now;
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
    if (reading.cameNow > 0 && !this.#isOver) this.#pool.heard(this, this.#settings.clock.now());
  }

  #complete(stream: ClientHttp2Stream): void {
    if (this.#isOver || stream !== this.#stream) return;
    this.#reading.exchange.endedAt = this.#settings.clock.now();
    const fault = this.#reading.complete();
    if (fault !== undefined) return this.fail('malformed', fault);
    this.connection?.answered();
    this.#end(true);
  }

  /** The stream is over, and not by the end of a response that was passed on whole. */
  #lose(stream: ClientHttp2Stream, error: Error | undefined): void {
    if (this.#isOver || stream !== this.#stream) return;
    if (this.#hasEnded && this.#reading.hasHead) {
      takeHeld(stream, (bytes) => this.#takeData(stream, bytes));
      return this.#complete(stream);
    }
    const { connection } = this;
    const { rstCode } = stream;
    const goAway = connection?.goAway;
    // Node.js says nothing of some breaches: its session only writes no further request.
    if (this.#wasNeverSent(stream, goAway))
      return goAway === undefined ? connection?.broke(silentBreach) : this.goElsewhere(goAway.reason);
    if (this.#isRefused(stream, goAway))
      return this.#refused(goAway?.excludes(stream.id) === true ? goAway.reason : wordCode(rstCode));
    if (goAway !== undefined && goAway.code !== noError && error !== undefined)
      return this.disconnected(`the server ended the connection (${goAway.reason})`);
    if (error !== undefined && !isOfStream(error)) return this.disconnected(...brokenBy(error));
    if (connection?.isClosed === true) return this.disconnected('the connection was closed');
    const detail = `the stream was reset ${this.#progress} (${wordCode(rstCode)})`;
    this.fail(isBreach(rstCode) ? 'malformed' : 'connection_lost', detail);
  }

  /** Node.js ends what it did not write as refused, though the server refused nothing, or with the code of the session. */
  #wasNeverSent({ id, rstCode }: ClientHttp2Stream, goAway: GoAway | undefined): boolean {
    if (this.#isUnsent) return true;
    if (this.#session?.destroyed !== true) return false;
    return rstCode === refusedStream || (this.#isFresh && goAway?.excludes(id) === true);
  }

  /** Whether the server says that it has not begun with it. */
  #isRefused({ id, rstCode }: ClientHttp2Stream, goAway: GoAway | undefined): boolean {
    return !this.#reading.hasHead && (rstCode === refusedStream || goAway?.excludes(id) === true);
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

  get #standing(): { progress: string; hasReplyEnded: boolean } {
    return { progress: this.#progress, hasReplyEnded: this.#reading.hasReplyEnded };
  }

  get #progress(): string {
    if (this.#stream === undefined && !this.#isOver) {
      if (this.connection?.takesNone === true) return `while the server took no stream (${noStreams})`;
      return this.#refusals > 0 ? 'after it was refused' : 'while connecting';
    }
    return this.#reading.exchange.reused ? `${this.#reading.progress} on a kept connection` : this.#reading.progress;
  }
}

/** END_STREAM. */
const endsStream = 1;
/** The type of HEADERS. */
const headFrame = 1;
const noStreams = 'its SETTINGS_MAX_CONCURRENT_STREAMS is 0';

const isOfStream = (error: Error): boolean => 'code' in error && error.code === 'ERR_HTTP2_STREAM_ERROR';
