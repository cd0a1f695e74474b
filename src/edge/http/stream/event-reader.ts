import { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { StreamEvent, StreamFormat } from '../../../protocol/protocol.ts';
import { isUtf8 } from 'node:buffer';

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const colon = 58;
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);
const dataField = Buffer.from('data');
const eventField = Buffer.from('event');
const lineBreak = Buffer.of(lineFeed);

/** Formats that are lines. */
type LineFraming = Exclude<StreamFormat['framing'], 'aws-event-stream' | 'text'>;

export interface EventReading {
  framing: LineFraming;
  maxEventBytes: number;
  passesEmpty?: boolean | undefined;
}

/** Parses a body that arrives in blocks of any size. */
export interface StreamReader {
  readonly event: ReadEvent;
  /** True if an event was longer than the limit: nothing is read after it. */
  isTooLong: boolean;
  take(bytes: Buffer, start: number, end: number): void;
  end(): void;
}

/** Called with every event as soon as its last byte has arrived. */
export interface EventSink {
  event(event: StreamEvent): void;
}

/**
 * Parses the events of a body that arrives in blocks of any size: server-sent events as the WHATWG's parser does (CR LF, LF
 * or CR; comments; data of several lines; a byte order mark; no event without its final blank line), or lines. An
 * event within one block, as nearly all are, is read in place; the others are assembled.
 *
 *     bytes -> lines -> fields -> event (type, data)
 */
export class EventReader implements StreamReader {
  readonly event = new ReadEvent();
  /** True if an event was longer than the limit: nothing is read after it. */
  isTooLong = false;
  readonly #framing: LineFraming;
  readonly #sink: EventSink;
  readonly #maxEventBytes: number;
  readonly #passesEmpty: boolean;
  /** The start of a line that is not complete. */
  readonly #line = new GrowingBytes();
  /** Data of the event in progress if it is assembled. */
  readonly #data = new GrowingBytes();
  /** Range of the data of the event in progress if it is in the current block. */
  #from = 0;
  #to = 0;
  #dataLines = 0;
  #isDataHeld = false;
  #isLineHeld = false;
  #type = '';
  /** Previous type, so that it is not decoded again. */
  #lastType = '';
  #isFirstLine = true;
  #skipsLineFeed = false;

  constructor(sink: EventSink, { framing, maxEventBytes, passesEmpty = false }: EventReading) {
    this.#framing = framing;
    this.#sink = sink;
    this.#maxEventBytes = maxEventBytes;
    this.#passesEmpty = passesEmpty;
  }

