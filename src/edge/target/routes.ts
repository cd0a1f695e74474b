import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../session/send.ts';
import { messagesPath, sessionsPath } from '../../wire/api.ts';
import type { Incoming } from './admit.ts';
import { Exchange } from './exchange.ts';
import { receiveBody } from './receive-body.ts';
import { serveCreation } from './serve-creation.ts';
import { serveMessage } from './serve-message.ts';
import type { ServiceRoom } from './service-room.ts';

type Serve = (room: ServiceRoom, exchange: Exchange, incoming: Incoming) => void | Promise<void>;

/** The two operations of the API. */
export function addOperations(app: FastifyInstance, room: ServiceRoom): void {
  addOperation(app, room, { operation: 'message', path: messagesPath, serve: serveMessage });
  addOperation(app, room, { operation: 'create', path: sessionsPath, serve: serveCreation });
}

interface Route {
  operation: Operation;
  path: string;
  serve: Serve;
}

/**
 * Takes a request over from the framework as soon as it is routed: faults have to reach under it, the body is looked
 * at after the key, and what the framework would do in between costs a message in five.
 */
function addOperation(app: FastifyInstance, room: ServiceRoom, { operation, path, serve }: Route): void {
  const onRequest = ({ raw: request }: FastifyRequest, reply: FastifyReply): void => {
    const response = reply.hijack().raw;
    receiveBody(request, (body) => {
      const exchange = new Exchange(room, operation, response);
      // What is left of the body will not be read.
      if (body === undefined) response.setHeader('connection', 'close');
      const { authorization, 'content-type': contentType } = request.headers;
      void exchange.run(() => serve(room, exchange, { authorization, contentType, body }));
    });
  };
  app.post(path, { onRequest }, notReached);
}

const notReached = (): never => {
  throw new Error('an operation was not taken over');
};
