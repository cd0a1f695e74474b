import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { plainChunk } from './join-chunks.ts';
import { chunkSizeLine, LineReader } from './header-grammar.ts';
import { ResponseHead, type Fault } from './response-head.ts';

export interface ResponseLimits {
  /** All status, header and trailer lines of an exchange together, including interim responses. Usually 64 KiB. */
  maxHeadBytes: number;
  /** Usually 16 MiB. */
  maxBodyBytes: number;
  /** True if bodies that are not streamed may be compressed. */
  compression?: boolean;
}

/** Receives the body as it arrives, instead of collecting it. */
export interface BodySink {
  /** Takes `bytes` from `start` to `end`, which are overwritten later. Returns false if the body is too large. */
  take(bytes: Buffer, start: number, end: number): boolean;
}

/** The part that the next byte belongs to; the last three are final. */
type ParserPhase =
  | 'before'
  | 'status_line'
  | 'header'
  | 'sized_body'
  | 'open_body'
  | 'chunk_size'
  | 'chunk'
  | 'chunk_end'
  | 'trailer'
  | 'complete'
  | 'malformed'
  | 'lost';

/**
 * Parses one response, fed in blocks of any size. Pure: no socket, no clock. It accepts and refuses the same responses
 * as llhttp in strict mode, but reads folded lines, equal lengths, and white space after names and chunk sizes, and refuses
 * codings that were not requested.
 *
 *     before -> status_line -> header -+------------- no body ---------------> complete
 *       ^                              +-> sized_body -----------------------> complete
 *       |                              +-> chunk_size -> chunk -> chunk_end -> chunk_size ...
 *       +--------- interim (1xx) ------+       +-> trailer ------------------> complete
 *                                      +-> open_body ---- end of stream -----> complete
 */
export class ResponseParser {
  phase: ParserPhase = 'before';
  /** The fault, with raw text of the server; '' unless `phase` is `malformed` or `lost`. */
  detail = '';
  /** Number of messages begun, interim ones included: grows with the first byte of each. */
  messagesBegun = 0;
  /** Head of the latest message. */
  head = new ResponseHead();
  readonly body = new GrowingBytes();
  /** Returns the sink for the body of the final response; called when its head is complete. */
  sinkFor: ((head: ResponseHead) => BodySink | undefined) | undefined;
  #sink: BodySink | undefined;
  #bodyBytes = 0;
  readonly #limits: ResponseLimits;
  readonly #lines = new LineReader();
  #headBytes = 0;
  /** Remaining bytes of a sized body or of a chunk. */
  #bytesToCome = 0;
  /** End of the block that is being fed. */
  #end = 0;

  constructor(limits: ResponseLimits) {
    this.#limits = limits;
  }

  reset(): void {
    this.phase = 'before';
    this.detail = '';
    this.messagesBegun = 0;
    this.head = new ResponseHead();
    this.body.free();
    this.sinkFor = undefined;
    this.#sink = undefined;
    this.#bodyBytes = 0;
    this.#lines.clear();
    this.#headBytes = 0;
  }

  /** Takes the next bytes, `bytes` up to `end`. Returns the number that belongs to the response: fewer only if it is over. */
  feed(bytes: Buffer, end = bytes.length): number {
    this.#end = end;
    let at = 0;
    while (at < end && !this.isOver) at = this.#step(bytes, at);
    return at;
  }

  /** Ends the stream: this completes a body without a length, and loses any other response. */
  end(): void {
    if (this.phase === 'open_body') this.phase = 'complete';
    else if (!this.isOver) this.#finish('lost', this.progress);
  }

  get isOver(): boolean {
    return this.phase === 'complete' || this.phase === 'malformed' || this.phase === 'lost';
  }

  /** The head of the final response; `undefined` until it is complete. */
  get finalHead(): ResponseHead | undefined {
    return this.head.isComplete && !this.head.isInterim ? this.head : undefined;
  }

