import { isUtf8 } from 'node:buffer';
import { jsonIn } from '../classify-whole.ts';
import type { StreamEvent } from '../protocol.ts';
import { GrowingBytes } from '../../base/growing-bytes.ts';

/** A variable part of an event: a text, or a number if events are counted. */
type Hole = 'text' | 'number';

/** A segment of the data: constant bytes, then a variable part. */
interface Segment {
  readonly bytes: Buffer;
  /** `undefined` at the end. */
  readonly hole: Hole | undefined;
}

/**
 * The pattern of events that differ only in their text, as nearly all events of a reply do: reading an event by the
 * pattern has the same result as parsing it. The pattern is learned from a parsed event, and only if replacing the text
 * at that position changes nothing else in the parsed event.
 */
export class RepeatedEvent {
  /** Number of the last event that fitted, if events are counted. */
  number = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #textStart = 0;
  #textEnd = 0;
  readonly #type: string;
  readonly #segments: readonly Segment[];

  constructor(type: string, segments: readonly Segment[]) {
    this.#type = type;
    this.#segments = segments;
  }

  /** Text of the last event that fitted. Valid, like `addTo`, only until the bytes are overwritten. */
  get text(): string {
    return this.#bytes.toString('utf8', this.#textStart, this.#textEnd);
  }

  get isEmpty(): boolean {
    return this.#textStart === this.#textEnd;
  }

  /** Adds the text of the last event that fitted. */
  addTo(text: ReplyText): void {
    text.addBytes(this.#bytes, this.#textStart, this.#textEnd);
  }

  /** Reports whether an event fits; if so, sets the text and `number` to the event's. */
  fits({ type, bytes, start, end }: StreamEvent): boolean {
    if (type !== this.#type) return false;
    let at = start;
    for (const { bytes: same, hole } of this.#segments) {
      if (!holds(bytes, at, same) || at + same.length > end) return false;
      at += same.length;
      if (hole !== undefined) at = hole === 'text' ? this.#takeText(bytes, at, end) : this.#takeNumber(bytes, at, end);
      if (at === -1) return false;
    }
    return at === end;
  }

  /** Takes plain text up to its quotation mark: escaped text is left to the JSON parser. Returns its end, or -1. */
  #takeText(bytes: Buffer, start: number, end: number): number {
    let at = start;
    let bits = 0;
    for (; at < end && bytes[at] !== quotationMark; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < 32 || byte === backslash) return -1;
      bits |= byte;
    }
    this.#bytes = bytes;
    this.#textStart = start;
    this.#textEnd = at;
    return bits < 128 || isUtf8(bytes.subarray(start, at)) ? at : -1;
  }

  #takeNumber(bytes: Buffer, start: number, end: number): number {
    let at = start;
    this.number = 0;
    for (; at < end && isDigit(bytes[at]); at++) this.number = this.number * 10 + (bytes[at] ?? 0) - zero;
    return at === start || at - start > maxDigits || (bytes[start] === zero && at > start + 1) ? -1 : at;
  }
}

/** Returns the pattern of an event with `text`, if there is one; `counter` names the field with the number of an event. */
export function patternOf(event: StreamEvent, text: string, counter?: string): RepeatedEvent | undefined {
  const data = event.text();
  const holes = [
    placeOf(data, JSON.stringify(text), 1),
    ...(counter === undefined ? [] : [numberPlace(data, counter)]),
  ];
  const places = holes.filter((place) => place !== undefined).toSorted((a, b) => a.start - b.start);
  if (places.length < holes.length || !isOnlyThere(data, places, text)) return undefined;
  const starts = [0, ...places.map(({ end }) => end)];
  const segments = starts.map((start, index) => ({
    bytes: Buffer.from(data.slice(start, places[index]?.start)),
    hole: places[index]?.hole,
  }));
  return new RepeatedEvent(event.type, segments);
}

const quotationMark = 34;
const backslash = 92;
const zero = 48;
const maxDigits = 9;

const isDigit = (byte = 0): boolean => byte >= zero && byte <= 57;

function holds(bytes: Buffer, start: number, same: Buffer): boolean {
  for (let index = 0; index < same.length; index++) if (bytes[start + index] !== same[index]) return false;
  return true;
}

interface Place {
  start: number;
  end: number;
  hole: Hole;
}

/** Returns the position of a JSON text that occurs exactly once, without `margin` characters at either end. */
function placeOf(data: string, json: string, margin: number): Place | undefined {
  const start = data.indexOf(json);
  if (start === -1 || data.includes(json, start + 1)) return undefined;
  return { start: start + margin, end: start + json.length - margin, hole: 'text' };
}

function numberPlace(data: string, field: string): Place | undefined {
  const found = [...data.matchAll(new RegExp(`"${field}":\\s*(\\d+)`, 'g'))];
  const [only] = found;
  if (only?.[1] === undefined || found.length > 1) return undefined;
  const end = only.index + only[0].length;
  return { start: end - only[1].length, end, hole: 'number' };
}

/** Reports whether other values at these positions change the parsed text, and the counter, and nothing else. */
function isOnlyThere(data: string, places: readonly Place[], text: string): boolean {
  const other = `${text}~`;
  let changed = '';
  let at = 0;
  for (const { start, end, hole } of places) {
    changed += data.slice(at, start) + (hole === 'text' ? JSON.stringify(other).slice(1, -1) : '987654321');
    at = end;
  }
  const [before, after] = [jsonIn(data), jsonIn(changed + data.slice(at))];
  // If the same text occurs elsewhere, escaped differently, the source of the text is unknown.
  return countOf(before, text) === 1 && differences(before, after) === expected(places, other);
}

/** Counts a value in a tree; `NaN` for a tree that is too deep to be walked. */
function countOf(tree: unknown, value: string, levels = maxLevels): number {
  if (!isTree(tree)) return tree === value ? 1 : 0;
  if (levels === 0) return NaN;
  return Object.values(tree).reduce<number>((sum, each) => sum + countOf(each, value, levels - 1), 0);
}

/** Deeper than any event of a reply. */
const maxLevels = 50;

const expected = (places: readonly Place[], other: string): string =>
  places.map(({ hole }) => JSON.stringify(hole === 'text' ? other : 987654321)).join();

/** Returns the values of `after` that differ from `before`, as JSON, in their order. */
function differences(before: unknown, after: unknown): string {
  if (!isTree(before) || !isTree(after)) return Object.is(before, after) ? '' : JSON.stringify(after);
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length) return 'another shape';
  return names
    .map((name) => differences(before[name], after[name]))
    .filter((each) => each !== '')
    .join();
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * The text of a reply, joined from its events. Text that needs no parsing is kept as bytes and decoded together: with
 * thousands of replies in progress, strings that live until their end would cause pauses of the garbage collector.
 */
export class ReplyText {
  #text = '';
  readonly #undecoded = new GrowingBytes();

  get text(): string {
    if (this.#undecoded.length > 0) {
      this.#text += this.#undecoded.text();
      this.#undecoded.free();
    }
    return this.#text;
  }

  add(text: string): void {
    if (text !== '') this.#text = this.text + text;
  }

  /** Keeps only the beginning of the text, of this length. */
  cutTo(length: number): void {
    this.#text = this.text.slice(0, length);
  }

  /** Copies UTF-8 bytes, which must contain only whole characters. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    this.#undecoded.append(bytes, start, end);
  }
}
