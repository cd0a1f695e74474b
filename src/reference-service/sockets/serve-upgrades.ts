import { randomUUID } from 'node:crypto';
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { ServedName } from '../../protocol/registry/registry.ts';
import type { ServedApis } from '../apis/registry.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import type { Client } from '../http/client.ts';
import type { Delivery } from '../http/delivery.ts';
import { usualMaxBytes } from '../http/receive-body.ts';
import { sendJson, writeDelivery, type EventSink } from '../http/write-delivery.ts';
import { serveExchange } from '../routes/routes.ts';
import { ServedConnection, type SocketApi } from './served-connection.ts';

/** A request for an upgrade. */
interface Upgrade {
  request: IncomingMessage;
  raw: Socket;
  /** Bytes that were read after the request. */
  head: Buffer;
}

/** Serves upgrades to WebSocket, each as the creation of a session. */
export function serveUpgrades(server: Server, context: ServiceContext, apis: ServedApis): void {
  const forms = new Map<string, SocketApi>();
  for (const [api, served] of Object.entries(apis))
    if (served.socket !== undefined)
      forms.set(served.socket.path, { api: api as ServedName, served, form: served.socket });
  const library = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: usualMaxBytes });
  server.on('upgrade', (request: IncomingMessage, raw: Socket, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      return serveWithoutUpgrade(server, { request, raw, head });
    raw.on('error', () => undefined);
    const [path = '', query] = (request.url ?? '').split('?');
    const found = forms.get(path);
    if (found === undefined) {
      context.unrouted++;
      return sendJson(responseOn(request, raw), 404, { success: false, error: 'Not found' });
    }
    const authorization = found.served.keyIn(request.headers);
    const socket = randomUUID();
    const params = Object.fromEntries(new URLSearchParams(query));
    const accept = (greeting: string): ServedConnection => {
      const opened = new ServedConnection(context, found, { socket, authorization, greeting, raw });
      library.handleUpgrade(request, raw, head, (ws) => opened.open(ws));
      return opened;
    };
    const client = new UpgradingClient(context, { request, raw, head }, accept);
    const arrivedAt = context.clock.now();
    const incoming = { authorization, contentType: 'application/json', body: '{}', params, socket };
    serveExchange(context, found.served, { operation: 'create', api: found.api, arrivedAt, client }, incoming);
  });
}

/** A client that requests an upgrade: it is accepted by status 101, or answered over HTTP. */
class UpgradingClient implements Client {
  readonly #context: ServiceContext;
  readonly #upgrade: Upgrade;
  readonly #accept: (greeting: string) => ServedConnection;

  constructor(context: ServiceContext, upgrade: Upgrade, accept: (greeting: string) => ServedConnection) {
    this.#context = context;
    this.#upgrade = upgrade;
    this.#accept = accept;
  }

  deliver(delivery: Delivery): boolean {
    const { request, raw } = this.#upgrade;
    if (delivery.status !== 101) return writeDelivery(delivery, responseOn(request, raw), this.#context.connections);
    raw.off('end', leave);
    const opened = this.#accept(delivery.body);
    if (delivery.outcome === 'cut') opened.end('closed');
    else if (delivery.body !== '') opened.send(delivery.body);
    return delivery.outcome !== 'cut';
  }

  open(): EventSink {
    throw new Error('an upgrade has no streamed reply');
  }

  /** Reads from the connection: otherwise its end is not noticed. Clients send nothing before the answer. */
  onceGone(notice: () => void): void {
    this.#upgrade.raw.off('end', leave).once('end', leave).once('close', notice).resume();
  }
}

function leave(this: Socket): void {
  this.destroy();
}

/** Returns a response over HTTP, after which the connection ends. */
function responseOn(request: IncomingMessage, raw: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(raw);
  response.once('finish', () => raw.destroySoon());
  return response;
}

/** Serves a request for another protocol, such as `h2c`, as HTTP/1.1: the offer is ignored. */
function serveWithoutUpgrade(server: Server, { request, raw, head }: Upgrade): void {
  const { method = '', url = '', rawHeaders } = request;
  const fields: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name)) fields.push(`${name}: ${value}\r\n`);
  }
  raw.unshift(Buffer.concat([Buffer.from(`${method} ${url} HTTP/1.1\r\n${fields.join('')}\r\n`, 'latin1'), head]));
  server.emit('encrypted' in raw ? 'secureConnection' : 'connection', raw);
  raw.resume();
}
