import type { EventSink, StreamReader } from './event-reader.ts';
import { ReadEvent } from './read-event.ts';

/** Maximum length of a character in UTF-8. */
const maxCharacter = 4;
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

/** Reads a body that is a text: each block is an event, without a character of UTF-8 that is not complete yet. */
export class TextReader implements StreamReader {
  readonly event = new ReadEvent();
  /** A text has no limit but that of the body. */
  readonly isTooLong = false;
  readonly #sink: EventSink;
  /** The start of a character. */
  #held = Buffer.alloc(0);
  #isFirst = true;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  take(bytes: Buffer, start: number, end: number): void {
    const isJoined = this.#held.length > 0;
    const block = isJoined ? Buffer.concat([this.#held, bytes.subarray(start, end)]) : bytes;
    const [from, to] = isJoined ? [0, block.length] : [start, end];
    const whole = to - cutLength(block, from, to);
    this.#held = Buffer.from(block.subarray(whole, to));
    this.#emit(block, from, whole);
  }

  /** Ends the body: half a character is not UTF-8. */
  end(): void {
    this.#emit(this.#held, 0, this.#held.length);
    this.#held = Buffer.alloc(0);
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    if (start === end) return;
    const { event } = this;
    const hasMark = this.#isFirst && bytes.subarray(start, end).indexOf(byteOrderMark) === 0;
    this.#isFirst = false;
    [event.bytes, event.start, event.end] = [bytes, hasMark ? start + byteOrderMark.length : start, end];
    if (event.start < end) this.#sink.event(event);
  }
}

/** Returns the length of an incomplete character at the end of a block; 0 if there is none. */
function cutLength(bytes: Buffer, start: number, end: number): number {
  for (let length = 1; length < maxCharacter && end - length >= start; length++) {
    const byte = bytes[end - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return length < lengthOf(byte) ? length : 0;
  }
  return 0;
}

/** Returns the length of a character by its first byte. */
const lengthOf = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2);