  get progress(): string {
    if (this.messagesBegun === 0) return 'before any byte of the response';
    if (this.phase === 'before') return 'after an interim response';
    if (this.finalHead === undefined) return 'within the head of the response';
    return bodyProgress(this.#bodyBytes, this.phase === 'sized_body' ? this.head.contentLength : undefined);
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.phase) {
      case 'before':
        return this.#skipLineBreaks(bytes, at);
      case 'sized_body':
      case 'open_body':
      case 'chunk':
        return this.#takeBody(bytes, at);
      case 'chunk_size':
        return this.#lines.text === '' ? this.#takeChunks(bytes, at) : this.#takeLine(bytes, at);
      default:
        return this.#takeLine(bytes, at);
    }
  }

  /** Skips line breaks before a status line, as llhttp does; they do not belong to the response, but count as bytes of its head. */
  #skipLineBreaks(bytes: Buffer, at: number): number {
    if (bytes[at] === 13 || bytes[at] === 10) {
      this.#headBytes++;
      if (this.#headBytes > this.#limits.maxHeadBytes) this.#finish('malformed', headTooLarge(this.#limits));
      return at + 1;
    }
    this.phase = 'status_line';
    this.head = new ResponseHead();
    this.messagesBegun++;
    return at;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const lines = this.#lines;
    const isChunkLine = this.phase === 'chunk_size' || this.phase === 'chunk_end';
    const maxBytes = this.#limits.maxHeadBytes - (isChunkLine ? 0 : this.#headBytes);
    const end = lines.take(bytes, at, { end: this.#end, maxBytes });
    const foreign = this.phase === 'status_line' ? describeForeignStart(lines.text) : undefined;
    if (foreign !== undefined) this.#finish('malformed', foreign);
    else if (lines.fault !== undefined)
      this.#finish('malformed', lines.fault === 'too long' ? headTooLarge(this.#limits) : lines.fault);
    else if (lines.isComplete) this.#endLine(isChunkLine);
    else this.#refuseEarly(lines.text);
    return end;
  }

  /** Refuses the start of a line that can never become valid: otherwise a server that waits for us would time out. */
  #refuseEarly(start: string): void {
    if (this.phase === 'status_line' && !start.startsWith('HTTP/'.slice(0, start.length))) {
      this.#finish('malformed', `the response does not start with HTTP/: "${start}"`);
    }
    if (this.phase === 'chunk_end' && start !== '\r') this.#finish('malformed', chunkOverrun);
  }

  #endLine(isChunkLine: boolean): void {
    const { line, text } = this.#lines;
    this.#lines.clear();
    if (!isChunkLine) this.#headBytes += text.length;
    const fault = this.#takeWholeLine(line);
    if (fault !== undefined) this.#finish('malformed', fault);
  }

