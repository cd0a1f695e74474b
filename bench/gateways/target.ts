import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

/**
 * A target that speaks HTTP/1.1 and HTTP/2 on one port, in clear text or with TLS, sets a cookie on every session, and
 * compresses responses for clients that accept it. It counts, and reports the counts to its parent.
 */
const { values } = parseArgs({ options: { cert: { type: 'string' }, key: { type: 'string' } } });
const counts = { created: 0, turns: 0, inFlight: 0, maxInFlight: 0, connections: 0, maxConnections: 0 };
const rest = {
  isSession: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  cost: 0.0001,
};
const filler = 'It left the warehouse this morning. '.repeat(8);

type Asked = IncomingMessage | Http2ServerRequest;
type Answering = ServerResponse | Http2ServerResponse;

function serve(request: Asked, response: Answering): void {
  let text = '';
  request.setEncoding('latin1');
  request.on('data', (piece: string) => (text += piece));
  request.on('end', () => {
    if (request.url?.endsWith('/sessions') === true) return greet(response);
    const sessionId = /"sessionId":"([^"]*)"/.exec(text)?.[1] ?? '';
    const chatId = `chat-${String(1e11 + counts.turns++)}`;
    const body = JSON.stringify({ success: true, data: { response: filler, chatId, sessionId, ...rest } });
    reply(response, body, String(request.headers['accept-encoding']).includes('gzip'));
  });
}

function greet(response: Answering): void {
  const sessionId = `s-${String(1e13 + ++counts.created)}`;
  response.setHeader('Set-Cookie', `sticky=${sessionId}; Path=/`);
  response.statusCode = 201;
  reply(response, JSON.stringify({ success: true, data: { sessionId } }), false);
}

function reply(response: Answering, text: string, compresses: boolean): void {
  const body = compresses ? gzipSync(text, { level: 1 }) : Buffer.from(text);
  if (compresses) response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', body.length);
  (response as ServerResponse).end(body);
}

/** Opens a clear-text server that detects HTTP/2 by its connection preface. */
function openClear(): ReturnType<typeof createServer> {
  const [http1, http2] = [createHttpServer(serve), createHttp2Server({}, serve)];
  http1.keepAliveTimeout = 0;
  return createServer((socket: Socket) => {
    socket.setNoDelay(true);
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      (first.toString('latin1', 0, 3) === 'PRI' ? http2 : http1).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  });
}

const openSecure = (cert: string, key: string): ReturnType<typeof createSecureServer> =>
  createSecureServer({ cert: readFileSync(cert), key: readFileSync(key), allowHTTP1: true }, serve);

const { cert, key } = values;
const server = cert === undefined || key === undefined ? openClear() : openSecure(cert, key);
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('message', () => process.send?.(counts));
process.on('disconnect', () => process.exit());
