import { readFileSync } from 'node:fs';
import { createSecureServer, createServer, type Http2Server, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { root } from './command.ts';

const fixture = (name: string): string => join(root, 'test/fixtures', `test-only-localhost.${name}.pem`);

/** The authority of its certificate, which is for localhost. */
export const judgeCa = fixture('cert');

/** A service over HTTP/2 that keeps counts of its own. */
export interface Http2Judge {
  baseUrl: string;
  port: number;
  /** The heads of requests, in order. */
  heads: Http2ServerRequest['headers'][];
  /** The names that TLS asked for, of each connection. */
  names: string[];
  resumed: number;
  connections: number;
}

interface JudgeOptions {
  kind: 'h2' | 'h2c';
  /** The path of a Unix socket in place of a port. */
  unixSocket?: string;
  /** The `Set-Cookie` lines of creations; later ones get none. */
  setCookie?: (session: number) => string[];
  /** Which requests get 401. */
  refuses?: (head: Http2ServerRequest['headers']) => boolean;
}

/** Speaks HTTP/2 and nothing else, for one test. */
export async function openHttp2Judge({ kind, unixSocket, setCookie, refuses }: JudgeOptions): Promise<Http2Judge> {
  const judge: Http2Judge = { baseUrl: '', port: 0, heads: [], names: [], resumed: 0, connections: 0 };
  const server: Http2Server =
    kind === 'h2c'
      ? createServer()
      : createSecureServer({ key: readFileSync(fixture('key')), cert: readFileSync(judgeCa), allowHTTP1: false });
  const close: (() => void)[] = [];
  server.on('session', (session) => {
    close.push(() => session.destroy());
    judge.connections++;
    const { socket } = session;
    if (!(socket instanceof TLSSocket)) return;
    judge.names.push(String((socket as TLSSocket & { servername?: unknown }).servername));
    if (socket.isSessionReused()) judge.resumed++;
  });
  server.on('request', (request, response) => {
    const number = judge.heads.push(request.headers);
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const { message, sessionId = `s${String(number)}` } = JSON.parse(text) as Record<string, string>;
      const isMessage = message !== undefined;
      const isRefused = refuses?.(request.headers) === true;
      if (!isMessage) response.setHeader('Set-Cookie', setCookie?.(number) ?? []);
      response.writeHead(isRefused ? 401 : isMessage ? 200 : 201, { 'Content-Type': 'application/json' });
      const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
      const chatId = `c${String(number)}`;
      const data = { response: 'Hi.', chatId, sessionId, isSession: true, ...dates };
      response.end(JSON.stringify(isRefused ? { success: false, error: 'Unauthorized' } : { success: true, data }));
    });
  });
  await new Promise<void>((resolve) => {
    if (unixSocket === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(unixSocket, resolve);
  });
  onTestFinished(() => {
    close.forEach((each) => each());
    server.close();
  });
  judge.port = unixSocket === undefined ? (server.address() as AddressInfo).port : 80;
  judge.baseUrl = `${kind === 'h2' ? 'https' : 'http'}://localhost:${String(judge.port)}`;
  return judge;
}
