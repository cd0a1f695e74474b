import { type IncomingHttpHeaders, constants, type ClientHttp2Stream } from 'node:http2';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { instant, type Instant } from '../../../base/time.ts';
import type { Exchange } from '../../../session/send.ts';
import { cookieLines, keepBody, keepHeaders, keepStream, keepWait, pickHeaders } from '../response/keep-response.ts';
import { decodeBody } from '../response/decode-body.ts';
import { StreamedReply } from '../stream/streamed-reply.ts';
import { isStream, ResponseHead, type Fault } from '../response/response-head.ts';
import type { WantedOfResponse } from '../response/response-reading.ts';
import type { Http2Settings } from './http2-settings.ts';
import { cancelled } from './stream-codes.ts';

type ReadingSettings = Pick<Http2Settings, 'limits' | 'maxEventBytes' | 'pace' | 'redact' | 'cookies'>;

/** Reads the response of one stream into its exchange, in the words that the reader of HTTP/1.1 uses. */
export class Http2Reading {
  readonly exchange: Exchange;
  /** How many content events of a reply in pieces came in the latest read. */
  cameNow = 0;
  readonly #settings: ReadingSettings;
  readonly #wanted: WantedOfResponse;
  #head: ResponseHead | undefined;
  #hasInterim = false;
  #headBytes = 0;
  #bodyBytes = 0;
  #body: GrowingBytes | undefined;
  #streamed: StreamedReply | undefined;
  #readAt = instant(-1);
  /** The read of the connection that came last, by how much had been read then. */
  #read = -1;

  constructor(settings: ReadingSettings, wanted: WantedOfResponse, exchange: Exchange) {
    this.#settings = settings;
    this.#wanted = wanted;
    this.exchange = exchange;
  }

  /** Takes the head of an interim response. */
  takeInterim(headers: IncomingHttpHeaders, now: Instant): Fault {
    this.exchange.firstByteAt = now;
    this.#hasInterim = true;
    return this.#weigh(headers);
  }

