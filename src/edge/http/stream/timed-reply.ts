import { between, type Instant } from '../../../base/time.ts';
import type { ReplyStream, StreamEvent } from '../../../protocol/protocol.ts';
import type { ContentTimes } from '../../../session/send.ts';

/** One reply in events, which are passed to the protocol; the instants of content events are kept. */
export class TimedReply<Reply extends ReplyStream = ReplyStream> {
  readonly reply: Reply;
  content: ContentTimes | undefined;
  /** Number of content events in the current read. */
  newEvents = 0;
  protected now: Instant;

  constructor(reply: Reply, now: Instant) {
    this.reply = reply;
    this.now = now;
  }

  beginRead(now: Instant): void {
    this.now = now;
    this.newEvents = 0;
  }

  /** Takes an event. `earlier`: the instant at which it was complete, if that was before the current read. */
  event(event: StreamEvent, earlier?: Instant): void {
    const kind = this.reply.take(event);
    if (kind === 'other') return;
    const now = earlier ?? this.now;
    if (this.content === undefined)
      this.content = {
        firstAt: now,
        firstAnswerAt: undefined,
        lastAt: now,
        hasReasoning: false,
        gapsMs: [],
        sharedReads: 0,
      };
    // Nothing is known about the time between two events of one read.
    else if (this.newEvents > 0) this.content.sharedReads++;
    else {
      const { content } = this;
      content.gapsMs.push(between(content.lastAt, now));
      content.lastAt = now;
    }
    if (kind === 'reasoning') this.content.hasReasoning = true;
    else this.content.firstAnswerAt ??= now;
    if (earlier === undefined) this.newEvents++;
  }
}
