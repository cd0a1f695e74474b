import type { HTTPVersion, Instance } from 'find-my-way';
import type { Operation } from '../../protocol/protocol.ts';
import { messagesPath, sessionsPath } from '../../protocol/chat-messaging/api.ts';
import { ConnectedClient } from './connected-client.ts';
import type { Incoming } from './incoming.ts';
import { ServerExchange, type Arrival } from './server-exchange.ts';
import { receiveBody } from './receive-body.ts';
import { serveCreation } from './serve-creation.ts';
import { serveMessage } from './serve-message.ts';
import type { ServiceContext } from './service-context.ts';

/** Finds the handler of a path and method. */
export type Router = Instance<HTTPVersion.V1>;

/** The two operations of the API. */
export function addOperations(router: Router, room: ServiceContext): void {
  addOperation(router, room, { operation: 'message', path: messagesPath });
  addOperation(router, room, { operation: 'create', path: sessionsPath });
}

/** Serves one exchange, whoever holds its connection. */
export function serveExchange(room: ServiceContext, arrival: Arrival, incoming: Incoming): void {
  const exchange = new ServerExchange(room, arrival);
  const serve = arrival.operation === 'message' ? serveMessage : serveCreation;
  void exchange.run(() => serve(room, exchange, incoming));
}

/** The body is read before anything is looked at, so that no answer overtakes it. */
function addOperation(
  router: Router,
  room: ServiceContext,
  { operation, path }: { operation: Operation; path: string },
): void {
  router.on('POST', path, (request, response) =>
    receiveBody(request, (body) => {
      const arrivedAt = room.clock.now();
      // What is left of the body will not be read.
      if (body === undefined) response.setHeader('connection', 'close');
      const { authorization, 'content-type': contentType } = request.headers;
      const incoming = { authorization, contentType, body };
      if (room.peers?.forward({ operation, arrivedAt, incoming, response })) return;
      const client = new ConnectedClient(response, room.connections);
      serveExchange(room, { operation, arrivedAt, client }, incoming);
    }),
  );
}
