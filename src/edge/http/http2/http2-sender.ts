import type { OutgoingHttpHeaders } from 'node:http2';
import { later, type Instant } from '../../../base/time.ts';
import { hasLength } from '../request/request-head.ts';
import type { Send } from '../../../session/send.ts';
import { QueueingSender } from '../sender/queueing-sender.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import { Http2Connection, type Http2Pool } from './http2-connection.ts';
import { Http2Exchange, type ExchangePool, type Http2Carrier, type Http2Settings } from './http2-exchange.ts';
import { offerHttp2 } from './open-session.ts';

/** Sender over HTTP/2. It fills each connection with as many concurrent exchanges as the server allows before it opens another. */
export class Http2Sender
  extends QueueingSender<Http2Exchange, Http2Connection, OutgoingHttpHeaders>
  implements ExchangePool, Http2Pool
{
  readonly #settings: Http2Settings;
  readonly #scheme: string;
  /** Connections that accept exchanges, the oldest first. The oldest is filled first, so that the others can expire. */
  readonly #usable: Http2Connection[] = [];
  readonly #all = new Set<Http2Connection>();
  /** Maximum number of streams expected of a new connection: the limit of the latest one. Initially unlimited, so that all exchanges share the first connection. */
  #expectedStreams = Infinity;
  readonly #closedTraffic = { bytesSent: 0, bytesReceived: 0 };

  constructor(options: SenderOptions) {
    super(options, { tunnelsAlways: true });
    const { settings } = this;
    this.#settings = { ...settings, aim: offerHttp2(settings.aim), origin: options.baseUrl.origin };
    this.#scheme = options.baseUrl.protocol.slice(0, -1);
  }

  readonly send: Send = (message, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      if (this.isCut) return resolve(this.abortedBeforeSend(sentAt, true));
      const { route, body, bodyBytes = Buffer.byteLength(body), fields: own = '' } = message;
      const fields = { ...this.headOf(route), ...(own === '' ? undefined : ownFields(own)) };
      if (hasLength(route.method, bodyBytes)) fields['content-length'] = bodyBytes;
      const exchange = new Http2Exchange(this.#settings, this, { fields, body, route, sentAt, resolve });
      if (message.line === undefined) this.underWay.add(exchange.entry, later(sentAt, this.#settings.timeoutMs));
      else this.listen(exchange, message.line);
      if (leaveAfterMs !== undefined) this.leaveAt(exchange, later(sentAt, leaveAfterMs));
      this.#dispatch(exchange, sentAt);
    });

  get traffic(): { bytesSent: number; bytesReceived: number } {
    const sum = { ...this.#closedTraffic };
    for (const connection of this.#all) {
      sum.bytesSent += connection.bytesWritten;
      sum.bytesReceived += connection.bytesRead;
    }
    return sum;
  }

  connected(connection: Http2Connection): void {
    this.opening.remove(connection.openingEntry);
    if (connection.maxStreams > 0) this.#expectedStreams = connection.maxStreams;
  }

  passOn(exchanges: readonly Http2Exchange[]): void {
    const now = this.#settings.clock.now();
    for (const exchange of exchanges) this.#dispatch(exchange, now);
  }

  becameIdle(connection: Http2Connection): void {
    const { clock, idleConnectionMs } = this.#settings;
    this.idle.remove(connection.idleEntry);
    this.idle.add(connection.idleEntry, later(clock.now(), idleConnectionMs));
  }

  retired(connection: Http2Connection): void {
    this.opening.remove(connection.openingEntry);
    this.idle.remove(connection.idleEntry);
    const index = this.#usable.indexOf(connection);
    if (index !== -1) this.#usable.splice(index, 1);
  }

  socketClosed(connection: Http2Connection): void {
    this.#all.delete(connection);
    this.#closedTraffic.bytesSent += connection.bytesWritten;
    this.#closedTraffic.bytesReceived += connection.bytesRead;
    this.countClosed();
  }

  again(exchange: Http2Exchange, left: Http2Carrier): void {
    this.#dispatch(exchange, this.#settings.clock.now(), left);
  }

  ended(exchange: Http2Exchange): void {
    this.underWay.remove(exchange.entry);
    this.forget(exchange);
  }

  protected readHead(head: string): OutgoingHttpHeaders {
    return requestFields(head, this.#scheme);
  }

  protected leaveAll(): void {
    for (const connection of [...this.#all]) connection.leave();
  }

  protected leaveAstray(): void {
    for (const connection of [...this.#usable]) if (connection.isAstray) connection.retire();
  }

  #dispatch(exchange: Http2Exchange, now: Instant, except?: Http2Carrier): void {
    // A server that currently accepts no stream would not accept one on another connection either.
    const connection =
      this.#usable.find((each) => each !== except && this.#hasRoom(each, now)) ??
      this.#usable.find((each) => each !== except && each.takesNone) ??
      this.#open(now);
    this.idle.remove(connection.idleEntry);
    connection.take(exchange);
  }

  #hasRoom({ phase, load, maxStreams, idleEntry }: Http2Connection, now: Instant): boolean {
    if (idleEntry.list !== undefined && idleEntry.due <= now) return false;
    return load < (phase === 'connecting' ? this.#expectedStreams : maxStreams);
  }

  #open(now: Instant): Http2Connection {
    const connection = new Http2Connection(this.#settings, this);
    this.#usable.push(connection);
    this.#all.add(connection);
    this.opened(connection, now);
    return connection;
  }
}

/** Fields that HTTP/2 does not have: connection-specific fields (RFC 9113, section 8.2.2); the length is set per request. */
const omitted: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Converts the head of an HTTP/1.1 request to HTTP/2, so that both versions send the same: names are in lower case, and
 * pseudo-header fields replace the request line and `Host`.
 */
export function requestFields(head: string, scheme: string): OutgoingHttpHeaders {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const { host, ...fields } = fieldsOf(lines);
  return { ':method': method, ':scheme': scheme, ':authority': host, ':path': path, ...fields };
}

/** Parses the fields of one request, one per line. */
export function ownFields(fields: string): OutgoingHttpHeaders {
  return fieldsOf(fields.split('\r\n'));
}

function fieldsOf(lines: readonly string[]): OutgoingHttpHeaders {
  const fields: Record<string, string | string[]> = {};
  for (const line of lines) {
    const end = line.indexOf(':');
    const name = line.slice(0, Math.max(0, end)).toLowerCase();
    if (name === '' || omitted.has(name)) continue;
    const value = line.slice(end + 1).trim();
    const before = fields[name];
    // Several cookie fields are joined (RFC 9113, section 8.2.3).
    if (before === undefined) fields[name] = value;
    else fields[name] = name === 'cookie' ? `${String(before)}; ${value}` : [before, value].flat();
  }
  return fields;
}
