import fastify, { type FastifyInstance } from 'fastify';
import { initWebAssembly } from 'hdr-histogram-js';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { addInspection } from './inspection.ts';
import { addOperations } from './routes.ts';
import { furnishRoom, type ServiceParts } from './service-room.ts';
import { statsOf, type ServiceStats } from './stats.ts';

/** A certificate and its private key, PEM. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

export interface Service {
  app: FastifyInstance;
  stats(): ServiceStats;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** The reference service, ready to listen; plain HTTP unless it is given an identity. */
export async function createService(parts: ServiceParts, tls?: TlsIdentity): Promise<Service> {
  await initWebAssembly();
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  const room = furnishRoom(parts, server);
  const app = createApp(server);
  addOperations(app, room);
  addInspection(app, room);
  app.setNotFoundHandler((_request, reply) => {
    room.unrouted++;
    return reply.code(404).send({ success: false, error: 'Not found' });
  });
  const close = async (): Promise<void> => {
    room.provider.close();
    await app.close();
    Object.values(room.books).forEach((book) => book.destroy());
  };
  return { app, stats: () => statsOf(room), close };
}

const createApp = (server: Server): FastifyInstance =>
  fastify({
    serverFactory: (listener) => server.on('request', listener),
    forceCloseConnections: true,
    // Clients give up idle connections before this.
    keepAliveTimeout: 72_000,
  });
