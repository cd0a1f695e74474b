import { isUtf8 } from 'node:buffer';
import { instant, type Instant, type Ms, ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { Route } from '../../../protocol/protocol.ts';
import type { Exchange } from '../../../session/send.ts';
import { noExchange } from './blank-exchange.ts';
import { decodeBody } from './decode-body.ts';
import { StreamedReply } from '../stream/streamed-reply.ts';
import {
  cookieLines,
  keepBody,
  keepHeaders,
  keepStream,
  keepWait,
  replacement,
  pickHeaders,
  type ReadingSettings,
} from './keep-response.ts';
import { isStream, type ResponseHead } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';

/** What of a response its reader needs. */
export type WantedOfResponse = Pick<Route, 'stream' | 'wantedHeaders'>;

/**
 * Reads the responses of one connection into their exchanges, out of the read buffer.
 *
 *     read -- whole and plain, as nearly all are --> fast path -------------.
 *       '---- anything else --> parser --> body, or pieces of a stream -----'--> exchange
 */
export class ResponseReading {
  /** Of the exchange under way. */
  exchange: Exchange = noExchange;
  /** Why a response that is over is none, and in words; `undefined`: it is complete. */
  failure: ExchangeFailure | undefined;
  detail = '';
  /** How long the connection may wait for another exchange after a complete response; `undefined`: there may be none. */
  idleFor: Ms | undefined;
  readonly #settings: ReadingSettings;
  #wanted: WantedOfResponse = {};
  /** The slow path: made when the first response needs it. */
  #parser: ResponseParser | undefined;
  #isParsing = false;
  #readAt = instant(0);
  /** The reply in pieces under way. */
  #streamed: StreamedReply | undefined;

  constructor(settings: ReadingSettings) {
    this.#settings = settings;
  }

  begin(exchange: Exchange, wanted: WantedOfResponse): void {
    this.exchange = exchange;
    this.#wanted = wanted;
  }

  /** Takes `count` bytes of the read buffer. Whether the response is over, well or not. */
  take(count: number, now: Instant): boolean {
    const { readBuffer, fastResponse, idleConnectionMs } = this.#settings;
    const { stream, wantedHeaders } = this.#wanted;
    const isPlain = stream === undefined && wantedHeaders === undefined && !this.#isParsing;
    if (!isPlain || !fastResponse.read(readBuffer, count)) return this.#parse(count, now);
    const { exchange } = this;
    exchange.firstByteAt = now;
    exchange.status = fastResponse.status;
    keepWait(exchange, fastResponse);
    keepHeaders(exchange, fastResponse, this.#settings);
    const { isPersistent, keepAliveSeconds: announced, bodyStart, bodyEnd } = fastResponse;
    exchange.body = readBuffer.toString('utf8', bodyStart, bodyEnd);
    if (exchange.body.includes(replacement)) exchange.isUtf8 = isUtf8(readBuffer.subarray(bodyStart, bodyEnd));
    this.idleFor = isPersistent ? idleTime(announced, idleConnectionMs) : undefined;
    return true;
  }

  /** How many content events of a stream came in the latest read. */
  get cameNow(): number {
    return this.#streamed?.cameNow ?? 0;
  }

  /** The server has closed its side: what has come is the response, or is none. False: nothing had come. */
  end(): boolean {
    if (!this.#isParsing || this.#parser === undefined) return false;
    this.#parser.end();
    this.#conclude(this.#parser, true);
    return true;
  }

  /** Puts what came of a response that is not over into the exchange. */
  keepPart(): void {
    const parser = this.#parser;
    if (parser === undefined || !this.#isParsing) return;
    const { finalHead } = parser;
    this.exchange.status = finalHead?.status ?? 0;
    if (finalHead !== undefined) keepWait(this.exchange, finalHead);
    if (finalHead !== undefined && this.#settings.cookies) this.exchange.setCookies = cookieLines(finalHead);
    keepStream(this.exchange, this.#streamed);
  }

  /** Gives the exchange, forgets it, and releases what was read: thousands of connections are idle at once. */
  release(): Exchange {
    const { exchange } = this;
    this.exchange = noExchange;
    if (!this.#isParsing) return exchange;
    this.#isParsing = false;
    this.failure = undefined;
    this.detail = '';
    this.#streamed = undefined;
    this.#parser?.reset();
    return exchange;
  }

  /** Whether the server has asked for the body (100). */
  get isContinued(): boolean {
    return this.#isParsing && this.#parser?.head.status === 100 && this.#parser.head.isComplete;
  }

  /** Whether the end of a streamed reply has arrived: its response may still be open. */
  get hasReplyEnded(): boolean {
    return this.#streamed?.reply.hasEnded ?? false;
  }

  /** How far the response has come, in words. */
  get progress(): string {
    return this.#isParsing && this.#parser !== undefined ? this.#parser.progress : 'before any byte of the response';
  }

  #parse(count: number, now: Instant): boolean {
    const parser = (this.#parser ??= new ResponseParser(this.#settings.limits));
    if (!this.#isParsing && this.#wanted.stream !== undefined) parser.sinkFor = (head) => this.#openStream(head);
    this.#isParsing = true;
    this.#readAt = now;
    this.#streamed?.beginRead(now);
    const begun = parser.messagesBegun;
    const used = parser.feed(this.#settings.readBuffer, count);
    if (parser.messagesBegun > begun) this.exchange.firstByteAt = now;
    if (this.cameNow > 0) this.#settings.pace.came(this.cameNow, now);
    // Bytes after a complete response belong to no exchange: its outcome is kept, and the connection is closed.
    if (parser.isOver) this.#conclude(parser, used === count);
    return parser.isOver;
  }

  #conclude(parser: ResponseParser, isAlone: boolean): void {
    if (parser.phase === 'malformed') return this.#refuse('malformed', parser.detail);
    if (parser.phase === 'lost')
      return this.#refuse('connection_lost', `the server closed the connection ${parser.detail}`);
    const { exchange } = this;
    const { head } = parser;
    const body =
      head.contentCoding === undefined
        ? parser.body
        : decodeBody(head.contentCoding, parser.body, this.#settings.limits.maxBodyBytes);
    if (typeof body === 'string') return this.#refuse('malformed', body);
    exchange.status = head.status;
    keepWait(exchange, head);
    keepHeaders(exchange, head, this.#settings);
    if (this.#wanted.wantedHeaders !== undefined) exchange.headers = pickHeaders(head, this.#wanted.wantedHeaders);
    if (this.#settings.cookies) exchange.setCookies = cookieLines(head);
    if (this.#streamed === undefined) keepBody(exchange, body);
    this.#streamed?.end();
    keepStream(exchange, this.#streamed);
    const announced = head.keepAlive === undefined ? undefined : keepAliveSeconds(head.keepAlive);
    const mayServeAgain = isAlone && head.isPersistent;
    this.idleFor = mayServeAgain ? idleTime(announced, this.#settings.idleConnectionMs) : undefined;
  }

  #refuse(failure: ExchangeFailure, detail: string): void {
    this.failure = failure;
    this.detail = detail;
  }

  /** What takes the body if the head says that it is the stream that was asked for. */
  #openStream(head: ResponseHead): StreamedReply | undefined {
    const { stream } = this.#wanted;
    if (stream === undefined || !isStream(head, stream.framing)) return undefined;
    const { maxEventBytes } = this.#settings;
    this.#streamed = new StreamedReply(stream, { now: this.#readAt, maxEventBytes });
    return this.#streamed;
  }
}

/** N of `timeout=N` in a `Keep-Alive` header, in seconds; `undefined` without one. */
export function keepAliveSeconds(value: string): number | undefined {
  const digits = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * How long a connection may be idle: `limit`, or what the server announced less one second, since its count began
 * before ours; of a short announcement at least half, or connections to a server that says one second would never be reused.
 */
export function idleTime(announcedSeconds: number | undefined, limit: Ms): Ms {
  if (announcedSeconds === undefined) return limit;
  const announcedMs = announcedSeconds * 1000;
  return ms(Math.min(limit, Math.max(announcedMs - 1000, announcedMs / 2)));
}
