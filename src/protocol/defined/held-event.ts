import type { StreamEvent } from '../protocol.ts';

/** A copy of an event, whose object is reused for the next one. */
export class HeldEvent implements StreamEvent {
  readonly type: string;
  readonly bytes: Buffer;
  readonly start = 0;
  readonly end: number;

  constructor({ type, bytes, start, end }: StreamEvent) {
    this.type = type;
    this.bytes = Buffer.from(bytes.subarray(start, end));
    this.end = this.bytes.length;
  }

  text(): string {
    return this.bytes.toString();
  }
}
