import { cacheFields, isCacheMark } from '../../../base/cache-mark.ts';
import { isWaitField, rateLimit } from '../../../base/wait-fields.ts';
import { isTokenByte, isValueByte } from './header-grammar.ts';
import { joinChunks } from './join-chunks.ts';
import { isSuccess, minRefusal } from './response-head.ts';
import type { ResponseLimits } from './response-parser.ts';

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const comma = 44;
const zero = 48;
const colon = 58;
/** `HTTP/1.1 200` and a line break. */
const shortestStart = 14;
/** Enough for a body within a read buffer, and for days of idleness; a longer number is left to the slow path. */
const maxDigits = 6;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const protocol = bytesOf('HTTP/1.1 ');
const connection = bytesOf('connection');
const keepAlive = bytesOf('keep-alive');
/** Has the same length as the two before it. */
const setCookie = bytesOf('set-cookie');
const date = bytesOf('date');
const retryAfter = bytesOf('retry-after');
const contentType = bytesOf('content-type');
const json = bytesOf('application/json');
const location = bytesOf('location');
const contentLength = bytesOf('content-length');
const contentEncoding = bytesOf('content-encoding');
const transferEncoding = bytesOf('transfer-encoding');
const chunked = bytesOf('chunked');
const close = bytesOf('close');
const timeoutIs = bytesOf('timeout=');
/** Fields that mark replies of caches, by the lengths of their names. */
const cacheMarks: (readonly { name: Uint8Array; text: string }[] | undefined)[] = [];
for (const text of cacheFields)
  cacheMarks[text.length] = [...(cacheMarks[text.length] ?? []), { name: bytesOf(text), text }];

/**
 * Reads plain responses (nearly all) directly from the read buffer: HTTP/1.1, no interim message, a declared length or
 * plain chunks, complete and alone in one read. All other responses are left to the `ResponseParser`; both agree on
 * every response accepted here. It stores the result itself, so that nothing is allocated.
 */
export class FastResponse {
  status = 0;
  bodyStart = 0;
  bodyEnd = 0;
  /** True if the connection may carry another exchange. */
  isPersistent = true;
  retryAfter: string | undefined;
  /** Other fields about the wait of a response from status 400 on; `undefined`: there are none. */
  waits: Record<string, string> | undefined;
  /** `undefined` without a stated wait, because it is not needed then. */
  date: string | undefined;
  /** `undefined` for 200 and 201 if it is JSON, the usual case. */
  contentType: string | undefined;
  /** Set only for statuses other than 200 and 201. */
  location: string | undefined;
  keepAliveSeconds: number | undefined;
  /** True if the response sets a cookie. */
  setsCookie = false;
  /** The field that marks a reply of a cache; `undefined`: none. */
  cacheMark: string | undefined;
  #contentLength = -1;
  #isChunked = false;
  #dateStart = -1;
  #dateEnd = -1;
  #valueStart = 0;
  #valueEnd = 0;
  readonly #limits: ResponseLimits;
  readonly #leavesCookies: boolean;

  /** `leavesCookies`: a response that sets a cookie is left to the parser. */
  constructor(limits: ResponseLimits, leavesCookies = false) {
    this.#limits = limits;
    this.#leavesCookies = leavesCookies;
  }

