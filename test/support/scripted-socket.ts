import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Raw } from '../gallery/row.ts';
import type { Arrival, Played, ScriptedVendor } from './scripted-vendor.ts';

/**
 * Opens a server over WebSocket for one test. Each `response.create` is answered by the next step of the script, the last
 * one again and again; an upgrade is refused if the next step is a response of HTTP. `greeting` answers `session.update`.
 */
export async function openSocketVendor(script: readonly Played[], greeting?: Raw): Promise<ScriptedVendor> {
  const arrivals: Arrival[] = [];
  let left = 0;
  const server = createServer((_, response) => void response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true });
  const next = (): Played | undefined => script[Math.min(arrivals.length, script.length - 1)];
  server.on('upgrade', (request: IncomingMessage, raw: Socket, head: Buffer) => {
    raw.on('error', () => undefined);
    const { url: path = '', method = '', headers } = request;
    const step = next();
    if (step !== undefined && step.raw.status !== 101) {
      arrivals.push({ method, path, headers, body: '' });
      return refuse(raw, step.raw);
    }
    sockets.handleUpgrade(request, raw, head, (ws) => {
      let sent: string[] = [];
      let isHeld = false;
      const leave = (): void => {
        if (isHeld) left++;
        isHeld = false;
      };
      ws.on('message', (data: Buffer) => {
        const text = data.toString();
        const { type } = JSON.parse(text) as { type: string };
        if (type === 'response.cancel') return leave();
        if (type === 'session.update') return greeting && void play({ ws, raw }, { raw: greeting, number: 0 });
        sent.push(text);
        if (type !== 'response.create') return;
        const now = next();
        arrivals.push({ method, path, headers, body: `[${sent.join()}]` });
        sent = [];
        isHeld = now?.then === 'hold';
        if (now !== undefined) void play({ ws, raw }, { ...now, number: arrivals.length });
      });
      ws.on('close', leave);
      ws.on('error', () => undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const ws of sockets.clients) ws.terminate();
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${String(port)}`, arrivals, left: () => left };
}

function refuse(raw: Socket, { status, headers, body }: Raw): void {
  const fields = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  raw.end([`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body.toString()].join('\r\n'));
}

async function play(
  { ws, raw }: { ws: WebSocket; raw: Socket },
  { raw: { body }, then, step = Infinity, number }: Played & { number: number },
): Promise<void> {
  const lines = body.toString().replaceAll('#N#', String(number)).split('\n');
  const bytes = Buffer.concat(lines.map(frameWith));
  for (let at = 0; at < bytes.length && !raw.destroyed; at += step) {
    raw.write(bytes.subarray(at, at + step));
    // The client is in this process: it reads before two turns of the loop have passed.
    await turnOfLoop();
    await turnOfLoop();
  }
  if (then === 'break') raw.destroy();
  if (then === 'end') ws.close(1000);
}

/** Returns a text frame of a server. */
function frameWith(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : 4);
  head[0] = 0x81;
  head[1] = Math.min(payload.length, 126);
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
