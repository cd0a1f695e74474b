import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../session/send.ts';
import { messagesPath, sessionsPath } from '../../wire/api.ts';
import { admit, isRefusal, type Incoming } from './admit.ts';
import { failure, failures } from './delivery.ts';
import { Exchange } from './exchange.ts';
import { serveCreation } from './serve-creation.ts';
import { serveMessage } from './serve-message.ts';
import type { ServiceRoom } from './service-room.ts';

type Serve = (room: ServiceRoom, exchange: Exchange, incoming: Incoming) => void | Promise<void>;

/** The two operations. Exchanges answer by themselves, since faults have to reach under the framework. */
export function addOperations(app: FastifyInstance, room: ServiceRoom): void {
  app.removeAllContentTypeParsers();
  // Bodies stay text until the key has been looked at. The exact type first: it is found faster.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
  addOperation(app, room, { operation: 'message', path: messagesPath, serve: serveMessage });
  addOperation(app, room, { operation: 'create', path: sessionsPath, serve: serveCreation });
}

interface Route {
  operation: Operation;
  path: string;
  serve: Serve;
}

function addOperation(app: FastifyInstance, room: ServiceRoom, { operation, path, serve }: Route): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    const exchange = new Exchange(room, operation, reply.hijack().raw);
    void exchange.run(() => serve(room, exchange, incomingOf(request)));
  };
  const errorHandler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const exchange = new Exchange(room, operation, reply.hijack().raw);
    // What is left of the body will not be read.
    reply.raw.setHeader('connection', 'close');
    const caller = admit(room, incomingOf(request), exchange.arrivedAt);
    void exchange.run(() => exchange.give(isRefusal(caller) ? caller : refusalOf(error)));
  };
  app.post(path, { errorHandler }, handler);
}

const incomingOf = ({ headers, body }: FastifyRequest): Incoming => ({
  authorization: headers.authorization,
  contentType: headers['content-type'],
  body: typeof body === 'string' ? body : '',
});

/** The framework's own complaints about a request: a body that is too large, or not of its declared length. */
const refusalOf = ({ statusCode = 500, message }: FastifyError) =>
  statusCode < 500 ? failure(statusCode, message) : failures.internal;
