import { type IncomingHttpHeaders, constants, type ClientHttp2Stream } from 'node:http2';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { instant, type Instant } from '../../../base/time.ts';
import type { Exchange } from '../../../session/send.ts';
import { ExchangeReading, type ReadingSettings, type WantedOfResponse } from '../response/exchange-reading.ts';
import { ResponseHead, type Fault } from '../response/response-head.ts';
import { bodyProgress, bodyTooLarge, eventTooLarge, headTooLarge } from '../response/response-parser.ts';
import { cancelled } from './stream-codes.ts';

export class Http2Reading extends ExchangeReading {
  /** Number of content events of a streamed reply in the latest read. */
  newEvents = 0;
  #head: ResponseHead | undefined;
  #hasInterim = false;
  #headBytes = 0;
  #bodyBytes = 0;
  #body: GrowingBytes | undefined;
  #readAt = instant(-1);
  /** The latest read of the connection, identified by the bytes read so far. */
  #read = -1;

  constructor(settings: ReadingSettings, wanted: WantedOfResponse, exchange: Exchange) {
    super(settings);
    this.wanted = wanted;
    this.exchange = exchange;
  }

  takeInterim(headers: IncomingHttpHeaders, now: Instant): Fault {
    this.exchange.firstByteAt = now;
    this.#hasInterim = true;
    return this.#weigh(headers);
  }

  /** Takes the head of the final response. Returns its fault. */
  takeHead(headers: IncomingHttpHeaders, now: Instant): Fault {
    this.exchange.firstByteAt = now;
    this.#readAt = now;
    const head = new ResponseHead();
    head.status = Number(headers[':status'] ?? 0);
    const fault = this.#weigh(headers) ?? takeFields(head, headers);
    if (fault !== undefined) return fault;
    this.#head = head;
    const { limits } = this.settings;
    if (head.contentLength !== undefined && head.contentLength > limits.maxBodyBytes) return bodyTooLarge(limits);
    this.openStream(head, now);
    return head.codingFault(limits.compression === true && this.wanted.stream === undefined);
  }

  /** Takes bytes of the body; `read`: the bytes read from the connection so far. Returns the fault. */
  takeBody(bytes: Buffer, now: Instant, read: number): Fault {
    const { limits } = this.settings;
    this.#bodyBytes += bytes.length;
    if (this.#bodyBytes > limits.maxBodyBytes) return bodyTooLarge(limits);
    if (this.streamed !== undefined) return this.#takeEvents(bytes, now, read);
    this.#body ??= new GrowingBytes();
    this.#body.append(bytes, 0, bytes.length);
    return undefined;
  }

  /** Completes the response and returns the fault of its body, if any. */
  complete(): Fault {
    return this.keepWhole(this.#head ?? new ResponseHead(), this.#body);
  }

  keepPart(): void {
    this.keepReceived(this.#head);
  }

  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  get progress(): string {
    if (this.#head !== undefined) return bodyProgress(this.#bodyBytes, this.#head.contentLength);
    return this.#hasInterim ? 'after an interim response' : 'before any byte of the response';
  }

  #weigh(headers: IncomingHttpHeaders): Fault {
    const { limits } = this.settings;
    for (const [name, value = ''] of Object.entries(headers)) this.#headBytes += name.length + String(value).length;
    return this.#headBytes > limits.maxHeadBytes ? headTooLarge(limits) : undefined;
  }

  #takeEvents(bytes: Buffer, now: Instant, read: number): Fault {
    const { streamed } = this;
    if (streamed === undefined) return undefined;
    // Frames of one read of the connection arrived at one instant.
    if (read !== this.#read) {
      this.#read = read;
      this.#readAt = now;
      streamed.beginRead(now);
    }
    const before = streamed.newEvents;
    const isTaken = streamed.take(bytes, 0, bytes.length);
    this.newEvents = streamed.newEvents - before;
    if (this.newEvents > 0) this.settings.pace.count(this.newEvents, this.#readAt);
    return isTaken ? undefined : eventTooLarge;
  }
}

/** Takes header fields. Node.js itself rejects a repeated length and a transfer coding. */
function takeFields(head: ResponseHead, headers: IncomingHttpHeaders): Fault {
  for (const [name, given] of Object.entries(headers)) {
    if (name.startsWith(':') || given === undefined) continue;
    for (const value of [given].flat()) {
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

/** Takes the part of the body that a stream has buffered, and that it would not emit once it is closed. */
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

/** Reports whether an open session still has not written the head of a stream. */
export function isIdle({ closed, destroyed, state }: ClientHttp2Stream): boolean {
  return !closed && !destroyed && state.state === constants.NGHTTP2_STREAM_STATE_IDLE;
}
