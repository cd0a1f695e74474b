import type { Socket } from 'node:net';
import type { UnservedRequest } from '../exchange/service-context.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { StreamEnd } from '../http/write-delivery.ts';

/** A request without its body, which is the text of its message. */
interface LinkedRequest extends Omit<UnservedRequest, 'client' | 'incoming'> {
  incoming: Omit<Incoming, 'body'>;
}

/** A message between two processes. `id` is the exchange's, assigned by the process that holds the connection. */
export type LinkMessage = { id: number; text?: string | undefined } & (
  | { kind: 'request'; request: LinkedRequest }
  /** `text` is the body. */
  | { kind: 'delivery'; delivery: Omit<Delivery, 'body'> }
  /** `text` is a part of a streamed reply, to be written by itself. */
  | { kind: 'text' }
  /** The end of a streamed reply. */
  | { kind: 'end'; how: StreamEnd }
  /** The client disconnected. */
  | { kind: 'gone' }
);

/**
 * The connection to another process, for requests there and deliveries back. A message is a line: JSON, then a tab and its
 * text as it is, because escaping a long text takes longer than the rest; a text with newlines is part of the JSON. All
 * messages of one turn of the event loop are sent in one write: under load that is a small part of the cost of an exchange.
 */
export class Link {
  readonly #socket: Socket;
  #unsent = '';
  #rest = '';

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Starts to receive messages; none arrives before the links of all processes are open. */
  open(receive: (message: LinkMessage) => void): void {
    this.#socket.setEncoding('utf8').on('data', (chunk: string) => {
      const [first = '', ...others] = chunk.split('\n');
      this.#rest += first;
      for (const next of others) {
        receive(readLine(this.#rest));
        this.#rest = next;
      }
    });
  }

  send(message: LinkMessage): void {
    const { text, ...head } = message;
    const isRaw = text?.includes('\n') === false;
    const line = isRaw ? `${JSON.stringify(head)}\t${text}\n` : `${JSON.stringify(message)}\n`;
    if (this.#unsent === '')
      setImmediate(() => {
        this.#socket.write(this.#unsent);
        this.#unsent = '';
      });
    this.#unsent += line;
  }
}

function readLine(line: string): LinkMessage {
  const tab = line.indexOf('\t');
  if (tab === -1) return JSON.parse(line) as LinkMessage;
  const message = JSON.parse(line.slice(0, tab)) as LinkMessage;
  message.text = line.slice(tab + 1);
  return message;
}
