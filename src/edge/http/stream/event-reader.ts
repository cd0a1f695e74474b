import { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { StreamFormat } from '../../../protocol/protocol.ts';
import {
  carriageReturn,
  endAtLineFeed,
  endOfLine,
  holdsReturn,
  holdsText,
  isBlank,
  isCutField,
  isField,
  isObjectEnd,
  isText,
  lineFeed,
  openBrace,
  openBracket,
  valueStart,
} from './line-bytes.ts';
import { ReadEvent } from './read-event.ts';

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);
const dataField = Buffer.from('data');
const eventField = Buffer.from('event');
const errorField = Buffer.from('error');
const done = Buffer.from('[DONE]');
const lineBreak = Buffer.of(lineFeed);

/** Formats that are lines. */
type LineFraming = Exclude<StreamFormat['framing'], 'aws-event-stream' | 'text'>;

export interface EventReading {
  framing: LineFraming;
  maxEventBytes: number;
  passesEmpty?: boolean | undefined;
  isJson?: boolean | undefined;
}

/** Parses a body that arrives in blocks of any size. */
export interface StreamReader {
  readonly event: ReadEvent;
  /** True if an event was longer than the limit: nothing is read after it. */
  isTooLong: boolean;
  /** True if it holds a whole line of an event that has not ended. */
  readonly isHolding?: boolean;
  take(bytes: Buffer, start: number, end: number): void;
  end(): void;
}

/** Called with every event as soon as its last byte has arrived. */
export interface EventSink {
  event(event: ReadEvent): void;
}

/**
 * Parses the events of a body that arrives in blocks of any size: server-sent events as the WHATWG's parser does (CR LF, LF
 * or CR; comments; data of several lines; a byte order mark; no event without its final blank line), or lines. An
 * event within one block, as nearly all are, is read in place; the others are assembled.
 *
 * In a body of JSON objects, an object that begins after the end of another one is the next event, also without a blank line
 * or `data:` before it: JSON never has `}` followed by `{` or `[`.
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
  readonly #isJson: boolean;
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
  /** Type after the data of the event in progress: of this event, or of the next one. */
  #laterType: string | undefined;
  /** Previous type, so that it is not decoded again. */
  #lastType = '';
  #isFirstLine = true;
  /** True if the lines of the body have no field names; `undefined`: there was no line yet. */
  #isBare: boolean | undefined;
  /** True if the body has a line of data. */
  #hasFields = false;
  /** True if the event in progress has a line from an earlier block. */
  #isEarlier = false;
  #skipsLineFeed = false;

  constructor(sink: EventSink, { framing, maxEventBytes, passesEmpty = false, isJson = false }: EventReading) {
    this.#framing = framing;
    this.#sink = sink;
    this.#maxEventBytes = maxEventBytes;
    this.#passesEmpty = passesEmpty;
    this.#isJson = isJson && framing === 'sse';
  }

  get isHolding(): boolean {
    return this.#dataLines > 0;
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
    if (this.#dataLines > 0) {
      this.#isEarlier = true;
      if (!this.#isDataHeld) this.#holdData(bytes);
    }
    if (this.#line.length + this.#data.length > this.#maxEventBytes) this.isTooLong = true;
  }

  /** Ends the body: a last line does not need a line break. An event without its end is passed on, too: it may be a part of one. */
  end(): void {
    const { bytes, length } = this.#line;
    if (!this.isTooLong) {
      if (this.#framing === 'sse') this.#endOpenEvent(bytes, length);
      else if (length > 0) this.#takeLine(bytes, 0, length);
    }
    this.#line.empty();
  }

  #endOpenEvent(bytes: Buffer, length: number): void {
    this.event.isHalf = length > 0;
    this.#isLineHeld = true;
    if (isCutField(bytes, length, dataField)) this.#emit(bytes, 0, length);
    else if (length > 0) this.#takeLine(bytes, 0, length);
    // One object alone is a body, not a stream.
    if (this.#dataLines > 0 && (this.#isBare !== true || this.event.isUnseparated)) this.#separate(bytes);
    else if (this.#dataLines === 0) this.#endEvent(bytes);
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
    else if (at === end) this.#endEvent(bytes);
    else if (isField(bytes, at, end, dataField)) this.#takeData(bytes, valueStart(bytes, at + 4, end), end);
    else if (isField(bytes, at, end, eventField)) this.#takeType(bytes, valueStart(bytes, at + 5, end), end);
    else if (this.#isJson && isField(bytes, at, end, errorField))
      this.#takeError(bytes, valueStart(bytes, at + 6, end), end);
    else if (this.#isJson) this.#takeBare(bytes, at, end);
  }

  #takeData(bytes: Buffer, start: number, end: number): void {
    this.#isBare ??= false;
    this.#hasFields = true;
    if (this.#isJson && this.#dataLines > 0 && this.#isNext(bytes, start)) this.#separate(bytes);
    this.#addData(bytes, start, end);
    if (this.event.isUnseparated && (isObjectEnd(bytes, start, end) || holdsText(bytes, start, end, done)))
      this.#separate(bytes);
  }

  /** Takes the error of a server that writes `error:` in place of `data:`. */
  #takeError(bytes: Buffer, start: number, end: number): void {
    if (this.#dataLines > 0) this.#dispatch(bytes);
    this.#type = 'error';
    this.#laterType = undefined;
    this.#takeData(bytes, start, end);
  }

  /** Takes a line without a field name: an object in a body of objects, or one between events, such as an error. */
  #takeBare(bytes: Buffer, start: number, end: number): void {
    const isObject = bytes[start] === openBrace && isObjectEnd(bytes, start, end);
    this.#isBare ??= isObject;
    if (!isObject || (!this.#isBare && !this.#hasFields)) return;
    if (this.#dataLines > 0) this.#separate(bytes);
    this.#addData(bytes, start, end);
    if (this.event.isUnseparated) this.#separate(bytes);
  }

  /** Reports whether a line begins another event than the one in progress. */
  #isNext(bytes: Buffer, start: number): boolean {
    const first = bytes[start];
    if (first !== openBrace && first !== openBracket) return false;
    return this.#isDataHeld
      ? isObjectEnd(this.#data.bytes, 0, this.#data.length)
      : isObjectEnd(bytes, this.#from, this.#to);
  }

  /** Ends the event in progress, which no blank line has ended. */
  #separate(bytes: Buffer): void {
    const { event } = this;
    event.isUnseparated = true;
    event.isEarlier = this.#isEarlier;
    const next = this.#laterType ?? '';
    this.#laterType = undefined;
    this.#dispatch(bytes);
    event.isEarlier = false;
    this.#type = next;
  }

  #endEvent(bytes: Buffer): void {
    if (this.#isBare === true) return;
    this.#type = this.#laterType ?? this.#type;
    this.#laterType = undefined;
    this.#dispatch(bytes);
  }

  #addData(bytes: Buffer, start: number, end: number): void {
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
    if (this.#isJson && this.#dataLines > 0) this.#laterType = this.#lastType;
    else this.#type = this.#lastType;
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
    this.#isEarlier = false;
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
