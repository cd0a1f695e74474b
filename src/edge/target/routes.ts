import type { HTTPVersion, Instance } from 'find-my-way';
import type { Operation } from '../../protocol/protocol.ts';
import { messagesPath, sessionsPath } from '../../protocol/chat-messaging/api.ts';
import type { Incoming } from './admit.ts';
import { ServerExchange } from './server-exchange.ts';
import { receiveBody } from './receive-body.ts';
import { serveCreation } from './serve-creation.ts';
import { serveMessage } from './serve-message.ts';
import type { ServiceContext } from './service-context.ts';

/** Finds the handler of a path and method. */
export type Router = Instance<HTTPVersion.V1>;

type Serve = (room: ServiceContext, exchange: ServerExchange, incoming: Incoming) => void | Promise<void>;

/** The two operations of the API. */
export function addOperations(router: Router, room: ServiceContext): void {
  addOperation(router, room, { operation: 'message', path: messagesPath, serve: serveMessage });
  addOperation(router, room, { operation: 'create', path: sessionsPath, serve: serveCreation });
}

interface ServiceRoute {
  operation: Operation;
  path: string;
  serve: Serve;
}

/** The body is read before anything is looked at, so that no answer overtakes it. */
function addOperation(router: Router, room: ServiceContext, { operation, path, serve }: ServiceRoute): void {
  router.on('POST', path, (request, response) =>
    receiveBody(request, (body) => {
      const exchange = new ServerExchange(room, operation, response);
      // What is left of the body will not be read.
      if (body === undefined) response.setHeader('connection', 'close');
      const { authorization, 'content-type': contentType } = request.headers;
      void exchange.run(() => serve(room, exchange, { authorization, contentType, body }));
    }),
  );
}
