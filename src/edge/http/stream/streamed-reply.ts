import { between, type Instant } from '../../../base/time.ts';
import type { ReplyStream, StreamEvent, StreamFormat } from '../../../protocol/protocol.ts';
import type { ContentTimes } from '../../../session/send.ts';
import { EventReader, type EventSink, type StreamReader } from './event-reader.ts';
import { FrameReader } from './frame-reader.ts';

/** One streamed reply: its events are passed to the protocol, and the instants of content events are kept. */
export class StreamedReply implements EventSink {
  readonly reply: ReplyStream;
  content: ContentTimes | undefined;
  /** Number of content events in the current read. */
  newEvents = 0;
  readonly #reader: StreamReader;
  #now: Instant;

  constructor(format: StreamFormat, { now, maxEventBytes }: { now: Instant; maxEventBytes: number }) {
    this.reply = format.begin();
    const { framing } = format;
    this.#reader =
      framing === 'aws-event-stream'
        ? new FrameReader(this, maxEventBytes)
        : new EventReader(framing, this, maxEventBytes);
    this.#now = now;
  }

  beginRead(now: Instant): void {
    this.#now = now;
    this.newEvents = 0;
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

  event(event: StreamEvent): void {
    const kind = this.reply.take(event);
    if (kind === 'other') return;
    const now = this.#now;
    if (this.content === undefined)
      this.content = {
        firstAt: now,
        firstAnswerAt: undefined,
        lastAt: now,
        hasReasoning: false,
        gapsMs: [],
        sharedReads: 0,
      };
    else {
      const { content } = this;
      content.gapsMs.push(between(content.lastAt, now));
      content.lastAt = now;
      if (this.newEvents > 0) content.sharedReads++;
    }
    if (kind === 'reasoning') this.content.hasReasoning = true;
    else this.content.firstAnswerAt ??= now;
    this.newEvents++;
  }
}