  /** Takes the next bytes of the body: `bytes` from `start` to `end`. Only copies of them are kept. */
  take(bytes: Buffer, start: number, end: number): void {
    let at = start;
    if (this.#skipsLineFeed && at < end) {
      if (bytes[at] === lineFeed) at++;
      this.#skipsLineFeed = false;
    }
    const hasReturns = this.#framing === 'sse' && holdsReturn(bytes, at, end);
    while (at < end && !this.isTooLong) {
      const lineEnd = hasReturns ? endOfLine(bytes, at, end) : endAtLineFeed(bytes, at, end);
      if (lineEnd === -1) {
        this.#line.append(bytes, at, end);
        break;
      }
      this.#endLine(bytes, at, lineEnd);
      at = lineEnd + 1;
      if (!hasReturns || bytes[lineEnd] !== carriageReturn) continue;
      if (at === end) this.#skipsLineFeed = true;
      else if (bytes[at] === lineFeed) at++;
    }
    if (this.#dataLines > 0 && !this.#isDataHeld) this.#holdData(bytes);
    if (this.#line.length + this.#data.length > this.#maxEventBytes) this.isTooLong = true;
  }

  /** Ends the body: a last line does not need a line break, a server-sent event does. */
  end(): void {
    const { bytes, length } = this.#line;
    if (this.#framing !== 'sse' && length > 0 && !this.isTooLong) this.#takeLine(bytes, 0, length);
    this.#line.empty();
  }

  #endLine(bytes: Buffer, start: number, end: number): void {
    const line = this.#line;
    if (line.length === 0) return this.#takeLine(bytes, start, end);
    line.append(bytes, start, end);
    this.#isLineHeld = true;
    this.#takeLine(line.bytes, 0, line.length);
    this.#isLineHeld = false;
    line.empty();
  }

  #takeLine(bytes: Buffer, start: number, end: number): void {
    let at = start;
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (holdsText(bytes, start, end, byteOrderMark)) at += byteOrderMark.length;
    }
    if (this.#framing !== 'sse') this.#takePlainLine(bytes, at, end);
    else if (at === end) this.#dispatch(bytes);
    else if (isField(bytes, at, end, dataField)) this.#takeData(bytes, valueStart(bytes, at + 4, end), end);
    else if (isField(bytes, at, end, eventField)) this.#takeType(bytes, valueStart(bytes, at + 5, end), end);
  }

  #takeData(bytes: Buffer, start: number, end: number): void {
    if (this.#dataLines === 0 && !this.#isLineHeld) {
      this.#from = start;
      this.#to = end;
    } else {
      // An assembled line is the first in its block, so data that is not yet stored is in the current block.
      if (this.#dataLines > 0 && !this.#isDataHeld) this.#data.append(bytes, this.#from, this.#to);
      if (this.#dataLines > 0) this.#data.append(lineBreak, 0, 1);
      this.#data.append(bytes, start, end);
      this.#isDataHeld = true;
    }
    this.#dataLines++;
  }

  #takeType(bytes: Buffer, start: number, end: number): void {
    if (!isText(this.#lastType, bytes, start, end)) this.#lastType = bytes.toString('utf8', start, end);
    this.#type = this.#lastType;
  }

  #dispatch(bytes: Buffer): void {
    const { event } = this;
    event.type = this.#type;
    this.#type = '';
    if (this.#dataLines === 0) {
      if (this.#passesEmpty && event.type !== '') this.#emit(bytes, 0, 0);
      return;
    }
    this.#dataLines = 0;
    if (this.#isDataHeld) this.#emit(this.#data.bytes, 0, this.#data.length);
    else this.#emit(bytes, this.#from, this.#to);
    this.#isDataHeld = false;
    this.#data.empty();
  }

  #takePlainLine(bytes: Buffer, start: number, end: number): void {
    const to = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (this.#framing === 'lines') return this.#emit(bytes, start, to);
    for (let at = start; at < to; at++) if (!isBlank(bytes[at])) return this.#emit(bytes, at, to);
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    if (end - start > this.#maxEventBytes) {
      this.isTooLong = true;
      return;
    }
    const { event } = this;
    event.bytes = bytes;
    event.start = start;
    event.end = end;
    this.#sink.event(event);
  }

  #holdData(bytes: Buffer): void {
    this.#data.append(bytes, this.#from, this.#to);
    this.#isDataHeld = true;
  }
}

const holdsReturn = (bytes: Buffer, start: number, end: number): boolean => {
  if (end - start > fewBytes) return bytes.subarray(start, end).includes(carriageReturn);
  for (let at = start; at < end; at++) if (bytes[at] === carriageReturn) return true;
  return false;
};

/** Up to this number of bytes a loop is faster than a call. */
const fewBytes = 512;

/** Returns the position of the next CR or LF, -1 if there is none before `end`. */
function endOfLine(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === lineFeed || byte === carriageReturn) return at;
  }
  return -1;
}

/** Returns the position of the next LF: faster, for blocks without CR. */
function endAtLineFeed(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] === lineFeed) return start;
  const at = bytes.indexOf(lineFeed, start);
  return at < end ? at : -1;
}

function holdsText(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start < text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[start + index] !== text[index]) return false;
  return true;
}

/** Reports whether a line is the field `name`: with a colon after the name, or the name alone. */
function isField(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (!holdsText(bytes, start, end, name)) return false;
  const nameEnd = start + name.length;
  return nameEnd === end || bytes[nameEnd] === colon;
}

/** Returns the start of the value after a name that ends at `nameEnd`: after the colon and one space, if there are any. */
function valueStart(bytes: Buffer, nameEnd: number, end: number): number {
  if (nameEnd >= end) return end;
  const at = nameEnd + 1;
  return at < end && bytes[at] === space ? at + 1 : at;
}

/** Reports whether the bytes are this ASCII text. */
function isText(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[start + index] !== text.charCodeAt(index)) return false;
  return true;
}

const isBlank = (byte = 0): boolean => byte === space || byte === 9;

/** The latest event: one object for a whole stream. */
export class ReadEvent implements StreamEvent {
  type = '';
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** True if every decoded event was UTF-8. */
  isUtf8 = true;

  /** Reads all of these bytes as the event. */
  over(bytes: Buffer): this {
    this.bytes = bytes;
    this.start = 0;
    this.end = bytes.length;
    return this;
  }

  text(): string {
    const text = this.bytes.toString('utf8', this.start, this.end);
    // A server may send U+FFFD itself: only then is a check needed.
    if (text.includes('\u{fffd}') && !isUtf8(this.bytes.subarray(this.start, this.end))) this.isUtf8 = false;
    return text;
  }
}