  /** Takes the head of the final response. Gives what is wrong with it. */
  takeHead(headers: IncomingHttpHeaders, now: Instant): Fault {
    const { exchange } = this;
    exchange.firstByteAt = now;
    this.#readAt = now;
    const tooLong = this.#weigh(headers);
    if (tooLong !== undefined) return tooLong;
    const head = new ResponseHead();
    head.status = Number(headers[':status'] ?? 0);
    const fault = takeFields(head, headers);
    if (fault !== undefined) return fault;
    this.#head = head;
    exchange.status = head.status;
    keepWait(exchange, head);
    const { limits, cookies } = this.#settings;
    if (cookies) exchange.setCookies = cookieLines(head);
    if (head.contentLength !== undefined && head.contentLength > limits.maxBodyBytes) return this.#tooLarge;
    this.#openStream(head);
    return head.faultOfCoding(limits.compression === true && this.#wanted.stream === undefined);
  }

  /** Takes bytes of the body; `read` is how much of the connection had been read with them. Gives what is wrong. */
  takeBody(bytes: Buffer, now: Instant, read: number): Fault {
    this.#bodyBytes += bytes.length;
    if (this.#bodyBytes > this.#settings.limits.maxBodyBytes) return this.#tooLarge;
    if (this.#streamed !== undefined)
      return this.#takePieces(this.#streamed, bytes, read === this.#read ? this.#readAt : this.#beginRead(now, read));
    this.#body ??= new GrowingBytes();
    this.#body.append(bytes, 0, bytes.length);
    return undefined;
  }

  /** The whole response is here. Gives what is wrong with its body. */
  complete(): Fault {
    const { exchange } = this;
    const head = this.#head ?? new ResponseHead();
    const coded = this.#body;
    const body =
      head.contentCoding === undefined || coded === undefined
        ? coded
        : decodeBody(head.contentCoding, coded, this.#settings.limits.maxBodyBytes);
    if (typeof body === 'string') return body;
    keepHeaders(exchange, head, this.#settings);
    if (this.#wanted.wantedHeaders !== undefined) exchange.headers = pickHeaders(head, this.#wanted.wantedHeaders);
    if (body !== undefined) keepBody(exchange, body);
    this.#streamed?.end();
    keepStream(exchange, this.#streamed);
    return undefined;
  }

  /** Puts what came of a response that is not over into the exchange. */
  keepPart(): void {
    keepStream(this.exchange, this.#streamed);
  }

  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** Whether the end of a streamed reply has arrived: its response may still be open. */
  get hasReplyEnded(): boolean {
    return this.#streamed?.reply.hasEnded ?? false;
  }

  /** How far the response has come, in words. */
  get progress(): string {
    if (this.#head === undefined)
      return this.#hasInterim ? 'after an interim response' : 'before any byte of the response';
    const { contentLength } = this.#head;
    const read = `after ${String(this.#bodyBytes)} bytes of the body`;
    return contentLength === undefined ? read : `${read}, of ${String(contentLength)} declared`;
  }

  #weigh(headers: IncomingHttpHeaders): Fault {
    const { maxHeadBytes } = this.#settings.limits;
    for (const [name, value = ''] of Object.entries(headers)) this.#headBytes += name.length + String(value).length;
    return this.#headBytes > maxHeadBytes
      ? `the head of the response is over the limit of ${String(maxHeadBytes)} bytes`
      : undefined;
  }

  #openStream(head: ResponseHead): void {
    const { stream } = this.#wanted;
    if (stream === undefined || !isStream(head, stream.framing)) return;
    const { maxEventBytes } = this.#settings;
    this.#streamed = new StreamedReply(stream, { now: this.#readAt, maxEventBytes });
  }

  /** Frames that came in one read of the connection came at one instant. */
  #beginRead(now: Instant, read: number): Instant {
    this.#read = read;
    this.#readAt = now;
    this.#streamed?.beginRead(now);
    return now;
  }

  #takePieces(streamed: StreamedReply, bytes: Buffer, at: Instant): Fault {
    const before = streamed.cameNow;
    const isTaken = streamed.take(bytes, 0, bytes.length);
    this.cameNow = streamed.cameNow - before;
    if (this.cameNow > 0) this.#settings.pace.came(this.cameNow, at);
    return isTaken ? undefined : 'an event of the stream is over the limit of its size';
  }

  get #tooLarge(): string {
    return `the body of the response is over the limit of ${String(this.#settings.limits.maxBodyBytes)} bytes`;
  }
}

/** What HTTP/2 has no lines for, and Node.js checks itself: a length twice, a transfer coding. */
function takeFields(head: ResponseHead, headers: IncomingHttpHeaders): Fault {
  for (const [name, given] of Object.entries(headers)) {
    if (name.startsWith(':') || given === undefined) continue;
    for (const value of Array.isArray(given) ? given : [given]) {
      const fault = head.takeField(name, value);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/**
 * Calls `ended` as soon as END_STREAM of a stream is received. Node.js has no event for it: `end` also follows a reset
 * with NO_ERROR, and a complete stream may be closed before its `end`. In both cases Node.js ends the readable side by
 * pushing `null`, but marks the stream as closed before that only if it was reset or destroyed.
 */
export function onEndOfStream(stream: ClientHttp2Stream, ended: () => void): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null && !stream.closed) ended();
    return push(chunk, encoding);
  };
}

/** Takes the part of the body that a stream holds and has not emitted, and that it would not emit once it is closed. */
export function takeHeld(stream: ClientHttp2Stream, take: (bytes: Buffer) => void): void {
  stream.removeAllListeners('data');
  for (;;) {
    const bytes = stream.read() as Buffer | null;
    if (bytes === null) return;
    take(bytes);
  }
}

/** Ends a stream. A response may be complete before the request was written to its end: the rest of it is not sent. */
export function closeStream(stream: ClientHttp2Stream, isWhole: boolean): void {
  if (isWhole && stream.writableFinished) stream.resume();
  else stream.close(cancelled);
}

/** Whether a session that is open still has not written the head of a stream. */
export function isIdle({ closed, destroyed, state }: ClientHttp2Stream): boolean {
  return !closed && !destroyed && state.state === constants.NGHTTP2_STREAM_STATE_IDLE;
}
