import type { ServedSocket } from '../exchange/served-api.ts';
import type { Client } from '../http/client.ts';
import type { Delivery } from '../http/delivery.ts';
import type { EventSink, StreamEnd } from '../http/write-delivery.ts';

/** The socket that carries a request and the frames of its reply. */
export interface FrameCarrier {
  send(frame: string): void;
  /** Sends several frames in one write. */
  sendTogether(send: () => void): void;
  ping(count: number): void;
  /** Ends a reply: a complete one leaves the socket open, any other ends it. */
  end(how: StreamEnd): void;
  /** Nothing more is sent to the client. */
  over(client: FrameClient): void;
}

/** The sender of one request over a socket. Events of its reply are frames. */
export class FrameClient implements Client {
  readonly id: unknown;
  readonly #socket: FrameCarrier;
  readonly #form: ServedSocket;
  readonly #notices: (() => void)[] = [];
  #isGone = false;
  #isOver = false;
  #whenOver: () => void = () => undefined;

  constructor(socket: FrameCarrier, form: ServedSocket, id: unknown) {
    this.id = id;
    this.#socket = socket;
    this.#form = form;
  }

  deliver(delivery: Delivery): boolean {
    const { outcome } = delivery;
    if (outcome === 'reset' || outcome === 'closed') this.#socket.end(outcome);
    else this.#socket.send(this.#form.frame(delivery, this.id));
    this.#end();
    return delivery.status !== 0;
  }

  open(): EventSink {
    return {
      write: (text) => this.#socket.sendTogether(() => this.#write(text)),
      end: (how) => {
        this.#socket.end(how);
        this.#end();
      },
    };
  }

  onceGone(notice: () => void): void {
    if (this.#isGone) notice();
    else this.#notices.push(notice);
  }

  /** The request was cancelled, or its socket closed. */
  leave(): void {
    this.#isGone = true;
    for (const notice of this.#notices.splice(0)) notice();
    this.#end();
  }

  /** Resolves when nothing more is sent. */
  whenOver(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver) resolve();
      else this.#whenOver = resolve;
    });
  }

  #write(text: string): void {
    for (const event of text.split('\n\n')) {
      const [, pings] = /^: pings (\d+)$/.exec(event) ?? [];
      if (pings !== undefined) this.#socket.ping(Number(pings));
      else if (event !== '') this.#socket.send(event.slice(event.indexOf(dataField) + dataField.length));
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#socket.over(this);
    this.#whenOver();
  }
}

const dataField = 'data: ';
