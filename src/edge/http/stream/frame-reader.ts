import type { Message, MessageHeaders } from '@smithy/eventstream-codec';
import { eventStreamCodec } from '../../../base/event-stream-codec.ts';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { EventSink, StreamReader } from './event-reader.ts';
import { ReadEvent } from './read-event.ts';

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
  readonly #codec = eventStreamCodec();
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
    while (length - at >= lengthBytes) {
      const frame = held.readUInt32BE(at);
      this.isTooLong = frame > this.#maxEventBytes;
      if (this.isTooLong) return;
      if (frame >= minFrameBytes && length - at < frame) break;
      if (frame < minFrameBytes || !this.#emit(held.subarray(at, at + frame))) return this.#break();
      at += frame;
    }
    // The beginning of a long frame is not copied with every read.
    if (at === 0) return;
    const rest = Buffer.from(held.subarray(at, length));
    this.#held.empty();
    this.#held.append(rest, 0, rest.length);
  }

  /** Ends the body. Half a frame has no event: the protocol notices that the reply has no end. */
  end(): void {
    this.#held.free();
  }

  /** Passes on the event of a frame. Returns false for a frame with wrong checksums or headers. */
  #emit(frame: Buffer): boolean {
    const message = this.#decode(frame);
    if (message === undefined) return false;
    const { headers, body } = message;
    this.#send(typeOf(headers), Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    return true;
  }

  #decode(frame: Buffer): Message | undefined {
    try {
      return this.#codec.decode(frame);
    } catch {
      return undefined;
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
