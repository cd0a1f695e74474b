import type { Delivery } from './delivery.ts';
import type { EventSink } from './write-delivery.ts';

/** The sender of a request. */
export interface Client {
  /** Writes a delivery, or ends the connection as it requires. Returns whether a whole response was written. */
  deliver(delivery: Delivery): boolean;
  /** Begins a streamed reply. */
  open(): EventSink;
  /** Calls back when the client disconnects. */
  onceGone(notice: () => void): void;
}
