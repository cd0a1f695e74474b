import type { EndedSpan, SpanPlace } from '../../record/spans.ts';
import type { SpanForm, WrittenResource } from './span-form.ts';

/**
 * Spans as protobuf (ExportTraceServiceRequest of OTLP 1). They are written into one buffer as they end: a run exports
 * thousands per second, and objects that wait for a serializer would cost several times as much.
 */
export class ProtobufSpans implements SpanForm {
  readonly #resource: WrittenResource;
  #out = Buffer.allocUnsafeSlow(128 * 1024);
  #at = 0;
  /** Written keys and texts: most of a batch are the same. */
  readonly #keys = new Map<string, Buffer>();
  readonly #texts = new Map<string, Buffer>();

  constructor(resource: WrittenResource) {
    this.#resource = resource;
  }

  add(span: EndedSpan, originMs: number, textOf: (text: string) => string): void {
    const flags = span.isSampled ? 1 : 0;
    const name = this.#textOf(span.name, textOf);
    this.#room(256 + name.length);
    const start = this.#begin(tag(2, bytes));
    this.#ids(span, 1);
    if (span.parentId !== undefined) this.#id(4, span.parentId, 8);
    this.#block(tag(5, bytes), name);
    this.#byte(tag(6, varint), kinds[span.kind]);
    this.#time(7, span.startedAt + originMs);
    this.#time(8, span.endedAt + originMs);
    // Loops over entries would make an array for each.
    for (const key in span.attributes) {
      const value = span.attributes[key];
      if (typeof value === 'string') this.#text(key, this.#textOf(value, textOf));
      else if (value !== undefined) this.#number(key, value);
    }
    this.#room(128);
    if (span.link !== undefined) {
      const link = this.#begin(tag(13, bytes));
      this.#ids(span.link, 1);
      this.#flags(6, hasRemoteness | flags);
      this.#finish(link);
    }
    const status = this.#begin(tag(15, bytes));
    this.#byte(tag(3, varint), span.isFailed ? 2 : 0);
    this.#finish(status);
    this.#flags(16, hasRemoteness | flags | (span.parentId !== undefined && span.kind === 'server' ? isRemote : 0));
    this.#finish(start);
  }

  take(): Buffer {
    const { attributes, scope } = this.#resource;
    const spans = Buffer.from(this.#out.subarray(0, this.#at));
    this.#at = 0;
    if (this.#texts.size > maxTexts) this.#texts.clear();
    for (const [key, value] of Object.entries(attributes)) this.#text(key, Buffer.from(value), tag(1, bytes));
    const resource = Buffer.from(this.#out.subarray(0, this.#at));
    this.#at = 0;
    const named = Buffer.concat([field(1, Buffer.from(scope.name)), field(2, Buffer.from(scope.version))]);
    const scoped = Buffer.concat([field(1, named), spans]);
    return field(1, Buffer.concat([field(1, resource), field(2, scoped)]));
  }

  #textOf(text: string, textOf: (text: string) => string): Buffer {
    let written = this.#texts.get(text);
    if (written === undefined) this.#texts.set(text, (written = Buffer.from(textOf(text))));
    return written;
  }

  #keyOf(key: string): Buffer {
    let written = this.#keys.get(key);
    if (written === undefined) this.#keys.set(key, (written = field(1, Buffer.from(key))));
    return written;
  }

  /** Writes a `KeyValue` with a text. */
  #text(name: string, text: Buffer, as = tag(9, bytes)): void {
    const key = this.#keyOf(name);
    const inner = 1 + sizeOf(text.length) + text.length;
    this.#room(key.length + text.length + 32);
    this.#out[this.#at++] = as;
    this.#varint(key.length + 1 + sizeOf(inner) + inner);
    this.#copy(key);
    this.#out[this.#at++] = tag(2, bytes);
    this.#varint(inner);
    this.#block(tag(1, bytes), text);
  }

