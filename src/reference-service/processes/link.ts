import type { Socket } from 'node:net';
import { defaultProtocol, protocolNames, type ProtocolName } from '../../protocol/registry/registry.ts';
import { streamEnds, type StreamEnd } from '../http/write-delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import { FrameWriter, frameSplitter, type FrameReader } from './frames.ts';
import { serviceClasses } from '../books/service-class.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { instant, type Instant } from '../../base/time.ts';

/** A request on its way to the process that serves it. */
export interface CarriedRequest {
  operation: Operation;
  api: ProtocolName;
  arrivedAt: Instant;
  incoming: Incoming;
}

/** What comes from the other process. `id` is that of the exchange, given by the process that holds the connection. */
export interface LinkEnd {
  request(id: number, request: CarriedRequest): void;
  delivery(id: number, delivery: Delivery): void;
  /** Text of a reply in pieces, to be written by itself. */
  text(id: number, text: string): void;
  /** The end of such a reply. */
  end(id: number, how: StreamEnd): void;
  /** The client went away. */
  gone(id: number): void;
}

const kinds = { request: 1, delivery: 2, gone: 3, text: 4, end: 5 } as const;

/**
 * The way to another process, for requests there and deliveries back. What is sent in one turn of the event loop goes
 * out in one write: under load that is a small part of the cost of an exchange.
 */
export class Link {
  readonly #outbound: Socket;
  readonly #writer = new FrameWriter();
  #end: LinkEnd | undefined;
  /** Takes what came from the other process; it is read before this returns. */
  readonly receive = frameSplitter((frame) => {
    if (this.#end !== undefined) readFrame(frame, this.#end);
  });

  constructor(outbound: Socket) {
    this.#outbound = outbound;
  }

  /** Nothing comes before the links of all processes are open. */
  open(end: LinkEnd): void {
    this.#end = end;
  }

  request(id: number, { operation, api, arrivedAt, incoming }: CarriedRequest): void {
    this.#begin(kinds.request, id);
    this.#writer.byte(operation === 'message' ? 0 : 1);
    this.#writer.byte(protocolNames.indexOf(api));
    this.#writer.real(arrivedAt);
    this.#writer.text(incoming.authorization);
    this.#writer.text(incoming.contentType);
    this.#writer.text(incoming.body);
    this.#writer.end();
  }

  delivery(id: number, { outcome, status, body, retryAfter }: Delivery): void {
    this.#begin(kinds.delivery, id);
    this.#writer.byte(serviceClasses.indexOf(outcome));
    this.#writer.whole(status);
    this.#writer.text(retryAfter);
    this.#writer.text(body);
    this.#writer.end();
  }

  text(id: number, text: string): void {
    this.#begin(kinds.text, id);
    this.#writer.text(text);
    this.#writer.end();
  }

  end(id: number, how: StreamEnd): void {
    this.#begin(kinds.end, id);
    this.#writer.byte(streamEnds.indexOf(how));
    this.#writer.end();
  }

  gone(id: number): void {
    this.#begin(kinds.gone, id);
    this.#writer.end();
  }

  #begin(kind: number, id: number): void {
    if (this.#writer.isEmpty) setImmediate(() => this.#outbound.write(this.#writer.take()));
    this.#writer.begin(kind, id);
  }
}

function readFrame(frame: FrameReader, end: LinkEnd): void {
  const kind = frame.byte();
  const id = frame.whole();
  if (kind === kinds.request) end.request(id, readRequest(frame));
  else if (kind === kinds.delivery) end.delivery(id, readDelivery(frame));
  else if (kind === kinds.text) end.text(id, frame.text() ?? '');
  else if (kind === kinds.end) end.end(id, streamEnds[frame.byte()] ?? 'closed');
  else end.gone(id);
}

function readRequest(frame: FrameReader): CarriedRequest {
  const operation = frame.byte() === 0 ? 'message' : 'create';
  const api = protocolNames[frame.byte()] ?? defaultProtocol;
  const arrivedAt = instant(frame.real());
  const [authorization, contentType, body] = [frame.text(), frame.text(), frame.text()];
  return { operation, api, arrivedAt, incoming: { authorization, contentType, body } };
}

function readDelivery(frame: FrameReader): Delivery {
  const outcome = serviceClasses[frame.byte()] ?? 'closed';
  const status = frame.whole();
  const retryAfter = frame.text();
  return { outcome, status, retryAfter, body: frame.text() ?? '' };
}
