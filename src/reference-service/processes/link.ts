import type { Socket } from 'node:net';
import type { UnservedRequest } from '../exchange/service-context.ts';
import type { Delivery } from '../http/delivery.ts';
import type { StreamEnd } from '../http/write-delivery.ts';

/** A message between two processes. `id` is the exchange's, assigned by the process that holds the connection. */
export type LinkMessage = { id: number } & (
  | ({ kind: 'request' } & Omit<UnservedRequest, 'response'>)
  | { kind: 'delivery'; delivery: Delivery }
  /** Text of a streamed reply, to be written by itself. */
  | { kind: 'text'; text: string }
  /** The end of a streamed reply. */
  | { kind: 'end'; how: StreamEnd }
  /** The client disconnected. */
  | { kind: 'gone' }
);

/**
 * The connection to another process, for requests there and deliveries back: JSON lines. All messages of one turn of the
 * event loop are sent in one write: under load that is a small part of the cost of an exchange.
 */
export class Link {
  readonly #socket: Socket;
  #unsent: LinkMessage[] = [];
  #rest = '';

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Nothing arrives before the links of all processes are open. */
  open(receive: (message: LinkMessage) => void): void {
    this.#socket.setEncoding('utf8').on('data', (chunk: string) => {
      const [first = '', ...others] = chunk.split('\n');
      this.#rest += first;
      for (const next of others) {
        for (const message of JSON.parse(this.#rest) as LinkMessage[]) receive(message);
        this.#rest = next;
      }
    });
  }

  send(message: LinkMessage): void {
    if (this.#unsent.push(message) > 1) return;
    setImmediate(() => {
      this.#socket.write(`${JSON.stringify(this.#unsent)}\n`);
      this.#unsent = [];
    });
  }
}
