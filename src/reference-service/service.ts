import type { ServedName } from '../protocol/registry/registry.ts';
import type { ServedApis } from './apis/registry.ts';
import findMyWay from 'find-my-way';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { addInspection } from './routes/inspection.ts';
import { addOperations, type Router } from './routes/routes.ts';
import { sendJson } from './http/write-delivery.ts';
import { createServiceContext, type ServiceParts, type ServiceContext } from './exchange/service-context.ts';
import { serveUpgrades } from './sockets/serve-upgrades.ts';
import { statsOf, type ServiceStats } from './exchange/stats.ts';

/** A certificate and its private key, PEM. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

export interface Service {
  /** Does not listen yet. */
  server: Server;
  context: ServiceContext;
  stats(): ServiceStats;
  /** Cuts exchanges in progress. */
  close(): Promise<void>;
}

/** Creates the reference service, ready to listen; plain HTTP without an identity. */
export function createService(parts: ServiceParts & { apis: ServedApis }, tls?: TlsIdentity): Service {
  const server = tls === undefined ? createServer(serverOptions) : createTlsServer({ ...serverOptions, ...tls });
  const context = createServiceContext(parts, { server, apis: Object.keys(parts.apis) as ServedName[] });
  const router = createRouter(context, parts.apis);
  server.on('request', (request, response) => void router.lookup(request, response));
  serveUpgrades(server, context, parts.apis);
  const close = async (): Promise<void> => {
    context.provider.close();
    const closed = new Promise((resolve) => server.close(resolve));
    context.connections.close();
    await closed;
    Object.values(context.books).forEach((book) => book.destroy());
    context.streams.destroy();
  };
  return { server, context: context, stats: () => statsOf(context), close };
}

/** Clients close idle connections before this. */
const serverOptions = { keepAliveTimeout: 72_000 };

function createRouter(context: ServiceContext, apis: ServedApis): Router {
  const router: Router = findMyWay({
    defaultRoute: (_request, response) => {
      context.unrouted++;
      sendJson(response, 404, { success: false, error: 'Not found' });
    },
  });
  addOperations(router, context, apis);
  addInspection(router, context, apis);
  return router;
}
