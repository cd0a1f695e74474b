import { isUtf8 } from 'node:buffer';
import type { StreamEvent } from '../../../protocol/protocol.ts';

/** The event that was read last: one object for all of a stream. */
export class ReadEvent implements StreamEvent {
  type = '';
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** Whether every event that was asked for its text was UTF-8. */
  isUtf8 = true;

  text(): string {
    const text = this.bytes.toString('utf8', this.start, this.end);
    // A server may send U+FFFD itself: only then a closer look is needed.
    if (text.includes('\u{fffd}') && !isUtf8(this.bytes.subarray(this.start, this.end))) this.isUtf8 = false;
    return text;
  }
}
