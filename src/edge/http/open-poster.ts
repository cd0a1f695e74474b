import { request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { finished } from 'node:stream/promises';
import { GrowingBytes } from '../../base/growing-bytes.ts';
import { messageOf } from '../../base/errors.ts';
import { isForwarded } from '../../base/proxy-server.ts';
import type { Answer, Asked, CameEvent, KeyUsed, Post } from '../../conformance/post.ts';
import type { ExchangeFailure } from '../../protocol/outcome.ts';
import type { HeaderFields, Operation, Route, StreamEvent } from '../../protocol/protocol.ts';
import type { CookieJar, Trace } from '../../session/session-head.ts';
import { ConnectError, connectFailureText } from './connect/connect-failure.ts';
import { connectTo } from './connect/connect-to.ts';
import { decodeBody } from './response/decode-body.ts';
import { aimSocket, type SocketAim } from './connect/open-socket.ts';
import { proxyUnauthorized } from './connect/proxy-failure.ts';
import {
  acceptedEncodings,
  checkApiKey,
  checkBaseUrl,
  headerFields,
  proxyFields,
  requestTarget,
  urlOf,
  type OwnHeaders,
} from './request/request-head.ts';
import { ResponseHead } from './response/response-head.ts';
import type { SenderOptions } from './http1/sender.ts';
import { EventReader } from './stream/event-reader.ts';

export interface PosterOptions extends Pick<
  SenderOptions,
  | 'compression'
  | 'baseUrl'
  | 'authorize'
  | 'toolVersion'
  | 'timeoutMs'
  | 'maxBodyBytes'
  | 'maxEventBytes'
  | 'clock'
  | 'tls'
  | 'localAddresses'
  | 'unixSocket'
  | 'proxy'
> {
  /** Takes secrets out of texts of the other side. */
  redact: (text: string) => string;
  /** What authorizes a request in place of the good key. */
  authorization?: HeaderFields | undefined;
  /** What requests have in their heads beside: of a creation, and of messages. */
  head?: PosterHead | undefined;
  keys: Readonly<Record<Exclude<KeyUsed, 'none'>, string>>;
}

export interface PosterHead extends OwnHeaders {
  /** Those that come with the requests. */
  readonly fields: Readonly<Record<Operation, HeaderFields>>;
  /** Of all exchanges together; `undefined`: no cookies are kept. */
  readonly jar: CookieJar | undefined;
  readonly newTrace: (() => Trace) | undefined;
}

/**
 * Posts single exchanges, each on a connection of its own, and gives what rules look at, headers too. Slow: for a check,
 * not for load. Throws `ChatLoadError` (usage) for a base URL or a key that cannot be used.
 */
export function openPoster(options: PosterOptions): Post {
  checkBaseUrl(options.baseUrl);
  const { keys, authorization } = options;
  for (const key of [keys.wrong, keys.wrong_kind, ...(authorization === undefined ? [keys.good] : [])])
    checkApiKey(key);
  const { clock } = options;
  const aim = aimSocket(options.baseUrl, options.tls, options);
  return async (asked) => {
    const sentAtMs = clock.wallNow();
    const seen: Read = { ...blank };
    const answer = await exchange({ ...options, aim }, asked, seen).catch((failed: unknown) => ({
      ...blank,
      // Of a reply in pieces that broke off, what had come is there to be looked at.
      ...(seen.events === undefined ? {} : seen),
      failure: classOf(failed),
      detail: wordFailure(failed, options),
    }));
    return { ...answer, sentAtMs, endedAtMs: clock.wallNow() };
  };
}

type Read = Omit<Answer, 'sentAtMs' | 'endedAtMs'>;

const blank: Read = { status: 0, contentType: '', retryAfter: '', body: '', failure: undefined, detail: '' };

function exchange(options: PosterOptions & { aim: SocketAim }, asked: Asked, seen: Read): Promise<Read> {
  const { route, key, body } = asked;
  const { baseUrl, toolVersion, timeoutMs, aim, proxy } = options;
  const url = urlOf(baseUrl, route);
  const signal = AbortSignal.timeout(timeoutMs);
  const how: RequestOptions = {
    method: route.method,
    path: requestTarget(url, proxy),
    signal,
    createConnection: connectTo(aim, signal),
    headers: {
      ...proxyFields(url, proxy),
      ...headerFields(
        { route, authorization: credentialOf(options, key), toolVersion, headers: options.head },
        { 'Accept-Encoding': acceptedEncodings({ ...options, route }) },
      ),
      ...ownFields(options.head, route),
      'Content-Length': Buffer.byteLength(body),
    },
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, how, (response) => {
      const lines = response.headers['set-cookie'];
      if (lines !== undefined) options.head?.jar?.take(route, lines);
      read(response, { ...options, asked, seen }).then(resolve, reject);
    });
    // Nobody but us would hear of it: a request whose protocol is switched has no response.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Malformed('the server switched protocols (101) unasked'));
    });
    request.on('error', reject);
    request.end(body);
  });
}

function credentialOf({ authorization, authorize, keys }: PosterOptions, key: KeyUsed): HeaderFields {
  if (key === 'none') return {};
  return (key === 'good' ? authorization : undefined) ?? authorize(keys[key]);
}

