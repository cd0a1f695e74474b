import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';

/** Behaviour of the relay for a message, in place of a reply. */
type RelayFault = 'break' | 'broken frame' | 'text frame' | 'silence' | 'refuse' | number;

/** Settings of the relay. */
interface Relay {
  faultOf?: (nth: number) => RelayFault | undefined;
  /** Status with which upgrades are refused; `silent`: they are not answered. */
  upgrades?: number | 'silent';
  /** Returns the URL of the socket of a room. */
  urlOf?: (path: string, port: number) => string;
  /** The frame that the relay awaits before it announces that a socket is ready. */
  awaits?: string;
  /** Closes sockets after their first reply, between two turns. */
  hangsUp?: boolean;
}

/**
 * Opens a service that acknowledges messages over HTTP, and sends their replies over the WebSocket of their room, before
 * or after the acknowledgement, among frames of others.
 */
export async function openSocketRelay({ faultOf, upgrades, urlOf, awaits, hangsUp = false }: Relay = {}) {
  const counted: Record<string, number> = {};
  const heads: IncomingMessage['headers'][] = [];
  const closeCodes: number[] = [];
  const count = (name: string): number => (counted[name] = (counted[name] ?? 0) + 1);
  const rooms = new Map<string, WebSocket>();
  const sockets = new WebSocketServer({ noServer: true });
  const portOf = (): number => (server.address() as AddressInfo).port;
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      const say = (status: number, value: object): void => {
        answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
      };
      if (request.url === '/api/rooms') {
        const id = `r${String(count('rooms'))}`;
        const path = `/api/rooms/${id}/socket?t=ticket-${id}`;
        return say(201, { id, streamUrl: urlOf?.(path, portOf()) ?? `ws://127.0.0.1:${String(portOf())}${path}` });
      }
      const { room = '', text: said = '' } = JSON.parse(body || '{}') as { room?: string; text?: string };
      const nth = count('messages');
      const fault = faultOf?.(nth);
      if (fault === 'refuse') return say(503, { error: 'busy' });
      const socket = rooms.get(room);
      const push = (frame: object | string): void =>
        socket?.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
      const id = `m${String(nth)}`;
      push({ items: [{ replyTo: 'another', text: 'Not for you.', last: true }] });
      push('');
      const reply = (): void => {
        if (fault === 'break') return socket?.terminate();
        if (fault === 'silence') return;
        if (fault === 'text frame') return push('oops');
        // A frame with a reserved opcode.
        if (fault === 'broken frame') return void rawOf(socket)?.write(Buffer.from([0x83, 0x00]));
        push({ items: [{ replyTo: id, text: 'You said ' }] });
        if (typeof fault === 'number') return socket?.close(fault, 'no more');
        push({ items: [{ replyTo: id, text: said, last: true }] });
        if (hangsUp && nth === 1) setTimeout(() => socket?.close(1001), 5);
      };
      const isEarly = nth % 2 === 0;
      if (isEarly) reply();
      setTimeout(() => say(202, { id }), isEarly ? 20 : 0);
      if (!isEarly) setTimeout(reply, 30);
    });
  });
  server.on('upgrade', (request, raw, head) => {
    count('upgrades');
    heads.push(request.headers);
    if (upgrades === 'silent') return;
    if (upgrades !== undefined) return void raw.end(`HTTP/1.1 ${String(upgrades)} No\r\nContent-Length: 0\r\n\r\n`);
    const [, room = ''] = /rooms\/([^/]+)\/socket/.exec(request.url ?? '') ?? [];
    sockets.handleUpgrade(request, raw, head, (socket) => {
      const isReady = awaits === undefined;
      if (isReady) rooms.set(room, socket);
      socket.on('ping', () => count('pings'));
      socket.on('message', (data: Buffer) => {
        if (data.toString() !== awaits) return;
        rooms.set(room, socket);
        socket.send('{"hello":true}');
        setTimeout(() => socket.send('{"ready":true}'), 10);
      });
      socket.on('close', (code) => closeCodes.push(code));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close().closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${String(portOf())}/api`, counted, heads, closeCodes };
}

const rawOf = (socket: WebSocket | undefined): Socket | undefined =>
  (socket as unknown as { _socket?: Socket } | undefined)?._socket;
