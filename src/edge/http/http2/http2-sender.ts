import type { OutgoingHttpHeaders } from 'node:http2';
import { redactorOf } from '../../../base/redact.ts';
import { later, ms, type Instant, type Ms } from '../../../base/time.ts';
import type { HeaderFields, Route } from '../../../protocol/protocol.ts';
import type { Transport } from '../../../result/sections/transport.ts';
import type { Send } from '../../../session/send.ts';
import { DeadlineQueue, DueEntry } from '../exchange/deadline-queue.ts';
import { aimSocket } from '../connect/open-socket.ts';
import { ReadPace } from '../exchange/read-pace.ts';
import { authorizationOf, checkBaseUrl, composeRequestHead, type RequestAim } from '../request/request-head.ts';
import type { Sender, SenderOptions } from '../http1/sender.ts';
import { TransportCounts } from '../exchange/transport-counts.ts';
import { watchAddresses, type AddressWatch } from '../connect/address-watch.ts';
import { blankHttp2 } from './blank-http2.ts';
import { Http2Connection, type Http2Pool } from './http2-connection.ts';
import { Http2Exchange, type ExchangePool, type Http2Carrier, type Http2Start } from './http2-exchange.ts';
import type { Http2Settings } from './http2-settings.ts';
import { offerHttp2 } from './offer-http2.ts';
import { ownFields, requestFields } from './request-fields.ts';

/**
 * Sends over HTTP/2: as many exchanges at once on a connection as the server takes, and another connection only then.
 * Throws `ChatLoadError` (usage) for what cannot be used.
 */
export class Http2Sender implements Sender, ExchangePool, Http2Pool {
  readonly connections = { open: 0, opened: 0 };
  readonly exhausted = { descriptorsExhausted: 0, portsExhausted: 0 };
  readonly #counts: TransportCounts;
  readonly #settings: Http2Settings;
  #aim: Omit<RequestAim, 'route'>;
  #fields = new WeakMap<Route, OutgoingHttpHeaders>();
  /** Those that take exchanges, the oldest first: it is filled up first, so that the others can expire. */
  readonly #usable: Http2Connection[] = [];
  readonly #all = new Set<Http2Connection>();
  readonly #opening: DeadlineQueue<Http2Connection>;
  readonly #idle: DeadlineQueue<Http2Connection>;
  readonly #underWay: DeadlineQueue<Http2Exchange>;
  readonly #leaving: DeadlineQueue<Http2Exchange>;
  readonly #stalling: DeadlineQueue<Http2Exchange>;
  readonly #stallTimeoutMs: Ms | null;
  /** What one connection is expected to take: what the latest one does; at first they all wait for one to say it. */
  #expectedStreams = Infinity;
  readonly #closedTraffic = { bytesSent: 0, bytesReceived: 0 };
  /** Follows a service that moves; `undefined`: its addresses are given. */
  readonly #watch: AddressWatch | undefined;
  #isCut = false;
  #closed: Promise<void> | undefined;
  #reportClosed: () => void = () => undefined;

  constructor(options: SenderOptions) {
    checkBaseUrl(options.baseUrl);
    const { clock } = options;
    this.#counts = new TransportCounts(options.proxy?.name);
    this.#settings = { ...settingsOf(options), counts: this.#counts, exhausted: this.exhausted };
    // A proxy makes a tunnel: no request is meant for it.
    this.#aim = { ...options, proxy: undefined, authorization: authorizationOf(options) };
    this.#watch = watchAddresses(this.#settings.aim, options, (addresses) => this.#follow(addresses));
    this.#opening = new DeadlineQueue(clock, (connection) => connection.giveUpConnecting());
    this.#idle = new DeadlineQueue(clock, (connection) => connection.leave());
    this.#underWay = new DeadlineQueue(clock, (exchange) => exchange.timeOut());
    this.#leaving = new DeadlineQueue(clock, (exchange) => exchange.userLeaves());
    const stallTimeoutMs = options.stallTimeoutMs ?? null;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#stalling = new DeadlineQueue(clock, (exchange) => exchange.stall(stallTimeoutMs ?? ms(0)));
  }

