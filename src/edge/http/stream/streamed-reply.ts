import { between, type Instant } from '../../../base/time.ts';
import type { ReplyStream, StreamEvent, StreamFormat } from '../../../protocol/protocol.ts';
import type { ContentTimes } from '../../../session/send.ts';
import { EventReader, type EventSink } from './event-reader.ts';

/** One reply in pieces: its events go to the protocol, and the instants of those with content are kept. */
export class StreamedReply implements EventSink {
  readonly reply: ReplyStream;
  content: ContentTimes | undefined;
  readonly #reader: EventReader;
  #now: Instant;

  constructor(format: StreamFormat, { now, maxEventBytes }: { now: Instant; maxEventBytes: number }) {
    this.reply = format.begin();
    this.#reader = new EventReader(format.framing, this, maxEventBytes);
    this.#now = now;
  }

  /** Bytes of a new read follow. */
  beginRead(now: Instant): void {
    this.#now = now;
    this.cameNow = 0;
  }

  /** Takes bytes of the body. False: an event is over the limit. */
  take(bytes: Buffer, start: number, end: number): boolean {
    this.#reader.take(bytes, start, end);
    return !this.#reader.isTooLong;
  }

  /** The body has ended. */
  end(): void {
    this.#reader.end();
  }

  /** How many content events came in the read at hand. */
  cameNow = 0;

  /** Whether all text that was read was UTF-8. */
  get isUtf8(): boolean {
    return this.#reader.event.isUtf8;
  }

  event(event: StreamEvent): void {
    const piece = this.reply.take(event);
    if (piece === 'other') return;
    if (this.content === undefined) this.content = firstContent(this.#now);
    else this.#follow(this.content);
    if (piece === 'reasoning') this.content.hasReasoning = true;
    else this.content.firstAnswerAt ??= this.#now;
    this.cameNow++;
  }

  #follow(content: ContentTimes): void {
    content.gapsMs.push(between(content.lastAt, this.#now));
    content.lastAt = this.#now;
    if (this.cameNow > 0) content.sharedReads++;
  }
}

const firstContent = (now: Instant): ContentTimes => ({
  firstAt: now,
  firstAnswerAt: undefined,
  lastAt: now,
  hasReasoning: false,
  gapsMs: [],
  sharedReads: 0,
});
