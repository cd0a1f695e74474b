import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { encodings } from './encodings.ts';

interface Options {
  /** Secrets that it repeats: those that the client sends, or receives from it. */
  secrets: readonly string[];
  /** A cookie that it sets, as `name=value`. */
  setCookie?: string;
  /** Secrets that are known from the start: their ends are redacted too. */
  settled?: readonly string[];
  /** True to cut error messages within a secret. */
  cuts?: boolean;
  /** Number of the first message: it selects encodings and parts. */
  first?: number;
  /** Length of each body, if it is longer. */
  bodyLength?: number;
  /** True to refuse all sessions. */
  isClosed?: boolean;
  /** It answers no message before. */
  until?: Promise<void>;
  isHttp2?: boolean;
}

/** A service that repeats secrets in one encoding per message. */
export interface EncodingService {
  baseUrl: string;
  /** Heads of requests, in order. */
  readonly heads: IncomingMessage['headers'][];
}

type Response = ServerResponse | Http2ServerResponse;
interface Exchange {
  response: Response;
  /** A secret, encoded. */
  said: string;
  /** Encodes a part of it. */
  encode: (part: string) => string;
  /** Parts of a secret, if such parts are redacted. */
  beginning: string;
  tail: string;
  sessionId: string;
  filler: string;
}

const maxField = 15_000;
/** Returns a text as a field of a head may contain it; its end may be cut. */
const inField = (said: string): string => said.replace(/[\r\n]+ *|[^\t\x20-\xff]+/g, ' ').slice(0, maxField);

const createdAt = '2026-01-01T00:00:00.000Z';
const json =
  (
    status: number,
    bodyOf: (exchange: Exchange) => object,
    headOf: (said: string) => Record<string, string> = () => ({}),
  ) =>
  (exchange: Exchange): void => {
    const { response, said, filler } = exchange;
    for (const [name, value] of Object.entries(headOf(inField(said)))) response.setHeader(name, value);
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ ...bodyOf(exchange), filler }));
  };
const plain =
  (status: number, bodyOf: (exchange: Exchange) => string, contentType = 'text/plain') =>
  (exchange: Exchange): void => {
    exchange.response.statusCode = status;
    exchange.response.setHeader('Content-Type', contentType);
    exchange.response.end(`${bodyOf(exchange)}\n${exchange.filler}`);
  };
const replied = (text: string, sessionId: string): object => ({
  success: true,
  data: { response: text, chatId: 'c', sessionId, isSession: true, createdAt, updatedAt: createdAt },
});
const failed = (error: unknown): object => ({ success: false, error });

/** Writes a whole response of HTTP/1.1. */
const raw = (headOf: (said: string) => string) => (exchange: Exchange) => {
  if ('stream' in exchange.response) json(404, ({ said }) => failed({ detail: said }))(exchange);
  else exchange.response.socket?.end(`HTTP/1.1 ${headOf(inField(exchange.said))}\r\n\r\n`, 'latin1');
};

