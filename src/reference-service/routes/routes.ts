import type { HTTPVersion, Instance } from 'find-my-way';
import type { ServerResponse } from 'node:http';
import type { Operation } from '../../protocol/protocol.ts';
import type { ProtocolName } from '../../protocol/registry/registry.ts';
import type { ServedApis } from '../apis/registry.ts';
import type { ServedApi } from '../exchange/served-api.ts';
import { ServerExchange, type Arrival, type Client } from '../exchange/server-exchange.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import type { Connections } from '../http/connections.ts';
import type { Delivery } from '../http/delivery.ts';
import { receiveBody, type Incoming } from '../http/receive-body.ts';
import { openEvents, writeDelivery, type EventSink } from '../http/write-delivery.ts';

/** Finds the handler of a path and method. */
export type Router = Instance<HTTPVersion.V1>;

/** What is posted to the APIs. */
export function addOperations(router: Router, room: ServiceContext, apis: ServedApis): void {
  for (const [api, served] of Object.entries(apis))
    for (const [operation, { path }] of Object.entries(served.endpoints))
      addOperation(router, room, { api: api as ProtocolName, served, operation: operation as Operation, path });
}

/** The body is read before anything is looked at, so that no answer overtakes it. */
function addOperation(
  router: Router,
  room: ServiceContext,
  { api, served, operation, path }: Pick<Arrival, 'api' | 'operation'> & { served: ServedApi; path: string },
): void {
  const { keyIn } = served;
  router.on('POST', path, (request, response) =>
    receiveBody(request, (body) => {
      const arrivedAt = room.clock.now();
      // What is left of the body will not be read.
      if (body === undefined) response.setHeader('connection', 'close');
      const incoming = { authorization: keyIn(request.headers), contentType: request.headers['content-type'], body };
      if (room.peers?.forward({ operation, api, arrivedAt, incoming, response })) return;
      const client = new ConnectedClient(response, room.connections);
      serveExchange(room, served, { operation, api, arrivedAt, client }, incoming);
    }),
  );
}

/** Serves one exchange, whoever holds its connection. */
export function serveExchange(room: ServiceContext, served: ServedApi, arrival: Arrival, incoming: Incoming): void {
  const exchange = new ServerExchange(room, arrival);
  const endpoint = served.endpoints[arrival.operation];
  void exchange.run(() => endpoint?.serve({ room, exchange, incoming }));
}

/** A client whose connection this process holds. */
class ConnectedClient implements Client {
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
