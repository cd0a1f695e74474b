import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

// HTTP/1.1 on plain sockets, so that an agent under test shares no code with the product or its libraries.

export type PlainHeaders = Readonly<Record<string, string>>;

/** The head of a request or a response: the parts of its first line, and its fields by their names in lower case. */
interface PlainHead {
  line: readonly string[];
  headers: PlainHeaders;
}

interface Listener {
  head(head: PlainHead): void;
  text(text: string): void;
  end(): void;
}

/** Reads messages one after another: with a length, in chunks, or up to the end of the connection. */
class MessageReader {
  readonly #listener: Listener;
  #bytes: Buffer = Buffer.alloc(0);
  #state: 'head' | 'length' | 'size' | 'chunk' | 'trailer' | 'close' = 'head';
  /** Bytes left of the body or of the chunk. */
  #left = 0;
  #decoder = new TextDecoder();

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#step());
  }

  /** Takes the end of the connection. */
  finish(): void {
    if (this.#state === 'close') this.#end();
  }

  #step(): boolean {
    if (this.#state === 'head') return this.#takeHead();
    if (this.#state === 'size') return this.#takeSize();
    if (this.#state === 'trailer') return this.#takeLine() !== undefined && this.#end();
    if (this.#bytes.length === 0) return false;
    const taken = this.#bytes.subarray(0, this.#state === 'close' ? undefined : this.#left);
    this.#bytes = this.#bytes.subarray(taken.length);
    this.#left -= taken.length;
    this.#listener.text(this.#decoder.decode(taken, { stream: true }));
    if (this.#left > 0 || this.#state === 'close') return true;
    if (this.#state === 'length') return this.#end();
    this.#state = 'size';
    return true;
  }

  #takeHead(): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const [first = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    this.#bytes = this.#bytes.subarray(end + 4);
    const fields = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
    const headers = Object.fromEntries(fields);
    this.#decoder = new TextDecoder();
    this.#listener.head({ line: first.split(' '), headers });
    const { 'content-length': length, 'transfer-encoding': coding } = headers;
    if (coding === 'chunked') this.#state = 'size';
    else if (length === undefined && first.startsWith('HTTP/')) this.#state = 'close';
    else {
      this.#left = Number(length ?? 0);
      if (this.#left === 0) return this.#end();
      this.#state = 'length';
    }
    return true;
  }

  /** Takes the line before a chunk; the line break after the chunk before it is an empty line. */
  #takeSize(): boolean {
    const line = this.#takeLine();
    if (line === undefined) return false;
    if (line === '') return true;
    this.#left = Number.parseInt(line, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    return true;
  }

  #takeLine(): string | undefined {
    const end = this.#bytes.indexOf('\r\n');
    if (end === -1) return undefined;
    const line = this.#bytes.toString('latin1', 0, end);
    this.#bytes = this.#bytes.subarray(end + 2);
    return line;
  }

  #end(): boolean {
    this.#state = 'head';
    this.#listener.end();
    return true;
  }
}

const writeHead = (line: string, headers: PlainHeaders): string =>
  [line, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n');

/** A request that was read. */
export interface PlainRequest extends PlainHead {
  text: string;
}

/** The response to one request: with a length, or in chunks after `begin`. */
export class PlainResponse {
  /** Called if the client closes the connection before the end. */
  onGone: () => void = () => undefined;
  isBegun = false;
  isOver = false;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  whole(status: number, type: string, text: string): void {
    if (this.isOver) return;
    this.isOver = true;
    const length = String(Buffer.byteLength(text));
    this.#socket.write(
      writeHead(`HTTP/1.1 ${String(status)} Status`, { 'content-type': type, 'content-length': length }) + text,
    );
  }

  begin(type: string): void {
    this.isBegun = true;
    if (this.isOver) return;
    this.#socket.write(writeHead('HTTP/1.1 200 OK', { 'content-type': type, 'transfer-encoding': 'chunked' }));
  }

  write(text: string): void {
    if (this.isOver) return;
    this.#socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#socket.write('0\r\n\r\n');
  }

  gone(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onGone();
  }
}

/** Opens a server on this machine. */
export async function openPlainServer(
  serve: (request: PlainRequest, response: PlainResponse) => void,
): Promise<{ baseUrl: string; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let request: PlainRequest = { line: [], headers: {}, text: '' };
    let response: PlainResponse | undefined;
    const reader = new MessageReader({
      head: (head) => (request = { ...head, text: '' }),
      text: (text) => (request.text += text),
      end: () => {
        response = new PlainResponse(socket);
        serve(request, response);
      },
    });
    socket.on('data', (bytes) => reader.take(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      response?.gone();
    });
  });
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 });
  await once(server, 'listening');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, close };
}

interface PlainCall {
  path: string;
  headers: PlainHeaders;
  text: string;
  signal?: AbortSignal | undefined;
  onHead: (status: number, headers: PlainHeaders) => void;
  onText: (text: string) => void;
}

/** A client that keeps its connections, one request at a time on each. */
export class PlainClient {
  readonly #idle = new Map<string, Link[]>();
  readonly #links = new Set<Link>();

  /** Sends a request. Resolves with true after a complete response, with false if the connection was lost or closed. */
  async post(origin: string, call: PlainCall): Promise<boolean> {
    const idle = this.#idle.get(origin) ?? [];
    this.#idle.set(origin, idle);
    const link = idle.pop() ?? this.#open(origin, idle);
    const isWhole = await link.post(call);
    if (isWhole) idle.push(link);
    else link.close();
    return isWhole;
  }

  close(): void {
    for (const link of this.#links) link.close();
  }

  #open(origin: string, idle: Link[]): Link {
    const link = new Link(origin, () => {
      this.#links.delete(link);
      const at = idle.indexOf(link);
      if (at !== -1) idle.splice(at, 1);
    });
    this.#links.add(link);
    return link;
  }
}

/** One connection of a client. */
class Link {
  readonly #host: string;
  readonly #socket: Socket;
  #call: PlainCall | undefined;
  #done: (isWhole: boolean) => void = () => undefined;

  constructor(origin: string, closed: () => void) {
    const { hostname, port, host } = new URL(origin);
    this.#host = host;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const reader = new MessageReader({
      head: ({ line: [, status], headers }) => this.#call?.onHead(Number(status), headers),
      text: (text) => this.#call?.onText(text),
      end: () => this.#end(true),
    });
    this.#socket.on('data', (bytes) => reader.take(bytes));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      closed();
      reader.finish();
      this.#end(false);
    });
  }

  post(call: PlainCall): Promise<boolean> {
    const { path, headers, text, signal } = call;
    return new Promise((resolve) => {
      this.#call = call;
      this.#done = resolve;
      if (signal?.aborted === true) return this.#end(false);
      const leave = (): void => this.#end(false);
      signal?.addEventListener('abort', leave, { once: true });
      this.#done = (isWhole) => {
        signal?.removeEventListener('abort', leave);
        resolve(isWhole);
      };
      const own = { host: this.#host, 'content-length': String(Buffer.byteLength(text)) };
      this.#socket.write(writeHead(`POST ${path} HTTP/1.1`, { ...own, ...headers }) + text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(isWhole: boolean): void {
    if (this.#call === undefined) return;
    this.#call = undefined;
    this.#done(isWhole);
  }
}
