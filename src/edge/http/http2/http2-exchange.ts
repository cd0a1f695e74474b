import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { Instant, Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { Exchange } from '../../../session/send.ts';
import { blankHttp2 } from './blank-http2.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import type { Fault } from '../response/response-head.ts';
import type { WantedOfResponse } from '../response/response-reading.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import type { GoAway } from './go-away.ts';
import { Http2Reading } from './http2-reading.ts';
import type { Http2Settings } from './http2-settings.ts';
import { cancelled, isBreach, noError, refusedStream, wordCode } from './stream-codes.ts';

/** The connection that carries it. */
export interface Http2Carrier {
  readonly hasCarried: boolean;
  readonly isClosed: boolean;
  readonly goAway: GoAway | undefined;
  readonly bytesRead: number;
  heardAt: Instant;
  retire(): void;
  answered(): void;
  ended(exchange: Http2Exchange): void;
}

/** The owner of the exchanges. */
export interface ExchangePool {
  /** It was refused before the server began with it: it is to be sent on another connection. */
  again(exchange: Http2Exchange, refusing: Http2Carrier): void;
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
const mostRefusals = 3;

/**
 * One exchange: a stream of its own on a connection that it shares, or several one after another where the server
 * refuses to begin.
 *
 *     waiting for a connection -> sent -> response -> over
 *          ^                       |
 *          '------- refused -------'
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
  #refusals = 0;
  #isOver = false;

  constructor(settings: Http2Settings, pool: ExchangePool, start: Http2Start) {
    this.#settings = settings;
    this.#pool = pool;
    this.#start = start;
    this.#begunAt = start.sentAt;
    this.#reading = new Http2Reading(settings, start.route, blankHttp2(start.sentAt));
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
    stream.on('headers', (headers) => this.#hear(stream, (now) => this.#reading.takeInterim(headers, now)));
    stream.on('response', (headers, flags) => this.#takeResponse(stream, headers, flags));
    stream.on('error', (error: Error) => this.#lose(stream, error));
    stream.on('close', () => this.#lose(stream, undefined));
    if (body !== '') stream.end(body);
  }

  /** The total timeout is over. */
  timeOut(): void {
    const { connection } = this;
    this.fail(
      'timed_out',
      `no complete response within ${String(this.#settings.timeoutMs)} ms: it ended ${this.#progress}`,
    );
    // A connection on which nothing comes any more would hold up every exchange after this one.
    if (connection !== undefined && connection.heardAt < this.#begunAt) connection.retire();
  }

  /** Nothing of a reply in pieces came for as long as its content may stall. */
  stall(afterMs: Ms): void {
    this.fail('timed_out', `nothing more of the content within ${String(afterMs)} ms: it stalled ${this.#progress}`);
  }

  /** The user leaves: what came of the reply is kept. */
  userLeaves(): void {
    this.fail('abandoned', `the user left ${this.#progress}`);
  }

  /** The run is cut. */
  abort(): void {
    this.fail('aborted', `the run was cut ${this.#progress}`);
  }

  /** The connection went away under it. `how` is said of the connection. */
  disconnected(how: string): void {
    this.fail('connection_lost', `${how} ${this.#progress}`);
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
    stream.on('end', () => this.#endBody(stream));
  }

  #takeData(stream: ClientHttp2Stream, bytes: Buffer): void {
    const reading = this.#reading;
    this.#hear(stream, (now) => reading.takeBody(bytes, now, this.connection?.bytesRead ?? 0));
    if (reading.cameNow > 0 && !this.#isOver) this.#pool.heard(this, this.#settings.clock.now());
  }

  /** A stream that is reset ends too: it is closed then. */
  #endBody(stream: ClientHttp2Stream): void {
    if (stream.closed && !(stream.rstCode === noError && this.#reading.isAsDeclared)) this.#lose(stream, undefined);
    else this.#complete(stream);
  }

  #complete(stream: ClientHttp2Stream): void {
    if (this.#isOver || stream !== this.#stream) return;
    this.#reading.exchange.endedAt = this.#settings.clock.now();
    const fault = this.#reading.complete();
    if (fault !== undefined) return this.fail('malformed', fault);
    this.connection?.answered();
    this.#end(true);
  }

  /** The stream is over, and there is no whole response. */
  #lose(stream: ClientHttp2Stream, error: Error | undefined): void {
    if (this.#isOver || stream !== this.#stream) return;
    const { connection } = this;
    const { rstCode } = stream;
    const goAway = connection?.goAway;
    if (connection !== undefined && this.#isUnprocessed(stream, goAway))
      return this.#refused(connection, goAway === undefined ? wordCode(rstCode) : goAway.reason);
    if (goAway !== undefined && goAway.code !== noError && error !== undefined)
      return this.disconnected(`the server ended the connection (${goAway.reason})`);
    if (error !== undefined && !isOfStream(error)) return this.disconnected(`the connection broke (${error.message})`);
    if (connection?.isClosed === true) return this.disconnected('the connection was closed');
    const detail = `the stream was reset ${this.#progress} (${wordCode(rstCode)})`;
    this.fail(isBreach(rstCode) ? 'malformed' : 'connection_lost', detail);
  }

  /** Whether the server says that it has not begun with it. */
  #isUnprocessed({ id, rstCode }: ClientHttp2Stream, goAway: GoAway | undefined): boolean {
    return !this.#reading.hasHead && (rstCode === refusedStream || goAway?.excludes(id) === true);
  }

  /** The server has not begun with it, so that it is safe to send it again. */
  #refused(connection: Http2Carrier, reason: string): void {
    this.#refusals++;
    if (this.#refusals > mostRefusals)
      return this.fail('connection_lost', `the server refused it ${String(this.#refusals)} times (${reason})`);
    this.#stream = undefined;
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

  get #progress(): string {
    if (this.#stream === undefined && !this.#isOver)
      return this.#refusals > 0 ? 'after it was refused' : 'while connecting';
    return this.#reading.exchange.reused ? `${this.#reading.progress} on a kept connection` : this.#reading.progress;
  }
}

/** A response may come before the request was written to its end: what is left of it is not sent any more. */
function closeStream(stream: ClientHttp2Stream, isWhole: boolean): void {
  if (isWhole && stream.writableFinished) stream.resume();
  else stream.close(cancelled);
}

/** END_STREAM. */
const endsStream = 1;

const isOfStream = (error: Error): boolean => 'code' in error && error.code === 'ERR_HTTP2_STREAM_ERROR';
