import { createRequire } from 'node:module';
import type { EventStreamCodec, MessageHeaders } from '@smithy/eventstream-codec';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { ReadEvent, type EventSink, type StreamReader } from './event-reader.ts';

/** Length of a frame, and the bytes around its headers and its payload. */
const lengthBytes = 4;
const minFrameBytes = 16;

/**
 * Parses Amazon's event streams (`application/vnd.amazon.eventstream`): binary frames with checksums. The type of an event is
 * its `:event-type`, of an exception its `:exception-type`. A frame that is not one is passed on as an event without JSON.
 */
export class FrameReader implements StreamReader {
  readonly event = new ReadEvent();
  isTooLong = false;
  readonly #sink: EventSink;
  readonly #maxEventBytes: number;
  readonly #codec = codec();
  readonly #held = new GrowingBytes();
  #isBroken = false;

  constructor(sink: EventSink, maxEventBytes: number) {
    this.#sink = sink;
    this.#maxEventBytes = maxEventBytes;
  }

  take(bytes: Buffer, start: number, end: number): void {
    if (this.#isBroken || this.isTooLong) return;
    this.#held.append(bytes, start, end);
    const { bytes: held, length } = this.#held;
    let at = 0;
    while (length - at >= lengthBytes && !this.isTooLong) {
      const frame = held.readUInt32BE(at);
      if (frame > this.#maxEventBytes) this.isTooLong = true;
      else if (frame < minFrameBytes) return this.#break();
      else if (length - at < frame) break;
      else this.#emit(held.subarray(at, at + frame));
      at += frame;
      if (this.#isBroken) return;
    }
    const rest = Buffer.from(held.subarray(Math.min(at, length), length));
    this.#held.empty();
    this.#held.append(rest, 0, rest.length);
  }

  /** Ends the body. Half a frame has no event: the protocol notices that the reply has no end. */
  end(): void {
    this.#held.free();
  }

  #emit(frame: Buffer): void {
    try {
      const { headers, body } = this.#codec.decode(frame);
      this.#send(typeOf(headers), Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    } catch {
      // Wrong checksums or headers.
      this.#break();
    }
  }

  #break(): void {
    this.#isBroken = true;
    this.#send('', Buffer.from('a frame that cannot be decoded'));
  }

  #send(type: string, data: Buffer): void {
    const { event } = this;
    [event.type, event.bytes, event.start, event.end] = [type, data, 0, data.length];
    this.#sink.event(event);
  }
}

function typeOf(headers: MessageHeaders): string {
  const { value = '' } = headers[':event-type'] ?? headers[':exception-type'] ?? headers[':error-code'] ?? {};
  return String(value);
}

let loaded: EventStreamCodec | undefined;

/** Loads the codec when the first such reply begins: few users need the package. */
function codec(): EventStreamCodec {
  const load = createRequire(import.meta.url) as (name: string) => typeof import('@smithy/eventstream-codec');
  return (loaded ??= new (load('@smithy/eventstream-codec').EventStreamCodec)(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text),
  ));
}
