import type { HTTPVersion, Instance } from 'find-my-way';
import type { ServerResponse } from 'node:http';
import type { Operation } from '../../protocol/protocol.ts';
import type { ServedName } from '../../protocol/registry/registry.ts';
import type { ServedApis } from '../apis/registry.ts';
import type { ServedApi } from '../exchange/served-api.ts';
import { ServerExchange, type Arrival } from '../exchange/server-exchange.ts';
import type { Client } from '../http/client.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { type Connections, openEvents, writeDelivery, type EventSink } from '../http/write-delivery.ts';
import type { Delivery } from '../http/delivery.ts';
import { receiveBody, type Incoming } from '../http/receive-body.ts';

export type Router = Instance<HTTPVersion.V1>;

/** Adds the POST endpoints of the APIs. */
export function addOperations(router: Router, context: ServiceContext, apis: ServedApis): void {
  for (const [api, served] of Object.entries(apis))
    for (const [operation, { path }] of Object.entries(served.endpoints))
      addOperation(router, context, { api: api as ServedName, served, operation: operation as Operation, path });
}

/** Adds the route of an operation. The body is read before any check, so that no reply overtakes it. */
function addOperation(
  router: Router,
  context: ServiceContext,
  { api, served, operation, path }: Pick<Arrival, 'api' | 'operation'> & { served: ServedApi; path: string },
): void {
  const { keyIn } = served;
  router.on('POST', path, (request, response, params) =>
    receiveBody(request, (body) => {
      const arrivedAt = context.clock.now();
      // The remaining body will not be read.
      if (body === undefined) response.setHeader('connection', 'close');
      const { 'content-type': contentType } = request.headers;
      const incoming = { authorization: keyIn(request.headers), contentType, body, params };
      const client = new ConnectedClient(response, context.connections, served);
      serveExchange(context, served, { operation, api, arrivedAt, client }, incoming);
    }),
  );
}

/** Serves one exchange. */
export function serveExchange(context: ServiceContext, served: ServedApi, arrival: Arrival, incoming: Incoming): void {
  const exchange = new ServerExchange(context, arrival);
  const { operation } = arrival;
  const endpoint = incoming.socket === undefined ? served.endpoints[operation] : served.socket?.endpoints[operation];
  void exchange.run(() => endpoint?.serve(exchange, incoming));
}

/** A client with a connection of HTTP. */
class ConnectedClient implements Client {
  readonly #response: ServerResponse;
  readonly #connections: Connections;
  readonly #served: ServedApi;

  constructor(response: ServerResponse, connections: Connections, served: ServedApi) {
    this.#response = response;
    this.#connections = connections;
    this.#served = served;
  }

  deliver(delivery: Delivery): boolean {
    return writeDelivery(delivery, this.#response, this.#connections);
  }

  open(): EventSink {
    return openEvents(this.#response, this.#connections, this.#served.streamForm);
  }

  onceGone(notice: () => void): void {
    this.#response.once('close', notice);
  }
}