  #takeWholeLine(line: string): Fault {
    switch (this.phase) {
      case 'status_line':
        this.phase = 'header';
        return this.head.takeStatusLine(line);
      case 'header':
        return line === '' ? this.#endHead() : this.head.takeHeader(line);
      case 'chunk_size':
        return this.#takeChunkSize(line);
      case 'chunk_end':
        this.phase = 'chunk_size';
        return line === '' ? undefined : chunkOverrun;
      default:
        if (line !== '') return this.head.takeTrailer(line);
        this.phase = 'complete';
        return undefined;
    }
  }

  #endHead(): Fault {
    const { head } = this;
    const fault = head.endHeader();
    if (fault !== undefined) return fault;
    head.isComplete = true;
    this.phase = head.isInterim ? 'before' : phaseAfterHead[head.framing];
    this.#bytesToCome = head.contentLength ?? 0;
    if (!head.isInterim) this.#sink = this.sinkFor?.(head);
    if (this.phase === 'sized_body' && this.#bytesToCome > this.#limits.maxBodyBytes) return bodyTooLarge(this.#limits);
    if (this.phase === 'sized_body' && this.#sink === undefined)
      this.body.reserve(Math.min(this.#bytesToCome, maxExpected));
    return head.codingFault(this.#limits.compression === true && this.sinkFor === undefined);
  }

  #takeChunkSize(line: string): Fault {
    const digits = chunkSizeLine.exec(line)?.[1];
    if (digits === undefined) return `a chunk has no size: "${line}"`;
    this.#bytesToCome = Number.parseInt(digits, 16);
    if (this.#bodyBytes + this.#bytesToCome > this.#limits.maxBodyBytes) return bodyTooLarge(this.#limits);
    this.phase = this.#bytesToCome === 0 ? 'trailer' : 'chunk';
    return undefined;
  }

  #takeBody(bytes: Buffer, at: number): number {
    const isOpen = this.phase === 'open_body';
    const end = isOpen ? this.#end : Math.min(this.#end, at + this.#bytesToCome);
    if (this.#bodyBytes + end - at > this.#limits.maxBodyBytes) {
      this.#finish('malformed', bodyTooLarge(this.#limits));
      return end;
    }
    if (!this.#keep(bytes, at, end)) return end;
    this.#bytesToCome -= end - at;
    if (!isOpen && this.#bytesToCome === 0) this.phase = this.phase === 'chunk' ? 'chunk_end' : 'complete';
    return end;
  }

  /**
   * Takes complete plain chunks without decoding a line of text for each: a stream usually has one per event. All other
   * chunks take the slow path.
   */
  #takeChunks(bytes: Buffer, start: number): number {
    let at = start;
    while (at < this.#end) {
      const chunk = plainChunk(bytes, at, this.#end);
      if (chunk === undefined || this.#bodyBytes + chunk.size > this.#limits.maxBodyBytes) break;
      at = chunk.start + chunk.size + 2;
      if (!this.#keep(bytes, chunk.start, chunk.start + chunk.size)) return at;
    }
    return at === this.#end ? at : this.#takeLine(bytes, at);
  }

  /** Returns false if the sink refused it, and the response is over. */
  #keep(bytes: Buffer, start: number, end: number): boolean {
    this.#bodyBytes += end - start;
    if (this.#sink === undefined) this.body.append(bytes, start, end);
    else if (!this.#sink.take(bytes, start, end)) {
      this.#finish('malformed', eventTooLarge);
      return false;
    }
    return true;
  }

  #finish(phase: 'malformed' | 'lost', detail: string): void {
    this.phase = phase;
    this.detail = detail;
  }
}

/** A server that announces more than it sends must not cost more memory than it sends. */
const maxExpected = 1 << 20;

export const eventTooLarge = 'an event of the stream is over the limit of its size';

export function headTooLarge({ maxHeadBytes }: ResponseLimits): string {
  return `the head of the response is over the limit of ${String(maxHeadBytes)} bytes`;
}

export function bodyTooLarge({ maxBodyBytes }: ResponseLimits): string {
  return `the body of the response is over the limit of ${String(maxBodyBytes)} bytes`;
}

export function bodyProgress(bytes: number, declared: number | undefined): string {
  const read = `after ${String(bytes)} bytes of the body`;
  return declared === undefined ? read : `${read}, of ${String(declared)} declared`;
}

const chunkOverrun = 'a chunk is longer than its declared size';

const phaseAfterHead = {
  none: 'complete',
  length: 'sized_body',
  chunked: 'chunk_size',
  until_close: 'open_body',
} as const;

/** Recognizes other protocols by their first bytes: the SETTINGS frame of HTTP/2 (RFC 9113, 3.4), a record of TLS. */
function describeForeignStart(start: string): string | undefined {
  if (start.startsWith('\0') && start[3] === '\x04')
    return 'the server supports only HTTP/2: set target.http2 (--http2)';
  if ((start[0] === '\x15' || start[0] === '\x16') && start[1] === '\x03')
    return 'the server uses TLS: start the base URL with https://';
  return undefined;
}