  readonly send: Send = (asked, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      if (this.#isCut) return resolve(this.#abortedBeforeSend(sentAt));
      const { route, body, bodyBytes = Buffer.byteLength(body), fields: own = '' } = asked;
      const fields = { ...this.#fieldsOf(route), ...(own === '' ? undefined : ownFields(own)) };
      fields['content-length'] = bodyBytes;
      const exchange = new Http2Exchange(this.#settings, this, { fields, body, route, sentAt, resolve });
      this.#underWay.add(exchange.entry, later(sentAt, this.#settings.timeoutMs));
      if (leaveAfterMs !== undefined) {
        exchange.leavingEntry = new DueEntry(exchange);
        this.#leaving.add(exchange.leavingEntry, later(sentAt, leaveAfterMs));
      }
      this.#dispatch(exchange, sentAt);
    });

  authorize(authorization: HeaderFields): void {
    this.#aim = { ...this.#aim, authorization };
    this.#fields = new WeakMap();
  }

  get traffic(): { bytesSent: number; bytesReceived: number } {
    const sum = { ...this.#closedTraffic };
    for (const connection of this.#all) {
      sum.bytesSent += connection.bytesWritten;
      sum.bytesReceived += connection.bytesRead;
    }
    return sum;
  }

  transport(): Transport {
    return this.#counts.account();
  }

  cut(): void {
    this.#isCut = true;
    while (this.#underWay.first !== undefined) this.#underWay.first.owner.abort();
  }

  close(): Promise<void> {
    this.cut();
    for (const connection of [...this.#all]) connection.leave();
    for (const list of [this.#opening, this.#underWay, this.#idle, this.#leaving, this.#stalling]) list.stop();
    this.#watch?.stop();
    this.#closed ??= new Promise((resolve) => {
      this.#reportClosed = resolve;
      if (this.connections.open === 0) resolve();
    });
    return this.#closed;
  }

  connected(connection: Http2Connection): void {
    this.#opening.remove(connection.openingEntry);
    if (connection.mostStreams > 0) this.#expectedStreams = connection.mostStreams;
  }

  passOn(exchanges: readonly Http2Exchange[]): void {
    const now = this.#settings.clock.now();
    for (const exchange of exchanges) this.#dispatch(exchange, now);
  }

  becameIdle(connection: Http2Connection): void {
    const { clock, idleConnectionMs } = this.#settings;
    this.#idle.remove(connection.idleEntry);
    this.#idle.add(connection.idleEntry, later(clock.now(), idleConnectionMs));
  }

  retired(connection: Http2Connection): void {
    this.#opening.remove(connection.openingEntry);
    this.#idle.remove(connection.idleEntry);
    const place = this.#usable.indexOf(connection);
    if (place !== -1) this.#usable.splice(place, 1);
  }

  socketClosed(connection: Http2Connection): void {
    this.#all.delete(connection);
    this.#closedTraffic.bytesSent += connection.bytesWritten;
    this.#closedTraffic.bytesReceived += connection.bytesRead;
    this.connections.open--;
    if (this.connections.open === 0) this.#reportClosed();
  }

  again(exchange: Http2Exchange, left: Http2Carrier): void {
    this.#dispatch(exchange, this.#settings.clock.now(), left);
  }

  heard(exchange: Http2Exchange, now: Instant): void {
    if (this.#stallTimeoutMs === null) return;
    exchange.stallEntry ??= new DueEntry(exchange);
    this.#stalling.remove(exchange.stallEntry);
    this.#stalling.add(exchange.stallEntry, later(now, this.#stallTimeoutMs));
  }

  ended({ entry, leavingEntry, stallEntry }: Http2Exchange): void {
    this.#underWay.remove(entry);
    if (leavingEntry !== undefined) this.#leaving.remove(leavingEntry);
    if (stallEntry !== undefined) this.#stalling.remove(stallEntry);
  }

  #dispatch(exchange: Http2Exchange, now: Instant, butNot?: Http2Carrier): void {
    // A server that takes no stream at present would not take one on a further connection.
    const connection =
      this.#usable.find((each) => each !== butNot && this.#hasRoom(each, now)) ??
      this.#usable.find((each) => each !== butNot && each.takesNone) ??
      this.#open(now);
    this.#idle.remove(connection.idleEntry);
    connection.take(exchange);
  }

  #hasRoom({ phase, load, mostStreams, idleEntry }: Http2Connection, now: Instant): boolean {
    if (idleEntry.list !== undefined && idleEntry.due <= now) return false;
    return load < (phase === 'connecting' ? this.#expectedStreams : mostStreams);
  }

  #open(now: Instant): Http2Connection {
    const connection = new Http2Connection(this.#settings, this);
    this.#watch?.start();
    this.#usable.push(connection);
    this.#all.add(connection);
    this.connections.open++;
    this.connections.opened++;
    this.#opening.add(connection.openingEntry, later(now, this.#settings.connectTimeoutMs));
    return connection;
  }

  /** Connections to addresses that are gone take nothing more. */
  #follow(addresses: ReadonlySet<string>): void {
    if (!this.#counts.lookedUp(addresses)) return;
    for (const connection of [...this.#usable]) if (connection.isAstray) connection.retire();
  }

  /** Made once for a route, and forgotten with it. */
  #fieldsOf(route: Route): OutgoingHttpHeaders {
    let fields = this.#fields.get(route);
    if (fields === undefined) {
      const scheme = this.#aim.baseUrl.protocol.slice(0, -1);
      fields = requestFields(composeRequestHead({ ...this.#aim, route }), scheme);
      this.#fields.set(route, fields);
    }
    return fields;
  }

  #abortedBeforeSend(sentAt: Instant): Parameters<Http2Start['resolve']>[0] {
    const detail = 'the run was cut before it was sent';
    const endedAt = this.#settings.clock.now();
    return { ...blankHttp2(sentAt), endedAt, failure: 'aborted', detail };
  }
}

const settingsOf = (options: SenderOptions): Omit<Http2Settings, 'counts' | 'exhausted'> => {
  const { baseUrl, tls, clock, apiKey, timeoutMs, connectTimeoutMs, idleConnectionMs } = options;
  return {
    clock,
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
    redact: options.redact ?? redactorOf(apiKey),
    limits: options,
    origin: baseUrl.origin,
    aim: offerHttp2(aimSocket(baseUrl, tls, { ...options, tunnelsAlways: true })),
    cookies: options.cookies ?? false,
    pace: new ReadPace(),
    maxEventBytes: options.maxEventBytes ?? 2 ** 20,
  };
};
