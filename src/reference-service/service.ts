import type { ProtocolName } from '../protocol/registry/registry.ts';
import type { ServedApis } from './apis/registry.ts';
import findMyWay from 'find-my-way';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { addInspection } from './routes/inspection.ts';
import { addOperations, type Router } from './routes/routes.ts';
import { sendJson } from './http/write-delivery.ts';
import { createServiceContext, type ServiceParts, type ServiceContext } from './exchange/service-context.ts';
import { statsOf, type ServiceStats } from './exchange/stats.ts';

/** A certificate and its private key, PEM. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

export interface Service {
  /** Not listening yet. */
  server: Server;
  context: ServiceContext;
  stats(): ServiceStats;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** The reference service, ready to listen; plain HTTP unless it is given an identity. */
export function createService(parts: ServiceParts & { apis: ServedApis }, tls?: TlsIdentity): Service {
  const server = tls === undefined ? createServer(serverOptions) : createTlsServer({ ...serverOptions, ...tls });
  const room = createServiceContext(parts, { server, apis: Object.keys(parts.apis) as ProtocolName[] });
  const router = createRouter(room, parts.apis);
  server.on('request', (request, response) => void router.lookup(request, response));
  const close = async (): Promise<void> => {
    room.provider.close();
    const closed = new Promise((resolve) => server.close(resolve));
    room.connections.close();
    await closed;
    Object.values(room.books).forEach((book) => book.destroy());
    room.streams.destroy();
  };
  return { server, context: room, stats: () => statsOf(room), close };
}

const serverOptions = {
  // Clients give up idle connections before this.
  keepAliveTimeout: 72_000,
};

function createRouter(room: ServiceContext, apis: ServedApis): Router {
  const router: Router = findMyWay({
    defaultRoute: (_request, response) => {
      room.unrouted++;
      sendJson(response, 404, { success: false, error: 'Not found' });
    },
  });
  addOperations(router, room, apis);
  addInspection(router, room, apis);
  return router;
}
