import { isUtf8 } from 'node:buffer';
import { instant, type Instant, type Ms, ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { Exchange } from '../../../session/send.ts';
import {
  ExchangeReading,
  keepHeaders,
  keepWait,
  noExchange,
  replacement,
  withoutMark,
  type ReadingSettings,
  type WantedOfResponse,
} from './exchange-reading.ts';
import type { FastResponse } from './fast-response.ts';
import { ResponseParser } from './response-parser.ts';

export interface BufferedReadingSettings extends ReadingSettings {
  idleConnectionMs: Ms;
  /** All sockets read into this buffer; its content is consumed before the next read. */
  readBuffer: Buffer;
  fastResponse: FastResponse;
}

/**
 * Reads the responses of one connection into their exchanges, from the read buffer.
 *
 *     read -- whole and plain, as nearly all are --> fast path -------.
 *       '---- anything else --> parser --> body, or events of a stream'--> exchange
 */
export class ResponseReading extends ExchangeReading<BufferedReadingSettings> {
  /** Failure of a response that is over; `undefined`: it is complete. */
  failure: ExchangeFailure | undefined;
  detail = '';
  /** Time that the connection may wait for another exchange after a complete response; `undefined`: not at all. */
  idleFor: Ms | undefined;
  /** The slow path: created when the first response needs it. */
  #parser: ResponseParser | undefined;
  #isParsing = false;
  #readAt = instant(0);

  begin(exchange: Exchange, wanted: WantedOfResponse): void {
    this.exchange = exchange;
    this.wanted = wanted;
  }

  /** Takes `count` bytes of the read buffer. Returns true if the response is over, complete or not. */
  take(count: number, now: Instant): boolean {
    const { readBuffer, fastResponse, idleConnectionMs } = this.settings;
    const { stream, wantedHeaders } = this.wanted;
    const isPlain = stream === undefined && wantedHeaders === undefined && !this.#isParsing;
    if (!isPlain || !fastResponse.read(readBuffer, count)) return this.#parse(count, now);
    const { exchange } = this;
    exchange.firstByteAt = now;
    exchange.status = fastResponse.status;
    keepWait(exchange, fastResponse);
    keepHeaders(exchange, fastResponse, this.settings);
    const { isPersistent, keepAliveSeconds: announced, bodyStart, bodyEnd } = fastResponse;
    exchange.body = withoutMark(readBuffer.toString('utf8', bodyStart, bodyEnd));
    if (exchange.body.includes(replacement)) exchange.isUtf8 = isUtf8(readBuffer.subarray(bodyStart, bodyEnd));
    this.idleFor = isPersistent ? idleTime(announced, idleConnectionMs) : undefined;
    return true;
  }

  /** Number of content events of a stream in the latest read. */
  get newEvents(): number {
    return this.streamed?.newEvents ?? 0;
  }

  /** Handles the end of the stream from the server. Returns false if no response was in progress. */
  end(): boolean {
    if (!this.#isParsing || this.#parser === undefined) return false;
    this.#parser.end();
    this.#conclude(this.#parser, true);
    return true;
  }

  keepPart(): void {
    if (this.#isParsing) this.keepReceived(this.#parser?.finalHead);
  }

  /** Returns and forgets the exchange, and releases the read data: thousands of connections are idle at once. */
  release(): Exchange {
    const { exchange } = this;
    this.exchange = noExchange;
    if (!this.#isParsing) return exchange;
    this.#isParsing = false;
    this.failure = undefined;
    this.detail = '';
    this.streamed = undefined;
    this.#parser?.reset();
    return exchange;
  }

  /** True if the server has requested the body (100). */
  get isContinued(): boolean {
    return this.#isParsing && this.#parser?.head.status === 100 && this.#parser.head.isComplete;
  }

  get progress(): string {
    return this.#isParsing && this.#parser !== undefined ? this.#parser.progress : 'before any byte of the response';
  }

  #parse(count: number, now: Instant): boolean {
    const parser = (this.#parser ??= new ResponseParser(this.settings.limits));
    if (!this.#isParsing && this.wanted.stream !== undefined)
      parser.sinkFor = (head) => this.openStream(head, this.#readAt);
    this.#isParsing = true;
    this.#readAt = now;
    this.streamed?.beginRead(now);
    const begun = parser.messagesBegun;
    const used = parser.feed(this.settings.readBuffer, count);
    if (parser.messagesBegun > begun) this.exchange.firstByteAt = now;
    if (this.newEvents > 0) this.settings.pace.count(this.newEvents, now);
    // Bytes after a complete response belong to no exchange: its outcome is kept, and the connection is closed.
    if (parser.isOver) this.#conclude(parser, used === count);
    return parser.isOver;
  }

  #conclude(parser: ResponseParser, isAlone: boolean): void {
    const { head, phase, detail } = parser;
    if (phase === 'malformed') return this.#refuse('malformed', detail);
    if (phase === 'lost') return this.#refuse('connection_lost', `the server closed the connection ${detail}`);
    const fault = this.keepWhole(head, parser.body);
    if (fault !== undefined) return this.#refuse('malformed', fault);
    const announced = head.keepAlive === undefined ? undefined : keepAliveSeconds(head.keepAlive);
    const mayServeAgain = isAlone && head.isPersistent;
    this.idleFor = mayServeAgain ? idleTime(announced, this.settings.idleConnectionMs) : undefined;
  }

  #refuse(failure: ExchangeFailure, detail: string): void {
    this.failure = failure;
    this.detail = detail;
  }
}

/** Returns N of `timeout=N` in a `Keep-Alive` header, in seconds; `undefined` if there is none. */
export function keepAliveSeconds(value: string): number | undefined {
  const digits = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns the maximum idle time of a connection: `limit`, or the time that the server announced less one second,
 * because the server began to count earlier. For a short announcement at least half of it; otherwise connections to a
 * server that announces one second would never be reused.
 */
export function idleTime(announcedSeconds: number | undefined, limit: Ms): Ms {
  if (announcedSeconds === undefined) return limit;
  const announcedMs = announcedSeconds * 1000;
  return ms(Math.min(limit, Math.max(announcedMs - 1000, announcedMs / 2)));
}
