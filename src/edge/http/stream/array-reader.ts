import { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { EventSink, StreamReader } from './event-reader.ts';
import { openBracket } from './line-bytes.ts';
import { ReadEvent } from './read-event.ts';

const quote = 34;
const backslash = 92;
const comma = 44;
const openBrace = 123;
const closeBrace = 125;
const closeBracket = 93;
const blanks = new Set([9, 10, 13, 32]);
const byteOrderMark = new Set([0xef, 0xbb, 0xbf]);

/**
 * Reads a body that is either one JSON array, whose elements are the events as soon as each has arrived, or a stream of
 * another format: the first byte decides.
 */
export class ArrayReader implements StreamReader {
  isTooLong = false;
  readonly #sink: EventSink;
  readonly #maxEventBytes: number;
  readonly #others: () => StreamReader;
  readonly #event = new ReadEvent();
  /** The reader of another format; `undefined`: the body is an array, or nothing shows its format yet. */
  #other: StreamReader | undefined;
  #isArray = false;
  /** The beginning of the body until a byte shows its format, then the element in progress. */
  readonly #held = new GrowingBytes();
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(sink: EventSink, maxEventBytes: number, others: () => StreamReader) {
    this.#sink = sink;
    this.#maxEventBytes = maxEventBytes;
    this.#others = others;
  }

  get event(): ReadEvent {
    return this.#other?.event ?? this.#event;
  }

  get isHolding(): boolean {
    return this.#other?.isHolding === true;
  }

  take(bytes: Buffer, start: number, end: number): void {
    if (this.#other !== undefined) return this.#pass(this.#other, bytes, start, end);
    let at = start;
    if (!this.#isArray) {
      while (at < end && isBefore(bytes[at])) at++;
      if (at === end) return this.#held.append(bytes, start, end);
      if (bytes[at] !== openBracket) return this.#begin(bytes, start, end);
      this.#isArray = true;
      this.#held.empty();
      at++;
    }
    this.#takeElements(bytes, at, end);
  }

  /** Ends the body: a part of an element is passed on as one. */
  end(): void {
    if (this.#other !== undefined) return this.#other.end();
    if (!this.#isArray || this.#held.length === 0) return;
    this.#event.isHalf = true;
    this.#emit();
  }

  #begin(bytes: Buffer, start: number, end: number): void {
    this.#other = this.#others();
    if (this.#held.length > 0) this.#pass(this.#other, this.#held.bytes, 0, this.#held.length);
    this.#pass(this.#other, bytes, start, end);
  }

  #pass(other: StreamReader, bytes: Buffer, start: number, end: number): void {
    other.take(bytes, start, end);
    this.isTooLong = other.isTooLong;
  }

  #takeElements(bytes: Buffer, start: number, end: number): void {
    let from = start;
    for (let at = start; at < end && !this.isTooLong; at++) {
      if (this.#depth === 0 && !this.#isInText && isBetween(bytes[at])) {
        // An element that is no object is not an event.
        this.#held.empty();
        from = at + 1;
      } else if (this.#endsWith(bytes[at])) {
        this.#held.append(bytes, from, at + 1);
        from = at + 1;
        this.#emit();
      }
    }
    this.#held.append(bytes, from, end);
    if (this.#held.length > this.#maxEventBytes) this.isTooLong = true;
  }

  /** Follows one byte of an element; returns true at its end. */
  #endsWith(byte = 0): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInText = false;
      return false;
    }
    if (byte === quote) this.#isInText = true;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) return --this.#depth === 0;
    return false;
  }

  #emit(): void {
    const event = this.#event;
    [event.bytes, event.start, event.end] = [this.#held.bytes, 0, this.#held.length];
    this.#sink.event(event);
    this.#held.empty();
  }
}

const isBefore = (byte = 0): boolean => blanks.has(byte) || byteOrderMark.has(byte);

/** Reports whether a byte is between elements, or ends the array. */
const isBetween = (byte = 0): boolean => blanks.has(byte) || byte === comma || byte === closeBracket;
