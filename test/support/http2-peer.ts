import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** Types of frames (RFC 9113, section 6). */
const frameType = { data: 0, headers: 1, reset: 3, settings: 4, promise: 5, ping: 6, goAway: 7 };
const nothing: Buffer = Buffer.alloc(0);
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A whole request on one stream. */
export interface Http2Arrival {
  connection: Http2Wire;
  stream: number;
  body: string;
  /** From 1, over all connections. */
  number: number;
}

/** Writes frames to one connection, byte by byte if need be: what servers of Node.js would never send too. */
class Http2Wire {
  readonly socket: Socket;
  /** Streams begun by the client. */
  streams = 0;
  /** Streams that the client reset, with the code. */
  readonly resets: { stream: number; code: number }[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
  }

  frame(
    type: number,
    stream: number,
    { flags = 0, payload = nothing }: { flags?: number; payload?: Buffer } = {},
  ): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    this.socket.write(Buffer.concat([head, payload]));
  }

  settings(values: Readonly<Record<number, number>> = {}): void {
    const payload = Buffer.alloc(6 * Object.keys(values).length);
    Object.entries(values).forEach(([id, value], index) => {
      payload.writeUInt16BE(Number(id), 6 * index);
      payload.writeUInt32BE(value, 6 * index + 2);
    });
    this.frame(frameType.settings, 0, { payload });
  }

  /** A head: names and values as literals, never indexed; a status of three digits first. */
  head(stream: number, fields: readonly (readonly [string, string])[], isEnd = false): void {
    const payload = Buffer.concat(fields.map(([name, value]) => literal(name, value)));
    this.frame(frameType.headers, stream, { flags: 4 | (isEnd ? 1 : 0), payload });
  }

  data(stream: number, text: string | Buffer, isEnd = false): void {
    this.frame(frameType.data, stream, { flags: isEnd ? 1 : 0, payload: Buffer.from(text) });
  }

  /** A whole response. */
  answer(stream: number, body: string | Buffer, fields: readonly (readonly [string, string])[] = []): void {
    this.head(stream, [[':status', '200'], ...fields]);
    this.data(stream, body, true);
  }

  reset(stream: number, code: number): void {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(code);
    this.frame(frameType.reset, stream, { payload });
  }

  /** Promises to push stream 2. */
  promise(stream: number): void {
    const payload = Buffer.from([0, 0, 0, 2, 0x82]);
    this.frame(frameType.promise, stream, { flags: 4, payload });
  }

  goAway(lastStream: number, code = 0): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(lastStream);
    payload.writeUInt32BE(code, 4);
    this.frame(frameType.goAway, 0, { payload });
  }
}

const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0x10]), stringOf(name), stringOf(value)]);

/** A string of HPACK, not Huffman coded (RFC 7541, section 5.2). */
const stringOf = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([lengthOf(bytes.length), bytes]);
};

const lengthOf = (length: number): Buffer => {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
};

export interface Http2Peer {
  port: number;
  connections: Http2Wire[];
  arrivals: Http2Arrival[];
}

interface PeerOptions {
  tls?: TlsOptions;
  /** Values of SETTINGS, keyed by their number (RFC 9113, section 6.5.2); `null` sends none. */
  settings?: Readonly<Record<number, number>> | null;
  /** Sends something in one piece with them: clients take it before they have written anything. `number`: from 1. */
  greet?: (connection: Http2Wire, number: number) => void;
  /** Answers as soon as the head of a request has arrived, without its body. */
  answersHeads?: boolean;
}

/** Opens an HTTP/2 server for one test, which answers every complete request as the test decides, frame by frame. */
export async function openHttp2Peer(
  answer: (arrival: Http2Arrival) => void,
  { tls, settings = {}, greet, answersHeads = false }: PeerOptions = {},
): Promise<Http2Peer> {
  const peer: Http2Peer = { port: 0, connections: [], arrivals: [] };
  const serve = (socket: Socket): void => {
    const connection = new Http2Wire(socket);
    peer.connections.push(connection);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // Clients may cut a connection; the tests examine the client's side.
    if (settings === null) return void socket.resume(); // It sends nothing at all.
    socket.cork();
    connection.settings(settings);
    greet?.(connection, peer.connections.length);
    socket.uncork();
    readFrames(connection, answersHeads, (stream, body) => {
      const arrival = { connection, stream, body, number: peer.arrivals.length + 1 };
      peer.arrivals.push(arrival);
      answer(arrival);
    });
  };
  const server = tls === undefined ? createTcpServer(serve) : createTlsServer({ ALPNProtocols: ['h2'], ...tls }, serve);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  peer.port = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    for (const { socket } of peer.connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return peer;
}

function readFrames(
  connection: Http2Wire,
  answersHeads: boolean,
  request: (stream: number, body: string) => void,
): void {
  let waiting: Buffer = Buffer.alloc(0);
  let hasPreface = false;
  const bodies = new Map<number, string>();
  const take = (type: number, flags: number, { stream, payload }: { stream: number; payload: Buffer }): void => {
    if (type === frameType.headers) {
      connection.streams++;
      bodies.set(stream, '');
    }
    if (type === frameType.data) bodies.set(stream, (bodies.get(stream) ?? '') + payload.toString());
    if (type === frameType.reset) connection.resets.push({ stream, code: payload.readUInt32BE() });
    if (type === frameType.settings && (flags & 1) === 0) connection.frame(frameType.settings, 0, { flags: 1 });
    if (type === frameType.ping && (flags & 1) === 0) connection.frame(frameType.ping, 0, { flags: 1, payload });
    const isRequest = type === frameType.headers || (type === frameType.data && !answersHeads);
    if (isRequest && (answersHeads || (flags & 1) === 1)) request(stream, bodies.get(stream) ?? '');
  };
  connection.socket.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    if (!hasPreface && waiting.length >= preface.length) {
      hasPreface = true;
      waiting = waiting.subarray(preface.length);
    }
    while (hasPreface && waiting.length >= 9 && waiting.length >= 9 + waiting.readUIntBE(0, 3)) {
      const end = 9 + waiting.readUIntBE(0, 3);
      const [type = 0, flags = 0] = [waiting[3], waiting[4]];
      const stream = waiting.readUInt32BE(5) & 0x7fffffff;
      const payload = Buffer.from(waiting.subarray(9, end));
      waiting = waiting.subarray(end);
      take(type, flags, { stream, payload });
    }
  });
}
