import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createSecureServer, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { root } from './command.ts';

const fixture = (name: string): string => join(root, 'test/fixtures', `test-only-localhost.${name}.pem`);

/** Authority of its certificate, which is for localhost. */
export const judgeCa = fixture('cert');

/** A service that keeps the heads of requests, and its own counts. */
export interface HeadsJudge {
  baseUrl: string;
  port: number;
  /** The heads of requests, in order. */
  heads: IncomingHttpHeaders[];
  /** The requested TLS server name of each connection. */
  names: string[];
  resumed: number;
  connections: number;
}

interface JudgeOptions {
  /** The only protocol that it accepts. */
  kind: 'http' | 'https' | 'h2' | 'h2c';
  /** The path of a Unix socket instead of a port. */
  unixSocket?: string;
  /** The `Set-Cookie` lines of creations; later creations have none. */
  setCookie?: (session: number) => string[];
  /** Which requests get 401. */
  refuses?: (head: IncomingHttpHeaders) => boolean;
}

/** Runs for one test. Sessions are created and messages answered as chat-messaging has it. */
export async function openHeadsJudge(options: JudgeOptions): Promise<HeadsJudge> {
  const { kind, unixSocket } = options;
  const judge: HeadsJudge = { baseUrl: '', port: 0, heads: [], names: [], resumed: 0, connections: 0 };
  const server = serverOf(kind, (request, response) => void answer(judge, options, { request, response }));
  const sockets: Socket[] = [];
  server.on(kind === 'h2' || kind === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.push(socket);
    judge.connections++;
    if (!(socket instanceof TLSSocket)) return;
    judge.names.push(String((socket as TLSSocket & { servername?: unknown }).servername));
    if (socket.isSessionReused()) judge.resumed++;
  });
  await new Promise<void>((resolve) => {
    if (unixSocket === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(unixSocket, resolve);
  });
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  judge.port = unixSocket === undefined ? (server.address() as AddressInfo).port : 80;
  judge.baseUrl = `${kind === 'h2' || kind === 'https' ? 'https' : 'http'}://localhost:${String(judge.port)}`;
  return judge;
}

interface Exchange {
  request: IncomingMessage | Http2ServerRequest;
  response: ServerResponse | Http2ServerResponse;
}

function serverOf(
  kind: JudgeOptions['kind'],
  serve: (request: Exchange['request'], response: Exchange['response']) => void,
): Server {
  const identity = { key: readFileSync(fixture('key')), cert: readFileSync(judgeCa) };
  if (kind === 'http') return createHttpServer(serve);
  if (kind === 'https') return createHttpsServer(identity, serve);
  return kind === 'h2c' ? createServer(serve) : createSecureServer({ ...identity, allowHTTP1: false }, serve);
}

async function answer(
  judge: HeadsJudge,
  { setCookie, refuses }: JudgeOptions,
  { request, response }: Exchange,
): Promise<void> {
  const number = judge.heads.push(request.headers);
  const given = JSON.parse((await text(request)) || '{}') as Record<string, string>;
  const { message, sessionId = `s${String(number)}` } = given;
  const isRefused = refuses?.(request.headers) === true;
  if (message === undefined && setCookie !== undefined) response.setHeader('Set-Cookie', setCookie(number));
  response.setHeader('Content-Type', 'application/json');
  response.statusCode = isRefused ? 401 : message === undefined ? 201 : 200;
  const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  const data = { response: 'Hi.', chatId: `c${String(number)}`, sessionId, isSession: true, ...dates };
  response.end(JSON.stringify(isRefused ? { success: false, error: 'Unauthorized' } : { success: true, data }));
}
