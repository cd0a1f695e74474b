import { jsonIn } from '../classify-whole.ts';
import type { StreamEvent } from '../protocol.ts';

/** The JSON value of an event, parsed once; `undefined` where it is none. */
export function readEvent(event: StreamEvent): unknown {
  return jsonIn(event.text());
}

/** Whether an event is the `[DONE]` behind which nothing comes: known without reading it as JSON. */
export function isDone({ bytes, start, end }: StreamEvent): boolean {
  return end - start === 6 && bytes.toString('latin1', start, end) === '[DONE]';
}
