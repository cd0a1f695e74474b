import { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { Instant } from '../../../base/time.ts';
import type { StreamFormat } from '../../../protocol/protocol.ts';
import { ArrayReader } from './array-reader.ts';
import { EventReader, type EventSink, type StreamReader } from './event-reader.ts';
import { FrameReader } from './frame-reader.ts';
import type { ReadEvent } from './read-event.ts';
import { TextReader } from './text-reader.ts';
import { TimedReply } from './timed-reply.ts';

interface ReplyStart {
  now: Instant;
  maxEventBytes: number;
  /** True if the content type of the response is that of the format. */
  isAnnounced: boolean;
}

/** Begins one streamed reply over HTTP. */
export function beginReply(format: StreamFormat, start: ReplyStart): StreamedReply {
  return format.framing === 'text' ? new TextReply(format, start) : new StreamedReply(format, start);
}

/** One streamed reply over HTTP. */
export class StreamedReply extends TimedReply implements EventSink {
  /** The body of a response that did not announce a stream, until its first event: without one, it is read as a whole. */
  unread: GrowingBytes | undefined;
  #hasEvents = false;
  /** Instant at which the event that the reader holds had arrived. */
  #heldAt: Instant | undefined;
  readonly #reader: StreamReader;

  constructor(format: StreamFormat, { now, maxEventBytes, isAnnounced }: ReplyStart) {
    super(format.begin(), now);
    this.unread = isAnnounced || isText(format) ? undefined : new GrowingBytes();
    this.#reader = readerOf(format, this, maxEventBytes);
  }

  /** Takes bytes of the body. Returns false if an event is over the limit. */
  take(bytes: Buffer, start: number, end: number): boolean {
    this.#reader.take(bytes, start, end);
    if (this.unread !== undefined) this.#keepUnread(bytes, start, end);
    return !this.#reader.isTooLong;
  }

  override beginRead(now: Instant): void {
    if (this.#reader.isHolding === true) this.#heldAt ??= this.now;
    super.beginRead(now);
  }

  override event(event: ReadEvent): void {
    this.#hasEvents = true;
    event.arrivedAt = event.isEarlier ? this.#heldAt : undefined;
    super.event(event, event.arrivedAt);
    this.#heldAt = undefined;
  }

  end(): void {
    this.#reader.end();
    if (this.#hasEvents) this.unread = undefined;
  }

  /** True if all decoded text was UTF-8. */
  get isUtf8(): boolean {
    return this.#reader.event.isUtf8;
  }

  #keepUnread(bytes: Buffer, start: number, end: number): void {
    if (this.#hasEvents) this.unread = undefined;
    else this.unread?.append(bytes, start, end);
  }
}

/** A reply whose body is its text: all that one read brings is one piece. */
class TextReply extends StreamedReply {
  override event(event: ReadEvent): void {
    if (this.newEvents === 0) super.event(event);
    else this.reply.take(event);
  }
}

const isText = ({ framing }: StreamFormat): boolean => framing === 'text' || framing === 'lines';

/** Returns the reader of a format. */
export function readerOf(
  { framing, passesEmpty, isJson, mayBeArray }: Omit<StreamFormat, 'begin'>,
  sink: EventSink,
  maxEventBytes: number,
): StreamReader {
  if (framing === 'aws-event-stream') return new FrameReader(sink, maxEventBytes);
  if (framing === 'text') return new TextReader(sink);
  const events = (): StreamReader => new EventReader(sink, { framing, maxEventBytes, passesEmpty, isJson });
  return mayBeArray === true ? new ArrayReader(sink, maxEventBytes, events) : events();
}