  /** Writes a `KeyValue` with an integer, or another number as a double. */
  #number(name: string, value: number): void {
    const key = this.#keyOf(name);
    const isInteger = Number.isSafeInteger(value) && value >= 0;
    const inner = isInteger ? 1 + sizeOf(value) : 9;
    this.#room(key.length + 32);
    this.#out[this.#at++] = tag(9, bytes);
    this.#varint(key.length + 2 + inner);
    this.#copy(key);
    this.#byte(tag(2, bytes), inner);
    this.#out[this.#at++] = isInteger ? tag(3, varint) : tag(4, fixed64);
    if (isInteger) this.#varint(value);
    else this.#at = this.#out.writeDoubleLE(value, this.#at);
  }

  #ids({ traceId, spanId }: SpanPlace, first: number): void {
    this.#id(first, traceId, 16);
    this.#id(first + 1, spanId, 8);
  }

  #id(number: number, id: string, length: number): void {
    this.#byte(tag(number, bytes), length);
    this.#at += this.#out.write(id, this.#at, length, 'hex');
  }

  /** Writes nanoseconds since 1970, which exceed the safe integers, in two halves. */
  #time(number: number, ms: number): void {
    const seconds = Math.floor(ms / 1000);
    const upper = Math.floor(seconds / 65_536) * 1e9;
    const lower = (seconds % 65_536) * 1e9 + Math.round((ms - seconds * 1000) * 1e6) + (upper % 65_536) * 65_536;
    this.#out[this.#at++] = tag(number, fixed64);
    this.#at = this.#out.writeUInt32LE(lower % 2 ** 32, this.#at);
    this.#at = this.#out.writeUInt32LE(Math.floor(upper / 65_536) + Math.floor(lower / 2 ** 32), this.#at);
  }

  #flags(number: number, flags: number): void {
    this.#varint(tag(number, fixed32));
    this.#at = this.#out.writeUInt32LE(flags, this.#at);
  }

  #byte(as: number, value: number): void {
    this.#out[this.#at++] = as;
    this.#out[this.#at++] = value;
  }

  #block(as: number, block: Buffer): void {
    this.#out[this.#at++] = as;
    this.#varint(block.length);
    this.#copy(block);
  }

  #copy(block: Buffer): void {
    this.#out.set(block, this.#at);
    this.#at += block.length;
  }

  #varint(value: number): void {
    this.#at = writeVarint(this.#out, value, this.#at);
  }

  /** Begins a message whose length is written by `finish`. */
  #begin(as: number): number {
    this.#out[this.#at++] = as;
    return (this.#at += lengthBytes);
  }

  #finish(start: number): void {
    const length = this.#at - start;
    const size = sizeOf(length);
    this.#room(size);
    if (size !== lengthBytes) this.#out.copyWithin(start - lengthBytes + size, start, this.#at);
    writeVarint(this.#out, length, start - lengthBytes);
    this.#at += size - lengthBytes;
  }

  #room(length: number): void {
    if (this.#at + length <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.#out.length + length);
    this.#out.copy(larger, 0, 0, this.#at);
    this.#out = larger;
  }
}

const [varint, fixed64, bytes, fixed32] = [0, 1, 2, 5];
const maxTexts = 1000;
/** Size of the length of most spans. */
const lengthBytes = 2;
const kinds = { internal: 1, server: 2, client: 3 } as const;
const hasRemoteness = 0x100;
const isRemote = 0x200;

const tag = (number: number, type: number): number => number * 8 + type;

function sizeOf(value: number): number {
  let size = 1;
  for (let left = value; left > 127; left = Math.floor(left / 128)) size++;
  return size;
}

function writeVarint(out: Buffer, value: number, start: number): number {
  let at = start;
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) out[at++] = (left % 128) | 128;
  out[at++] = left;
  return at;
}

function field(number: number, block: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head[0] = tag(number, bytes);
  return Buffer.concat([head.subarray(0, writeVarint(head, block.length, 1)), block]);
}
