import { refused } from '../classify-whole.ts';
import { classOfClose } from '../close-class.ts';
import type { EventContent, FrameReader, HeaderFields, Received, StreamEvent, Verdict } from '../protocol.ts';
import { EventStream, type EventReader } from './event-stream.ts';
import { frameError, type FrameError } from './frame-error.ts';
import type { Fields } from './read-reply.ts';

/** Reader of the frames of one reply over WebSocket: each is an event of a stream. */
export abstract class EventFrames<Reader extends EventReader = EventReader>
  extends EventStream<Reader>
  implements FrameReader
{
  /** The error that ended the reply. */
  protected error: FrameError | undefined;
  #hasContent = false;

  abstract accepts(frame: StreamEvent): boolean;

  override take(frame: StreamEvent): EventContent {
    const content = super.take(frame);
    if (content !== 'other') this.#hasContent = true;
    return content;
  }

  get isOver(): boolean {
    return this.hasEnded || this.isBroken;
  }

  /** After an end or an error of the protocol, nothing of this reply follows. */
  get keepsSocket(): boolean {
    return this.hasEnded || this.reader.hasFailed === true || this.error?.endsSocket === false;
  }

  get retryAfter(): string | undefined {
    return this.error?.retryAfter;
  }

  get waits(): HeaderFields | undefined {
    return this.error?.waits;
  }

  protected override refuse(data: Fields): Verdict | undefined {
    this.error = frameError(data);
    return this.error?.verdict;
  }

  protected override judge(received: Received): Verdict {
    const { failure, closeCode, detail } = received;
    if (failure === undefined && closeCode !== undefined && !this.isOver)
      return refused(classOfClose(closeCode, this.#hasContent), detail);
    return super.judge({ ...received, status: 200 });
  }
}
