import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished, vi } from 'vitest';
import { ms, type Clock } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { openSender, type Sender, type SenderOptions } from '../../src/edge/http/open-sender.ts';
import { authorize, messageOf } from './requests.ts';
import { patient } from './deadline.ts';

/** A received request: head and body, latin1. */
export interface Arrival {
  text: string;
  socket: Socket;
  /** From 1, over all connections. */
  number: number;
}

/** A server that answers every complete request as a test decides, byte by byte if required. */
export interface Peer {
  port: number;
  arrivals: Arrival[];
  /** Sockets that were accepted, in order. */
  sockets: Socket[];
}

type Answer = (arrival: Arrival) => void | Promise<void>;

/** Runs for one test. With `tls` it speaks TLS. */
export async function openPeer(answer: Answer, tls?: TlsOptions): Promise<Peer> {
  const peer: Peer = { port: 0, arrivals: [], sockets: [] };
  const serve = (socket: Socket): void => serveSocket({ peer, socket, answer });
  const server = tls === undefined ? createTcpServer(serve) : createTlsServer(tls, serve);
  server.on('tlsClientError', () => undefined); // A client that trusts no certificate hangs up: its own message counts.
  peer.port = await listen(server);
  onTestFinished(() => stop(server, peer));
  return peer;
}

const serveSocket = ({ peer, socket, answer }: { peer: Peer; socket: Socket; answer: Answer }): void => {
  peer.sockets.push(socket);
  socket.setNoDelay(true);
  socket.on('error', () => undefined); // Clients may cut a connection; the tests examine the client's side.
  let waiting = '';
  socket.on('data', (bytes) => {
    waiting += bytes.toString('latin1');
    for (let end = endOfRequest(waiting); end !== undefined; end = endOfRequest(waiting)) {
      const arrival = { text: waiting.slice(0, end), socket, number: peer.arrivals.length + 1 };
      waiting = waiting.slice(end);
      peer.arrivals.push(arrival);
      void answer(arrival);
    }
  });
};

const endOfRequest = (text: string): number | undefined => {
  const head = text.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return head !== -1 && text.length >= head + 4 + length ? head + 4 + length : undefined;
};

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** A port of this machine on which nothing listens. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const stop = async (server: Server, peer: Peer): Promise<void> => {
  for (const socket of peer.sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
};

/** A sender for one test, towards a peer on this machine. */
export function openTestSender(port: number, options: Partial<SenderOptions> = {}): Sender {
  const sender = openSender(testSenderOptions(port, options));
  onTestFinished(() => sender.close());
  return sender;
}

export function testSenderOptions(port: number, options: Partial<SenderOptions> = {}): SenderOptions {
  return {
    baseUrl: new URL(`http://127.0.0.1:${String(port)}`),
    apiKey: 'sk-test-key',
    authorize,
    toolVersion: '1.2.3',
    timeoutMs: ms(20_000),
    connectTimeoutMs: ms(10_000),
    idleConnectionMs: ms(60_000),
    maxHeadBytes: 64 * 1024,
    maxBodyBytes: 16 * 1024 * 1024,
    clock: systemClock,
    ...options,
  };
}

/** Sends one message as a session would. */
export function sendOne(sender: Sender, body = '{}', clock: Clock = systemClock): ReturnType<Sender['send']> {
  return sender.send(messageOf(body), clock.now());
}

/** A whole response with a length. `lines` are headers. */
export function response(body: string, { status = '200 OK', lines = [] as string[] } = {}): string {
  return [`HTTP/1.1 ${status}`, ...lines, `Content-Length: ${String(Buffer.byteLength(body))}`, '', body].join('\r\n');
}

/** Lets the event loop turn until `claim` holds. */
export function eventually(claim: () => boolean): Promise<void> {
  return vi.waitUntil(claim, { ...patient, interval: 2 }).then(() => undefined);
}
