import type { Instant } from '../../../base/time.ts';
import type { StreamFormat } from '../../../protocol/protocol.ts';
import { EventReader, type EventSink, type StreamReader } from './event-reader.ts';
import { FrameReader } from './frame-reader.ts';
import { TimedReply } from './timed-reply.ts';

/** One streamed reply over HTTP. */
export class StreamedReply extends TimedReply implements EventSink {
  readonly #reader: StreamReader;

  constructor(format: StreamFormat, { now, maxEventBytes }: { now: Instant; maxEventBytes: number }) {
    super(format.begin(), now);
    const { framing } = format;
    this.#reader =
      framing === 'aws-event-stream'
        ? new FrameReader(this, maxEventBytes)
        : new EventReader(framing, this, maxEventBytes);
  }

  /** Takes bytes of the body. Returns false if an event is over the limit. */
  take(bytes: Buffer, start: number, end: number): boolean {
    this.#reader.take(bytes, start, end);
    return !this.#reader.isTooLong;
  }

  end(): void {
    this.#reader.end();
  }

  /** True if all decoded text was UTF-8. */
  get isUtf8(): boolean {
    return this.#reader.event.isUtf8;
  }
}
