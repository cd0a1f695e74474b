import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SocketDefinition } from '../../src/protocol/defined/definition.ts';

/** The example protocol of docs/guides/websocket.md. */
export const exampleProtocol = {
  name: 'example-socket',
  transport: 'websocket',
  connect: { path: '/v1/socket', ready: isType('ready'), sessionId: 'sessionId' },
  send: ({ id, message, variables }) => ({ type: 'message', id, text: message, variables }),
  match: 'id',
  read: {
    text: ({ type, text }: Frame) => (type === 'delta' ? text : undefined),
    end: isType('done'),
    error: ({ type, code }: Frame) => (type === 'error' ? code : undefined),
    retryAfter: 'retryAfter',
    usage: { inputTokens: 'usage.inputTokens', outputTokens: 'usage.outputTokens' },
  },
  cancel: ({ id }) => ({ type: 'cancel', id }),
} satisfies SocketDefinition;

/** The same without the correlation of frames. */
export const uncorrelated = { ...exampleProtocol, match: undefined, cancel: undefined };

function isType(type: string): (frame: Frame) => boolean {
  return (frame) => frame.type === type;
}

/** A frame of the example protocol. */
export interface Frame {
  type: string;
  id?: string;
  text?: string;
  code?: string;
  variables?: Record<string, unknown>;
}

/** One socket of a scripted service. */
interface ServedSocket {
  ws: WebSocket;
  /** The connection below it, for what no library sends. */
  raw: Socket;
  /** From 1, in the order of upgrades. */
  number: number;
  say: (frame: object) => void;
  /** Sends a reply in three parts, and its end. */
  reply: (id: string | undefined, text?: string) => void;
}

interface Script {
  /** Called for every message of a user. Default: a reply. */
  message?: (socket: ServedSocket, frame: Frame, nth: number) => void;
  /** Called for every cancellation. */
  cancel?: (socket: ServedSocket, frame: Frame) => void;
  /** Called for every open socket. Default: `ready`. */
  open?: (socket: ServedSocket) => void;
  /** Answers an upgrade itself; true: it did. */
  upgrade?: (request: IncomingMessage, raw: Socket, nth: number) => boolean;
  tls?: { key: Buffer; cert: Buffer };
  /** Maximum size of the head of an upgrade. */
  maxHeaderSize?: number;
  subprotocol?: string;
}

/** A scripted service over WebSocket, with counts of its own. */
export interface SocketService {
  baseUrl: string;
  port: number;
  server: Server;
  counted: Record<string, number>;
  upgrades: { path: string; headers: IncomingMessage['headers'] }[];
  /** Frames received, in order. */
  received: Frame[];
  /** Codes with which clients closed their sockets. */
  closedWith: number[];
  /** Number of sockets that are open now. */
  open: () => number;
}

/** Runs for one test. */
export async function openSocketService(script: Script = {}): Promise<SocketService> {
  const { message = answer, cancel, open = welcome, upgrade = () => false, tls, maxHeaderSize = 16_384 } = script;
  const counted: Record<string, number> = {};
  const count = (name: string): number => (counted[name] = (counted[name] ?? 0) + 1);
  const notFound = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(404).end();
  const server = tls === undefined ? createServer({ maxHeaderSize }, notFound) : createSecureServer(tls, notFound);
  const sockets = new WebSocketServer({
    noServer: true,
    ...(script.subprotocol !== undefined && { handleProtocols: () => script.subprotocol ?? false }),
  });
  const service: SocketService = {
    baseUrl: '',
    port: 0,
    server,
    counted,
    upgrades: [],
    received: [],
    closedWith: [],
    open: () => sockets.clients.size,
  };
  const raws: Socket[] = [];
  server.on('upgrade', (request: IncomingMessage, raw: Socket, head: Buffer) => {
    raws.push(raw);
    raw.on('error', () => undefined);
    service.upgrades.push({ path: request.url ?? '', headers: request.headers });
    if (upgrade(request, raw, count('upgrades'))) return;
    sockets.handleUpgrade(request, raw, head, (ws) => {
      const say = (frame: object): void => ws.send(JSON.stringify(frame));
      const served: ServedSocket = { ws, raw, number: count('sockets'), say, reply: replyOver(say) };
      ws.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Frame;
        service.received.push(frame);
        if (frame.type === 'cancel') {
          count('cancels');
          cancel?.(served, frame);
        } else message(served, frame, count('messages'));
      });
      ws.on('close', (code) => service.closedWith.push(code));
      ws.on('error', () => undefined);
      open(served);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    for (const raw of raws) raw.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  service.port = (server.address() as AddressInfo).port;
  service.baseUrl = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${String(service.port)}`;
  return service;
}

const welcome = ({ say, number }: ServedSocket): void => say({ type: 'ready', sessionId: `s-${String(number)}` });

export const answer: NonNullable<Script['message']> = ({ reply }, { id }) => reply(id);

const replyOver =
  (say: (frame: object) => void) =>
  (id: string | undefined, text = 'It is on its way.'): void => {
    const third = Math.ceil(text.length / 3);
    say({ type: 'typing' });
    for (let at = 0; at < text.length; at += third) say({ type: 'delta', id, text: text.slice(at, at + third) });
    say({ type: 'done', id, text, usage: { inputTokens: 5, outputTokens: 3 } });
  };

/** Answers an upgrade with a response of HTTP. */
export function refuseUpgrade(raw: Socket, status: number, body: object, headers: Record<string, string> = {}): true {
  const text = JSON.stringify(body);
  const fields = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  raw.end([`HTTP/1.1 ${String(status)} Refused`, ...lines, '', text].join('\r\n'));
  return true;
}
