import type { HTTPVersion, Instance } from 'find-my-way';
import type { Operation } from '../../protocol/protocol.ts';
import { messagesPath, sessionsPath } from '../../protocol/chat-messaging/api.ts';
import { serveApi, type AskedExchange } from '../model-api/serve-api.ts';
import { keyIn } from '../http/key-in.ts';
import type { ApiName } from '../books/api-names.ts';
import { listModels } from './list-models.ts';
import { servedApis } from '../apis/served-apis.ts';
import { conversationsPath, serveConversation } from '../apis/openai-responses/serve-conversation.ts';
import { ConnectedClient } from './connected-client.ts';
import type { Incoming } from '../http/incoming.ts';
import { ServerExchange, type Arrival } from '../exchange/server-exchange.ts';
import { receiveBody } from '../http/receive-body.ts';
import { serveCreation } from '../apis/chat-messaging/serve-creation.ts';
import { serveMessage } from '../apis/chat-messaging/serve-message.ts';
import type { ServiceContext } from '../exchange/service-context.ts';

/** Finds the handler of a path and method. */
export type Router = Instance<HTTPVersion.V1>;

/** What is posted to the APIs. */
export function addOperations(router: Router, room: ServiceContext): void {
  addOperation(router, room, { operation: 'message', path: messagesPath });
  addOperation(router, room, { operation: 'create', path: sessionsPath });
  for (const { name, path } of Object.values(servedApis))
    addOperation(router, room, { operation: 'message', path, api: name });
  addOperation(router, room, { operation: 'create', path: conversationsPath, api: 'openai-responses' });
}

/** Lists the agents as models. */
export function addModels(router: Router, room: ServiceContext): void {
  router.on('GET', '/v1/models', ({ headers }, response) => {
    const { status, body } = listModels(room, headers);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
  });
}

/** Serves one exchange, whoever holds its connection. */
export function serveExchange(room: ServiceContext, arrival: Arrival, incoming: Incoming): void {
  const exchange = new ServerExchange(room, arrival);
  void exchange.run(() => serve({ room, exchange, incoming }, arrival));
}

function serve(asked: AskedExchange, { operation, api }: Arrival): void | Promise<void> {
  const { room, exchange, incoming } = asked;
  if (api !== undefined)
    return operation === 'message' ? serveApi(asked, servedApis[api]) : serveConversation(asked, servedApis[api]);
  return operation === 'message' ? serveMessage(room, exchange, incoming) : serveCreation(room, exchange, incoming);
}

/** The body is read before anything is looked at, so that no answer overtakes it. */
function addOperation(
  router: Router,
  room: ServiceContext,
  { operation, path, api }: { operation: Operation; path: string; api?: ApiName },
): void {
  router.on('POST', path, (request, response) =>
    receiveBody(request, (body) => {
      const arrivedAt = room.clock.now();
      // What is left of the body will not be read.
      if (body === undefined) response.setHeader('connection', 'close');
      const authorization = api === undefined ? request.headers.authorization : keyIn(request.headers);
      const incoming = { authorization, contentType: request.headers['content-type'], body };
      if (room.peers?.forward({ operation, api, arrivedAt, incoming, response })) return;
      const client = new ConnectedClient(response, room.connections);
      serveExchange(room, { operation, api, arrivedAt, client }, incoming);
    }),
  );
}