  /**
   * Reports whether the first `length` of `bytes` are a plain response; only then are the fields valid. Chunks are
   * joined in place, so that the body is contiguous.
   */
  read(bytes: Buffer, length: number): boolean {
    if (length < shortestStart || !holds(bytes, 0, protocol)) return false;
    this.status = readNumber(bytes, 9, 12);
    if (this.status < 200 || this.status === 204 || this.status === 304) return false;
    this.#reset();
    this.bodyStart = this.#readHeaders(bytes, skipReason(bytes, 12));
    if (this.bodyStart === -1 || this.bodyStart > this.#limits.maxHeadBytes) return false;
    if ((this.retryAfter !== undefined || this.waits !== undefined) && this.#dateStart !== -1)
      this.date = bytes.toString('latin1', this.#dateStart, this.#dateEnd);
    return this.#isChunked ? this.#readChunks(bytes, length) : this.#isWhole(length);
  }

  #reset(): void {
    this.isPersistent = true;
    this.retryAfter = undefined;
    this.waits = undefined;
    this.date = undefined;
    this.#dateStart = -1;
    this.contentType = undefined;
    this.location = undefined;
    this.keepAliveSeconds = undefined;
    this.setsCookie = false;
    this.cacheMark = undefined;
    this.#contentLength = -1;
    this.#isChunked = false;
  }

  #isWhole(length: number): boolean {
    this.bodyEnd = this.bodyStart + this.#contentLength;
    // Bytes after `length` remain from an earlier read: a head that runs into them does not end at or before it.
    return this.#contentLength !== -1 && this.bodyEnd === length && this.#contentLength <= this.#limits.maxBodyBytes;
  }

  #readChunks(bytes: Buffer, length: number): boolean {
    if (this.#contentLength !== -1) return false;
    this.bodyEnd = joinChunks(bytes, this.bodyStart, { end: length, maxBytes: this.#limits.maxBodyBytes });
    return this.bodyEnd !== -1;
  }

  /** Returns the position after the head, -1 if it is not plain. */
  #readHeaders(bytes: Buffer, start: number): number {
    let at = start;
    while (at !== -1 && bytes[at] !== carriageReturn) at = this.#readHeader(bytes, at);
    return at !== -1 && bytes[at + 1] === lineFeed ? at + 2 : -1;
  }

  /** Returns the position after the line, -1 if it is not plain. */
  #readHeader(bytes: Buffer, start: number): number {
    let at = start;
    while (isTokenByte[bytes[at] ?? 0] === 1) at++;
    if (at === start || bytes[at] !== colon) return -1;
    const nameLength = at - start;
    at++;
    while (isBlank(bytes[at])) at++;
    this.#valueStart = at;
    while (isValueByte[bytes[at] ?? 0] === 1) at++;
    if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) return -1;
    this.#valueEnd = at;
    while (this.#valueEnd > this.#valueStart && isBlank(bytes[this.#valueEnd - 1])) this.#valueEnd--;
    return this.#interpret(bytes, start, nameLength) ? at + 2 : -1;
  }

  /** Reports whether the header, if it is relevant, has a plain value. */
  #interpret(bytes: Buffer, start: number, nameLength: number): boolean {
    // Nearly all responses are ok: their fields are not compared with those about waits.
    if (this.status >= minRefusal && (nameLength > retryAfter.length || nameLength === rateLimit.length))
      this.#takeWait(bytes, start, nameLength);
    switch (nameLength) {
      case connection.length:
        if (isNamed(bytes, start, connection)) return this.#takeConnection(bytes);
        if (isNamed(bytes, start, keepAlive)) return this.#takeKeepAlive(bytes);
        return !isNamed(bytes, start, setCookie) || this.#takeCookie();
      case date.length:
        if (isNamed(bytes, start, date) && this.#dateStart === -1)
          [this.#dateStart, this.#dateEnd] = [this.#valueStart, this.#valueEnd];
        return true;
      case retryAfter.length:
        if (isNamed(bytes, start, retryAfter)) this.retryAfter ??= this.#valueIn(bytes);
        return true;
      case contentType.length:
        if (isNamed(bytes, start, contentType) && !(isSuccess(this.status) && isNamed(bytes, this.#valueStart, json)))
          this.contentType ??= this.#valueIn(bytes);
        this.#takeCacheMark(bytes, start, nameLength);
        return true;
      case location.length:
        if (!isSuccess(this.status) && isNamed(bytes, start, location)) this.location ??= this.#valueIn(bytes);
        return true;
      case contentLength.length:
        if (isNamed(bytes, start, contentLength)) return this.#takeContentLength(bytes);
        this.#takeCacheMark(bytes, start, nameLength);
        return true;
      case contentEncoding.length:
        return !isNamed(bytes, start, contentEncoding);
      case transferEncoding.length:
        return !isNamed(bytes, start, transferEncoding) || this.#takeTransferEncoding(bytes);
      default:
        this.#takeCacheMark(bytes, start, nameLength);
        return true;
    }
  }

  #valueIn(bytes: Buffer): string {
    return bytes.toString('latin1', this.#valueStart, this.#valueEnd);
  }

  #takeCookie(): boolean {
    this.setsCookie = true;
    return !this.#leavesCookies;
  }

  #takeWait(bytes: Buffer, start: number, nameLength: number): void {
    const name = bytes.toString('latin1', start, start + nameLength).toLowerCase();
    if (!isWaitField(name)) return;
    this.waits ??= {};
    this.waits[name] ??= this.#valueIn(bytes);
  }

  #takeCacheMark(bytes: Buffer, start: number, nameLength: number): void {
    const marks = cacheMarks[nameLength];
    if (marks === undefined) return;
    for (const { name, text } of marks) {
      if (!isNamed(bytes, start, name)) continue;
      const value = this.#valueIn(bytes);
      if (isCacheMark(text, value)) this.cacheMark ??= `${text}: ${value}`;
    }
  }

  #takeConnection(bytes: Buffer): boolean {
    const length = this.#valueEnd - this.#valueStart;
    if (length === keepAlive.length) return isNamed(bytes, this.#valueStart, keepAlive);
    this.isPersistent = false;
    return length === close.length && isNamed(bytes, this.#valueStart, close);
  }

  #takeKeepAlive(bytes: Buffer): boolean {
    if (this.keepAliveSeconds !== undefined || !isNamed(bytes, this.#valueStart, timeoutIs)) return false;
    const start = this.#valueStart + timeoutIs.length;
    let end = start;
    while (end < this.#valueEnd && bytes[end] !== comma) end++;
    this.keepAliveSeconds = readNumber(bytes, start, end);
    return this.keepAliveSeconds >= 0;
  }

  #takeTransferEncoding(bytes: Buffer): boolean {
    if (this.#isChunked || this.#valueEnd - this.#valueStart !== chunked.length) return false;
    this.#isChunked = isNamed(bytes, this.#valueStart, chunked);
    return this.#isChunked;
  }

  #takeContentLength(bytes: Buffer): boolean {
    if (this.#contentLength !== -1) return false;
    this.#contentLength = readNumber(bytes, this.#valueStart, this.#valueEnd);
    return this.#contentLength !== -1;
  }
}

const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

/** Reports whether exactly `text` is at `start`. */
const holds = (bytes: Buffer, start: number, text: Uint8Array): boolean => {
  for (let index = 0; index < text.length; index++) if (bytes[start + index] !== text[index]) return false;
  return true;
};

/** Reports whether `name`, in lower case, is at `start` in any case. Setting bit 5 changes only capitals here. */
const isNamed = (bytes: Buffer, start: number, name: Uint8Array): boolean => {
  for (let index = 0; index < name.length; index++)
    if (((bytes[start + index] ?? 0) | 32) !== name[index]) return false;
  return true;
};

/** Returns the decimal number that fills the range, -1 if it is something else or too long. */
const readNumber = (bytes: Buffer, start: number, end: number): number => {
  if (end <= start || end > start + maxDigits) return -1;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] ?? 0) - zero;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
};

/** Returns the start of the line after the status line, -1 if the reason is not plain. */
const skipReason = (bytes: Buffer, start: number): number => {
  let at = start;
  if (bytes[at] === space) while (isValueByte[bytes[at] ?? 0] === 1) at++;
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed ? at + 2 : -1;
};
