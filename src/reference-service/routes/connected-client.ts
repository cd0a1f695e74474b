import type { ServerResponse } from 'node:http';
import type { Connections } from '../http/connections.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Client } from '../exchange/server-exchange.ts';
import { openEvents, type EventSink } from '../http/event-sink.ts';
import { writeDelivery } from '../http/write-delivery.ts';

/** A client whose connection this process holds. */
export class ConnectedClient implements Client {
  readonly #response: ServerResponse;
  readonly #connections: Connections;

  constructor(response: ServerResponse, connections: Connections) {
    this.#response = response;
    this.#connections = connections;
  }

  deliver(delivery: Delivery): boolean {
    return writeDelivery(delivery, this.#response, this.#connections);
  }

  open(): EventSink {
    return openEvents(this.#response, this.#connections);
  }

  onceGone(notice: () => void): void {
    this.#response.once('close', notice);
  }
}
