import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { plainChunk } from './join-chunks.ts';
import { chunkSizeLine, LineReader } from './header-grammar.ts';
import { ResponseHead, type Fault } from './response-head.ts';

export interface ResponseLimits {
  /** All status, header and trailer lines of an exchange together, those of interim responses included. Usually 64 KiB. */
  maxHeadBytes: number;
  /** Usually 16 MiB. */
  maxBodyBytes: number;
  /** Whether whole bodies may come compressed. */
  compression?: boolean;
}

/** Is given a body as it comes instead of its being collected. */
export interface BodySink {
  /** `bytes` from `start` to `end`, which are overwritten later. False: too much of it. */
  take(bytes: Buffer, start: number, end: number): boolean;
}

/** What the next byte belongs to; the last three are final. */
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
 * Reads one response, fed with its bytes in pieces of any size. Pure: no socket, no clock. What it takes and refuses
 * is what llhttp takes and refuses in strict mode; on top of that, codings that were not asked for are malformed.
 *
 *     before -> status_line -> header -+------------- no body ---------------> complete
 *       ^                              +-> sized_body -----------------------> complete
 *       |                              +-> chunk_size -> chunk -> chunk_end -> chunk_size ...
 *       +--------- interim (1xx) ------+       +-> trailer ------------------> complete
 *                                      +-> open_body ---- end of stream -----> complete
 */
export class ResponseParser {
  phase: ParserPhase = 'before';
  /** What was wrong, in words, with the server's own text raw in it; '' unless `phase` is `malformed` or `lost`. */
  detail = '';
  /** Messages begun, interim ones included: grows with the first byte of each. */
  messagesBegun = 0;
  /** Of the message that began last. */
  head = new ResponseHead();
  readonly body = new GrowingBytes();
  /** What takes the body of the final response instead, asked for when its head is here. */
  sinkFor: ((head: ResponseHead) => BodySink | undefined) | undefined;
  #sink: BodySink | undefined;
  #bodyBytes = 0;
  readonly #limits: ResponseLimits;
  readonly #lines = new LineReader();
  #headBytes = 0;
  /** Of a sized body or of a chunk. */
  #bytesToCome = 0;
  /** Where the bytes end that are being fed. */
  #end = 0;

  constructor(limits: ResponseLimits) {
    this.#limits = limits;
  }

  /** Makes ready for the next response. */
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

  /** Takes the next bytes, `bytes` up to `end`, and gives how many belong to the response: fewer than all only when it is over. */
  feed(bytes: Buffer, end = bytes.length): number {
    this.#end = end;
    let at = 0;
    while (at < end && !this.isOver) at = this.#step(bytes, at);
    return at;
  }

  /** The stream has ended: that completes a body without a length, and loses everything else. */
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

  /** How far the response has come, in words. */
  get progress(): string {
    if (this.messagesBegun === 0) return 'before any byte of the response';
    if (this.phase === 'before') return 'after an interim response';
    if (this.finalHead === undefined) return 'within the head of the response';
    const read = `after ${String(this.#bodyBytes)} bytes of the body`;
    return this.phase === 'sized_body' ? `${read}, of ${String(this.head.contentLength)} declared` : read;
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

  /** Line breaks before a status line are skipped, as llhttp does; they are not yet the response, but they end too. */
  #skipLineBreaks(bytes: Buffer, at: number): number {
    if (bytes[at] === 13 || bytes[at] === 10) {
      this.#headBytes++;
      if (this.#headBytes > this.#limits.maxHeadBytes) this.#finish('malformed', this.#headTooLong);
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
    const foreign = this.phase === 'status_line' ? wordForeignStart(lines.text) : undefined;
    if (foreign !== undefined) this.#finish('malformed', foreign);
    else if (lines.fault !== undefined) this.#finish('malformed', this.#wordLineFault(lines.fault));
    else if (lines.isComplete) this.#endLine(isChunkLine);
    else this.#refuseEarly(lines.text);
    return end;
  }

  #wordLineFault(fault: string): string {
    return fault === 'too long' ? this.#headTooLong : fault;
  }

  get #headTooLong(): string {
    return `the head of the response is over the limit of ${String(this.#limits.maxHeadBytes)} bytes`;
  }

  /** The start of a line that can never become valid: otherwise a server that waits for us would time out. */
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
    head.isComplete = true;
    this.phase = head.isInterim ? 'before' : phaseAfterHead[head.framing];
    this.#bytesToCome = head.contentLength ?? 0;
    if (!head.isInterim) this.#sink = this.sinkFor?.(head);
    if (this.phase === 'sized_body' && this.#bytesToCome > this.#limits.maxBodyBytes) return this.#tooLarge;
    if (this.phase === 'sized_body' && this.#sink === undefined)
      this.body.reserve(Math.min(this.#bytesToCome, maxExpected));
    return head.faultOfCoding(this.#limits.compression === true && this.sinkFor === undefined);
  }

  #takeChunkSize(line: string): Fault {
    const digits = chunkSizeLine.exec(line)?.[1];
    if (digits === undefined) return `a chunk has no size: "${line}"`;
    this.#bytesToCome = Number.parseInt(digits, 16);
    if (this.#bodyBytes + this.#bytesToCome > this.#limits.maxBodyBytes) return this.#tooLarge;
    this.phase = this.#bytesToCome === 0 ? 'trailer' : 'chunk';
    return undefined;
  }

  #takeBody(bytes: Buffer, at: number): number {
    const isOpen = this.phase === 'open_body';
    const end = isOpen ? this.#end : Math.min(this.#end, at + this.#bytesToCome);
    if (this.#bodyBytes + end - at > this.#limits.maxBodyBytes) {
      this.#finish('malformed', this.#tooLarge);
      return end;
    }
    if (!this.#keep(bytes, at, end)) return end;
    this.#bytesToCome -= end - at;
    if (!isOpen && this.#bytesToCome === 0) this.phase = this.phase === 'chunk' ? 'chunk_end' : 'complete';
    return end;
  }

  /**
   * Takes whole plain chunks, of which a stream has one an event: the common case, without a line of text made for each.
   * Any other chunk is left to the slower way.
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

  /** False: the sink refused it, and the response is over. */
  #keep(bytes: Buffer, start: number, end: number): boolean {
    this.#bodyBytes += end - start;
    if (this.#sink === undefined) this.body.append(bytes, start, end);
    else if (!this.#sink.take(bytes, start, end)) {
      this.#finish('malformed', 'an event of the stream is over the limit of its size');
      return false;
    }
    return true;
  }

  get #tooLarge(): string {
    return `the body of the response is over the limit of ${String(this.#limits.maxBodyBytes)} bytes`;
  }

  #finish(phase: 'malformed' | 'lost', detail: string): void {
    this.phase = phase;
    this.detail = detail;
  }
}

/** A server that announces more than it sends must not cost more memory than it sends. */
const maxExpected = 1 << 20;

const chunkOverrun = 'a chunk is longer than its declared size';

const phaseAfterHead = {
  none: 'complete',
  length: 'sized_body',
  chunked: 'chunk_size',
  until_close: 'open_body',
} as const;

/** The protocol that is spoken instead of HTTP/1, by its first bytes: the SETTINGS frame of HTTP/2 (RFC 9113, 3.4), a record of TLS. */
function wordForeignStart(start: string): string | undefined {
  if (start.startsWith('\0') && start[3] === '\x04')
    return 'the server speaks HTTP/2 alone: set target.http2 (--http2)';
  if ((start[0] === '\x15' || start[0] === '\x16') && start[1] === '\x03')
    return 'the server speaks TLS: the base URL has to start with https://';
  return undefined;
}
