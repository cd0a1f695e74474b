import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo, type Socket } from 'node:net';
import { hostname } from 'node:os';

/** Address that a server listens on; `port` 0 selects a free port. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** A request and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface SmallServerOptions extends ListenAddress {
  /** Answers a request that names this server. A failure is answered with 500, and ends nothing else. */
  answer: (exchange: Exchange) => void | Promise<void>;
  /** Answers a request that names another host or was sent by a page of another origin. */
  refuse: (response: ServerResponse) => void;
}

/**
 * Opens a server for few clients next to a run: connections, headers and time are bounded, and requests must name the
 * server itself, so that a page elsewhere cannot reach it under a name that it has pointed here (DNS rebinding).
 * Rejects with the error of the system if it cannot listen.
 */
export async function openSmallServer(options: SmallServerOptions): Promise<{ server: Server; port: number }> {
  const { host, port, answer, refuse } = options;
  const server = createServer(bounds);
  boundConnections(server);
  server.listen({ host, port });
  await once(server, 'listening');
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const foreign = isForeign(request, host);
    // No request needs a body: one that never ends would hold its connection.
    if (foreign || hasBody(request)) response.shouldKeepAlive = false;
    if (foreign) refuse(response);
    else answerSafely(answer, { request, response });
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const bounds = {
  requestTimeout: 10_000,
  headersTimeout: 5000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
};

const maxConnections = 200;

const maxSilent = maxConnections / 2;

/**
 * Bounds the connections. The oldest connections without a request make room, so that they lock nobody out.
 * Counted here rather than by `server.maxConnections`, which counts closed ones until the next turn of the event loop.
 */
function boundConnections(server: Server): void {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  const drop = (socket: Socket | undefined): void => {
    if (socket === undefined) return;
    open.delete(socket);
    silent.delete(socket);
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    silent.add(socket);
    socket.once('close', () => drop(socket));
    const [oldest] = silent;
    if (silent.size > maxSilent) drop(oldest);
    if (open.size > maxConnections) drop(socket);
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket));
}

function answerSafely(answer: SmallServerOptions['answer'], exchange: Exchange): void {
  const fail = (): void => {
    const { response } = exchange;
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { Connection: 'close', 'Content-Type': 'text/plain' }).end('Internal error.\n');
  };
  try {
    answer(exchange)?.catch(fail);
  } catch {
    fail();
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function isForeign(request: IncomingMessage, listening: string): boolean {
  const { headers, headersDistinct } = request;
  const { host, origin } = headers;
  if (isOfOtherSite(request)) return true;
  if (host === undefined || headersDistinct['host']?.length !== 1) return true;
  if (origin !== undefined && origin !== `http://${host}`) return true;
  const [, name] = hostForm.exec(host) ?? [];
  return name === undefined || !isOwnName(name.replace(/^\[|\]$/g, '').toLowerCase(), listening.toLowerCase());
}

/** The marks that browsers add to requests. To follow a link from elsewhere shows its page nothing. */
function isOfOtherSite({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== 'cross-site' && site !== 'same-site') return false;
  return method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

const hostForm = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Reports whether a name may reach a server that listens on `listening`. */
function isOwnName(name: string, listening: string): boolean {
  if (name === listening) return true;
  if (!isLoopbackHost(listening)) return isIP(name) > 0 || isPrivateName(name);
  return name === 'localhost' || (isIP(name) > 0 && isLoopbackHost(name));
}

/** Names that no stranger can register: names of this machine, names without a dot, and names of private networks. */
const isPrivateName = (name: string): boolean =>
  name === hostname().toLowerCase() || /^[^.]+$|\.(?:local|localhost|internal|lan|home\.arpa|svc)$/.test(name);

/** Reports whether only this machine can reach a server that listens on `host`. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Returns a host, as a URL writes it, by which a client on this machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