/** Parts of a response with a secret, by outcome: a run keeps ten examples of each. */
const parts: readonly (readonly ((exchange: Exchange) => void)[])[] = [
  [
    json(400, ({ said }) => failed(`the key ${said} is wrong`)),
    json(400, ({ said }) => failed({ message: said, code: said, [said]: said })),
    // The service cuts texts within the secret.
    json(400, ({ beginning, encode }) => failed(`the key ${encode(beginning)}`)),
    json(400, ({ tail, encode }) => failed(`${encode(tail)} is wrong`)),
  ],
  [
    json(404, ({ said }) => failed(said)),
    plain(404, ({ said }) => `<html><title>${said}</title>${said}</html>`, 'text/html'),
  ],
  [
    json(
      429,
      ({ said }) => failed(`quota of ${said}`),
      (said) => ({ 'Retry-After': said, 'X-Echo': said }),
    ),
  ],
  [
    json(
      500,
      ({ said }) => ({ errors: [{ detail: said }] }),
      (said) => ({ Location: said, 'WWW-Authenticate': said }),
    ),
  ],
  [plain(502, ({ said }) => said), plain(503, ({ said }) => `upstream said "${said}"`)],
  [
    json(
      302,
      ({ said }) => failed(said),
      (said) => ({ Location: `https://elsewhere.example/?key=${said}` }),
    ),
    raw((said) => `418 ${said}\r\nContent-Length: 0`),
  ],
  [
    plain(200, ({ said }) => `{"key":"${said}`),
    raw((said) => `200 OK\r\nContent-Length: ${said}`),
    raw((said) => `200 OK\r\nTransfer-Encoding: ${said}`),
    raw((said) => `200 OK\r\n${said}`),
    raw((said) => `200 OK\r\nContent-Encoding: ${said}\r\nContent-Length: 0`),
    plain(200, ({ said }) => said, 'text/plain; charset=utf-8'),
  ],
  [
    json(200, ({ said }) => replied('Hi.', said)),
    json(200, ({ said, sessionId }) => ({ data: { response: { said }, sessionId, [said]: said } })),
  ],
  // A check of the scenario throws the reply.
  [
    json(
      200,
      ({ said, sessionId }) => replied(`You said ${said}`, sessionId),
      (said) => ({ 'X-Echo': said }),
    ),
    json(200, ({ said, sessionId }) => replied(said, sessionId)),
  ],
];

/** Added by base64 of `user:KEY:x`. */
const addedAtEnd = encodings['in base64 for URLs']?.('') ?? '';

/** Number of messages after which each outcome was answered ten times. */
export const messagesOfService = 10 * parts.length;

/** Runs for one test. Its server accepts large heads. */
export async function openEncodings(options: Options): Promise<EncodingService> {
  const {
    secrets,
    setCookie,
    settled = secrets,
    cuts = false,
    isClosed = false,
    first = 0,
    bodyLength = 0,
    until,
    isHttp2 = false,
  } = options;
  const heads: EncodingService['heads'] = [];
  const names = Object.keys(encodings);
  const said = new Map<string, string>();
  let messages = 0;
  const serve = async (request: IncomingMessage | Http2ServerRequest, response: Response): Promise<void> => {
    heads.push(request.headers);
    const { message, sessionId = `s${String(heads.length)}` } = JSON.parse(await text(request)) as Record<
      string,
      string
    >;
    if (message === undefined && !isClosed) {
      if (setCookie !== undefined) response.setHeader('Set-Cookie', `${setCookie}; Path=/; HttpOnly`);
      return json(201, () => ({ success: true, data: { sessionId } }))({
        response,
        said: '',
        encode: String,
        beginning: '',
        tail: '',
        sessionId,
        filler: '',
      });
    }
    await until;
    const number = messages++;
    const [kind, nth] = [number % parts.length, Math.floor(number / parts.length)];
    const ways = parts[kind] ?? [];
    const secret = secrets[(nth + kind + first) % secrets.length] ?? '';
    const name = names[(10 * kind + nth + first) % names.length] ?? '';
    const encode = encodings[name] ?? String;
    const encoded = said.get(name + secret) ?? encode(secret);
    said.set(name + secret, encoded);
    const filler = '.'.repeat(Math.max(0, bodyLength - encoded.length));
    // An encoding that adds other text at an edge hides that the secret was cut.
    const middle = Math.floor(secret.length / 2) + 3;
    const beginning = cuts && !encode('').endsWith(addedAtEnd) ? secret.slice(0, middle) : '';
    const tail = cuts && settled.includes(secret) && encode('') === '' ? secret.slice(-middle) : '';
    ways[nth % ways.length]?.({ response, said: encoded, encode, beginning, tail, sessionId, filler });
  };
  const listener = (request: IncomingMessage | Http2ServerRequest, response: Response): void =>
    void serve(request, response);
  const server: Server = isHttp2
    ? createHttp2Server({ settings: { maxHeaderListSize: 2 ** 20 } }, listener)
    : createServer({ maxHeaderSize: 2 ** 20 }, listener);
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, heads };
}