function ownFields(head: PosterHead | undefined, route: Route): HeaderFields {
  if (head === undefined) return {};
  const cookies = head.jar?.valueFor(route) ?? '';
  const trace = head.newTrace?.();
  return {
    ...head.fields[route.operation],
    ...(trace === undefined ? {} : { traceparent: trace.parent }),
    ...(cookies === '' ? {} : { Cookie: cookies }),
  };
}

interface Reading extends Pick<
  PosterOptions,
  'maxBodyBytes' | 'maxEventBytes' | 'baseUrl' | 'proxy' | 'head' | 'compression'
> {
  asked: Asked;
  /** Is filled in as the response comes. */
  seen: Read;
}

async function read(response: IncomingMessage, { asked, seen, ...limits }: Reading): Promise<Read> {
  const head = headOf(response);
  const fault = head.faultOfCoding(limits.compression === true && asked.route.stream === undefined);
  if (fault !== undefined) {
    response.destroy();
    throw new Malformed(fault);
  }
  const { baseUrl, proxy } = limits;
  if (response.statusCode === 407 && proxy !== undefined && isForwarded(baseUrl, proxy)) {
    response.destroy();
    throw proxyUnauthorized(proxy);
  }
  seen.status = response.statusCode ?? 0;
  seen.contentType = response.headers['content-type'] ?? '';
  seen.retryAfter = response.headers['retry-after'] ?? '';
  const events = isEventStream(seen.contentType) ? new EventList(response, limits.maxEventBytes) : undefined;
  seen.events = events?.events;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const leaves = (): boolean => asked.leavesEarly === true && events?.hasAny === true;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    events?.take(chunk);
    if (bytes > limits.maxBodyBytes)
      response.destroy(
        new Malformed(`the body of the response is over the limit of ${String(limits.maxBodyBytes)} bytes`),
      );
    else if (leaves()) response.destroy();
  });
  try {
    await finished(response);
  } catch (failed) {
    if (!leaves()) throw failed;
  }
  seen.body = wholeBody(head, Buffer.concat(chunks), limits.maxBodyBytes);
  return seen;
}

const isEventStream = (contentType: string): boolean => /^text\/event-stream\b/i.test(contentType);

/** The events of a response, each with the read of the connection that brought its last byte. */
class EventList {
  readonly events: CameEvent[] = [];
  readonly #response: IncomingMessage;
  readonly #reader: EventReader;
  #reads = 0;
  #bytesRead = -1;

  constructor(response: IncomingMessage, maxEventBytes = mostEventBytes) {
    this.#response = response;
    const keep = (event: StreamEvent): void => {
      this.events.push({ type: event.type, data: event.text(), read: this.#reads });
    };
    this.#reader = new EventReader('sse', { event: keep }, maxEventBytes);
  }

  get hasAny(): boolean {
    return this.events.length > 0;
  }

  /** Node.js gives every chunk of a chunked body by itself, those of one read too: the socket tells reads apart. */
  take(chunk: Buffer): void {
    const { bytesRead } = this.#response.socket;
    if (bytesRead !== this.#bytesRead) this.#reads++;
    this.#bytesRead = bytesRead;
    this.#reader.take(chunk, 0, chunk.length);
  }
}

const mostEventBytes = 1024 * 1024;

/** A response that came and cannot be read. */
class Malformed extends Error {}

/** The head by the reader of a run: Node.js would wait for the end of any coding. */
function headOf({ httpVersion, statusCode = 0, rawHeaders }: IncomingMessage): ResponseHead {
  const head = new ResponseHead();
  head.takeStatusLine(`HTTP/${httpVersion} ${String(statusCode)}`);
  for (let at = 0; at < rawHeaders.length; at += 2)
    head.takeHeader(`${rawHeaders[at] ?? ''}:${rawHeaders[at + 1] ?? ''}`);
  return head;
}

function wholeBody({ contentCoding }: ResponseHead, bytes: Buffer, maxBodyBytes: number): string {
  const body = new GrowingBytes();
  body.append(bytes, 0, bytes.length);
  const decoded = contentCoding === undefined ? body : decodeBody(contentCoding, body, maxBodyBytes);
  if (typeof decoded === 'string') throw new Malformed(decoded);
  return decoded.text();
}

/** The class that a run gives such an exchange. */
function classOf(failed: unknown): ExchangeFailure {
  if (failed instanceof Malformed) return 'malformed';
  if (isTimeout(failed)) return 'timed_out';
  if (failed instanceof ConnectError) return 'connect_failed';
  const { code = '' }: NodeJS.ErrnoException = failed instanceof Error ? failed : new Error();
  return code.startsWith('HPE_') ? 'malformed' : 'connection_lost';
}

const isTimeout = (failed: unknown): boolean =>
  failed instanceof Error && (failed.name === 'TimeoutError' || failed.name === 'AbortError');

const wordFailure = (failed: unknown, { timeoutMs, redact }: PosterOptions): string => {
  if (failed instanceof ConnectError) return connectFailureText(failed.failure, redact);
  return isTimeout(failed) ? `not within ${String(timeoutMs)} ms` : messageOf(failed);
};
