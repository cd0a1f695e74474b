import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TlsOptions } from 'node:tls';

/** Action on a socket instead of an answer. */
export type Act = (socket: Socket) => void;

export interface Spoiling {
  /** Sent instead of the answer to a message that contains the word `bad`. */
  message?: Act;
  /** With every third connection, before anything is read from it. */
  connection?: Act;
  tls?: TlsOptions;
}

export interface SpoiltService {
  baseUrl: string;
  /** The first lines of all requests. */
  asked: string[];
  server: Server | TlsServer;
  /** Stops listening and drops every connection. */
  down(): Promise<void>;
  /** Listens on the same port again. */
  up(): Promise<void>;
}

/** Opens a service that implements the API byte by byte, except for one fault. On a free port. */
export async function openSpoiltService(spoiling: Spoiling): Promise<SpoiltService> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  let accepted = 0;
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined); // Whoever is treated badly may hang up.
    accepted += 1;
    if (spoiling.connection !== undefined && accepted % 3 === 0) spoiling.connection(socket);
    else listenTo(socket, { spoiling, asked });
  };
  const { tls } = spoiling;
  const options = { allowHalfOpen: true, noDelay: true };
  const server = tls === undefined ? createTcpServer(options, serve) : createTlsServer({ ...options, ...tls }, serve);
  // Includes the sockets below TLS, whose handshakes may never end.
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  server.on('tlsClientError', () => undefined); // Clients that do not trust the service disconnect; the tests check the clients' errors.
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const down = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const scheme = tls === undefined ? 'http://127.0.0.1' : 'https://localhost';
  return { baseUrl: `${scheme}:${String(port)}`, asked, server, down, up: () => listen(port) };
}

function listenTo(socket: Socket, { spoiling, asked }: { spoiling: Spoiling; asked: string[] }): void {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    for (let end = endOfFirst(text); end !== -1; end = endOfFirst(text)) {
      const whole = text.slice(0, end);
      text = text.slice(end);
      asked.push(whole.slice(0, whole.indexOf('\r\n')));
      answer(socket, whole, spoiling);
    }
  });
  socket.on('end', () => socket.end());
}

function answer(socket: Socket, whole: string, { message: spoil }: Spoiling): void {
  const { message } = JSON.parse(whole.slice(whole.indexOf('\r\n\r\n'))) as { message?: string };
  if (message === undefined) socket.write(response(JSON.stringify({ data: { sessionId: 's' } }), '201 Created'));
  else if (message.includes('bad') && spoil !== undefined) spoil(socket);
  else socket.write(response(JSON.stringify(goodReply())));
}

function endOfFirst(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  const end = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return head !== -1 && text.length >= end ? end : -1;
}

let chats = 0;

/** A reply that keeps the contract; fields of `data` may be added or taken another value. */
export function goodReply(more: Readonly<Record<string, unknown>> = {}): { success: true; data: object } {
  const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  chats += 1;
  return {
    success: true,
    data: { response: 'Hello', chatId: `c${String(chats)}`, sessionId: 's', isSession: true, ...dates, ...more },
  };
}

/** A whole response with a length. `head` are lines of its head, each with its line break. */
export function response(body: string, status = '200 OK', head = ''): string {
  return `HTTP/1.1 ${status}\r\n${head}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}
