import type { OutgoingHttpHeaders } from 'node:http2';
import { redactorOf } from '../../../base/redact.ts';
import { later, type Instant } from '../../../base/time.ts';
import type { Send } from '../../../session/send.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { QueueingSender } from '../sender/queueing-sender.ts';
import { ReadPace } from '../exchange/read-pace.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import { blankExchange } from '../response/blank-exchange.ts';
import { Http2Connection, type Http2Pool } from './http2-connection.ts';
import { Http2Exchange, type ExchangePool, type Http2Carrier } from './http2-exchange.ts';
import { type Http2Settings, offerHttp2 } from './http2-settings.ts';

/**
 * Sends over HTTP/2: as many exchanges at once on a connection as the server takes, and another connection only then.
 * Throws `ChatLoadError` (usage) for what cannot be used.
 */
export class Http2Sender
  extends QueueingSender<Http2Exchange, Http2Connection, OutgoingHttpHeaders>
  implements ExchangePool, Http2Pool
{
  readonly #settings: Http2Settings;
  readonly #scheme: string;
  /** Those that take exchanges, the oldest first: it is filled up first, so that the others can expire. */
  readonly #usable: Http2Connection[] = [];
  readonly #all = new Set<Http2Connection>();
  /** What one connection is expected to take: what the latest one does; at first they all wait for one to say it. */
  #expectedStreams = Infinity;
  readonly #closedTraffic = { bytesSent: 0, bytesReceived: 0 };

  constructor(options: SenderOptions) {
    super(options, { tunnelsAlways: true });
    const { counts, exhausted } = this;
    this.#settings = { ...settingsOf(options), aim: offerHttp2(this.socketAim), counts, exhausted };
    this.#scheme = options.baseUrl.protocol.slice(0, -1);
  }

  readonly send: Send = (asked, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      if (this.isCut) return resolve(this.abortedBeforeSend(blankExchange(sentAt, false, true)));
      const { route, body, bodyBytes = Buffer.byteLength(body), fields: own = '' } = asked;
      const fields = { ...this.headOf(route), ...(own === '' ? undefined : ownFields(own)) };
      fields['content-length'] = bodyBytes;
      const exchange = new Http2Exchange(this.#settings, this, { fields, body, route, sentAt, resolve });
      this.underWay.add(exchange.entry, later(sentAt, this.#settings.timeoutMs));
      if (leaveAfterMs !== undefined) {
        exchange.leavingEntry = new DueEntry(exchange);
        this.leaving.add(exchange.leavingEntry, later(sentAt, leaveAfterMs));
      }
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
    const place = this.#usable.indexOf(connection);
    if (place !== -1) this.#usable.splice(place, 1);
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

  #dispatch(exchange: Http2Exchange, now: Instant, butNot?: Http2Carrier): void {
    // A server that takes no stream at present would not take one on a further connection.
    const connection =
      this.#usable.find((each) => each !== butNot && this.#hasRoom(each, now)) ??
      this.#usable.find((each) => each !== butNot && each.takesNone) ??
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

const settingsOf = (options: SenderOptions): Omit<Http2Settings, 'aim' | 'counts' | 'exhausted'> => {
  const { baseUrl, clock, apiKey, timeoutMs, connectTimeoutMs, idleConnectionMs } = options;
  return {
    clock,
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
    redact: options.redact ?? redactorOf(apiKey),
    limits: options,
    origin: baseUrl.origin,
    cookies: options.cookies ?? false,
    pace: new ReadPace(),
    maxEventBytes: options.maxEventBytes ?? 2 ** 20,
  };
};

/** Fields of HTTP/1.1 that say something about its connection alone (RFC 9113, section 8.2.2), and those that have a place of their own. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The fields of HTTP/2 for a request whose head was composed for HTTP/1.1, so that both versions ask the same: names in
 * small letters, the first line and `Host` in fields of their own. The length is left to each request.
 */
export function requestFields(head: string, scheme: string): OutgoingHttpHeaders {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const { host, ...fields } = fieldsOf(lines);
  return { ':method': method, ':scheme': scheme, ':authority': host, ':path': path, ...fields };
}

/** The fields of one request alone, of which each is a line. */
export function ownFields(fields: string): OutgoingHttpHeaders {
  return fieldsOf(fields.split('\r\n'));
}

function fieldsOf(lines: readonly string[]): OutgoingHttpHeaders {
  const fields: Record<string, string | string[]> = {};
  for (const line of lines) {
    const end = line.indexOf(':');
    const name = line.slice(0, Math.max(0, end)).toLowerCase();
    if (name === '' || name === 'content-length' || ofConnection.has(name)) continue;
    const value = line.slice(end + 1).trim();
    const before = fields[name];
    // Cookies of several fields are one (RFC 9113, section 8.2.3).
    if (before === undefined) fields[name] = value;
    else fields[name] = name === 'cookie' ? `${String(before)}; ${value}` : [before, value].flat();
  }
  return fields;
}
