import { isUtf8 } from 'node:buffer';
import type { Instant } from '../../../base/time.ts';
import type { StreamEvent } from '../../../protocol/protocol.ts';

/** The latest event: one object for a whole stream. */
export class ReadEvent implements StreamEvent {
  type = '';
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** True if its last line arrived before the current block. */
  isEarlier = false;
  /** Instant at which its last line had arrived, if that was before the current read. */
  arrivedAt: Instant | undefined;
  /** True if no blank line ends the events of the body. */
  isUnseparated = false;
  /** True if its last line has no line break. */
  isHalf = false;
  /** True if every decoded event was UTF-8. */
  isUtf8 = true;

  /** Reads all of these bytes as the event. */
  over(bytes: Buffer): this {
    this.bytes = bytes;
    this.start = 0;
    this.end = bytes.length;
    return this;
  }

  text(): string {
    const text = this.bytes.toString('utf8', this.start, this.end);
    // A server may send U+FFFD itself: only then is a check needed.
    if (text.includes('\u{fffd}') && !isUtf8(this.bytes.subarray(this.start, this.end))) this.isUtf8 = false;
    return text;
  }
}
