import { isForwarded, type ProxyServer } from '../../../base/proxy-server.ts';
import { redactorOf } from '../../../base/redact.ts';
import { later, ms } from '../../../base/time.ts';
import type { Clock, Instant, Ms } from '../../../base/time.ts';
import type { Transport } from '../../../result/sections/transport.ts';
import type { Exchange, Send } from '../../../session/send.ts';
import type { ChatProtocol, HeaderFields, Route } from '../../../protocol/protocol.ts';
import { blankExchange } from '../response/blank-exchange.ts';
import { Connection } from './connection.ts';
import type { ConnectionPool, ExchangeStart } from './connection.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { watchAddresses, type AddressWatch } from '../connect/address-watch.ts';
import type { LookUpAll } from '../connect/shared-lookup.ts';
import { DeadlineQueue, DueEntry } from '../exchange/deadline-queue.ts';
import { FastResponse } from '../response/fast-response.ts';
import { TransportCounts } from '../exchange/transport-counts.ts';
import { ReadPace } from '../exchange/read-pace.ts';
import { aimSocket } from '../connect/open-socket.ts';
import type { TlsOptions } from '../connect/secure-options.ts';
import type { ResponseLimits } from '../response/response-parser.ts';
import {
  authorizationOf,
  checkBaseUrl,
  composeRequest,
  composeRequestHead,
  type OwnHeaders,
  type RequestAim,
} from '../request/request-head.ts';

export interface SenderOptions extends ResponseLimits {
  /** A path in it is kept as a prefix. */
  baseUrl: URL;
  apiKey: string;
  /** Takes secrets out of a text; left out: the key. */
  redact?: (text: string) => string;
  /** What authorizes a request with the key. */
  authorize: ChatProtocol['authorize'];
  /** What authorizes requests instead of the key, until `authorize` of the sender replaces it. */
  authorization?: HeaderFields | undefined;
  /** For the `User-Agent`. */
  toolVersion: string;
  headers?: OwnHeaders | undefined;
  /** Whether exchanges tell the cookies that the service sets. */
  cookies?: boolean;
  /** From `sentAt` to the last byte of the response, connecting included. */
  timeoutMs: Ms;
  /** DNS, TCP and TLS of one connection. Usually 10 s. */
  connectTimeoutMs: Ms;
  /** The largest event of a reply in pieces. Usually 1 MiB. */
  maxEventBytes?: number;
  /** How long the content of a reply in pieces may stall; `null`: for as long as the timeout lets it. */
  stallTimeoutMs?: Ms | null;
  /** How long an unused connection may be kept. Usually 4 s; a server that announces less gets less. */
  idleConnectionMs: Ms;
  clock: Clock;
  /** Accepts whole replies compressed. */
  compression?: boolean;
  /** Sends bodies when the server asks for them, or after a second. */
  expectContinue?: boolean;
  tls?: TlsOptions;
  /** `host:port:address`: what is not looked up. */
  resolve?: readonly string[] | null;
  /** How often the host is looked up again; `null`: never. */
  dnsRefreshMs?: Ms | null;
  /** How names are looked up; left out: by the system. */
  lookUp?: LookUpAll;
  /** Speaks HTTP/2, with TLS and without. */
  http2?: boolean;
  /** Addresses of this machine, literals of one family, from which connections are opened in turn. */
  localAddresses?: readonly string[];
  /** The Unix socket that the target listens on. */
  unixSocket?: string | null;
  /** The proxy that requests go through. */
  proxy?: ProxyServer | undefined;
}

export interface Sender {
  send: Send;
  /** What authorizes every request that is sent from now on: a token was renewed. */
  authorize(fields: HeaderFields): void;
  /** Ends the exchanges under way as `aborted`, and every later one at once. */
  cut(): void;
  /** Cuts, and waits until no socket and no timer is left. */
  close(): Promise<void>;
  /** Connections that are open or being opened, and how many were ever opened. */
  readonly connections: { readonly open: number; readonly opened: number };
  /** Of requests and responses as HTTP sees them, TLS not included. */
  readonly traffic: { readonly bytesSent: number; readonly bytesReceived: number };
  /** How requests went to the target so far. */
  transport(): Transport;
  /** Connections that could not be opened because this process lacked something. */
  readonly exhausted: { readonly descriptorsExhausted: number; readonly portsExhausted: number };
}

/** Large enough for nearly every response: one that is read in pieces has to be collected. */
const readBufferBytes = 256 * 1024;

/** How long a body waits for a server that does not know `Expect`: as long as curl's. */
const longestExpectationMs = ms(1000);

/** The sender over HTTP/1.1. */
export class ConnectedSender implements Sender, ConnectionPool {
  readonly connections = { open: 0, opened: 0 };
  readonly traffic = { bytesSent: 0, bytesReceived: 0 };
  readonly exhausted = { descriptorsExhausted: 0, portsExhausted: 0 };
  readonly #counts: TransportCounts;
  readonly #settings: ConnectionSettings;
  #aim: Omit<RequestAim, 'route'>;
  #heads = new WeakMap<Route, string>();
  readonly #opening: DeadlineQueue<Connection>;
  readonly #underWay: DeadlineQueue<Connection>;
  /** The last one is used first, so that the others can expire. */
  readonly #idle: DeadlineQueue<Connection>;
  /** Exchanges whose user leaves before they end. */
  readonly #leaving: DeadlineQueue<Connection>;
  /** Replies in pieces whose content has begun. */
  readonly #stalling: DeadlineQueue<Connection>;
  /** Those whose body waits for the server to ask for it. */
  readonly #expecting: DeadlineQueue<Connection>;
  readonly #stallTimeoutMs: Ms | null;
  /** Follows a service that moves; `undefined`: its addresses are given. */
  readonly #watch: AddressWatch | undefined;
  #isCut = false;
  #closed: Promise<void> | undefined;
  #reportClosed: () => void = () => undefined;

  constructor(options: SenderOptions) {
    checkBaseUrl(options.baseUrl);
    const authorization = authorizationOf(options);
    const { clock } = options;
    this.#counts = new TransportCounts(options.proxy?.name);
    this.#settings = { ...settingsOf(options), traffic: this.traffic, exhausted: this.exhausted, counts: this.#counts };
    this.#aim = { ...options, authorization };
    this.#opening = new DeadlineQueue(clock, (connection) => connection.giveUpConnecting());
    this.#underWay = new DeadlineQueue(clock, (connection) => connection.timeOut());
    this.#idle = new DeadlineQueue(clock, (connection) => connection.leave());
    this.#watch = watchAddresses(this.#settings.aim, options, (addresses) => this.#follow(addresses));
    this.#expecting = new DeadlineQueue(clock, (connection) => connection.sendBody());
    const stallTimeoutMs = options.stallTimeoutMs ?? null;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#leaving = new DeadlineQueue(clock, (connection) => connection.userLeaves());
    this.#stalling = new DeadlineQueue(clock, (connection) => connection.stall(stallTimeoutMs ?? ms(0)));
  }

  readonly send: Send = (asked, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      const { route } = asked;
      const request = composeRequest(this.#headOf(route), asked);
      const connection = this.#dispatch({ request, route, sentAt, resolve });
      if (leaveAfterMs !== undefined && connection !== undefined) {
        connection.leavingEntry ??= new DueEntry(connection);
        this.#leaving.add(connection.leavingEntry, later(sentAt, leaveAfterMs));
      }
    });

  authorize(authorization: HeaderFields): void {
    this.#aim = { ...this.#aim, authorization };
    this.#heads = new WeakMap();
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
    while (this.#idle.first !== undefined) this.#idle.first.owner.leave();
    for (const list of [this.#opening, this.#underWay, this.#idle, this.#leaving, this.#stalling, this.#expecting])
      list.stop();
    this.#watch?.stop();
    this.#closed ??= new Promise((resolve) => {
      this.#reportClosed = resolve;
      if (this.connections.open === 0) resolve();
    });
    return this.#closed;
  }

  connected(connection: Connection): void {
    this.#opening.remove(connection.openingEntry);
  }

  becameIdle(connection: Connection, due: Instant): void {
    this.#underWay.remove(connection.entry);
    this.#forget(connection);
    this.#idle.add(connection.entry, due);
  }

  heard(connection: Connection, now: Instant): void {
    if (this.#stallTimeoutMs === null) return;
    connection.stallEntry ??= new DueEntry(connection);
    this.#stalling.remove(connection.stallEntry);
    this.#stalling.add(connection.stallEntry, later(now, this.#stallTimeoutMs));
  }

  expects(connection: Connection): void {
    connection.expectEntry ??= new DueEntry(connection);
    this.#expecting.add(connection.expectEntry, later(this.#settings.clock.now(), longestExpectationMs));
  }

  left(connection: Connection): void {
    this.#opening.remove(connection.openingEntry);
    this.#forget(connection);
    connection.entry.list?.remove(connection.entry);
  }

  /** What was to happen during its exchange. */
  #forget({ leavingEntry, stallEntry, expectEntry }: Connection): void {
    if (leavingEntry !== undefined) this.#leaving.remove(leavingEntry);
    if (stallEntry !== undefined) this.#stalling.remove(stallEntry);
    if (expectEntry !== undefined) this.#expecting.remove(expectEntry);
  }

  socketClosed(): void {
    this.connections.open--;
    if (this.connections.open === 0) this.#reportClosed();
  }

  /** Idle connections to addresses that are gone are closed; busy ones are so behind their exchange. */
  #follow(addresses: ReadonlySet<string>): void {
    if (!this.#counts.lookedUp(addresses)) return;
    for (let entry = this.#idle.first; entry !== undefined;) {
      const { owner, after } = entry;
      if (owner.isAstray) owner.leave();
      entry = after;
    }
  }

  /** Made once for a route, and forgotten with it. */
  #headOf(route: Route): string {
    let head = this.#heads.get(route);
    if (head === undefined) this.#heads.set(route, (head = composeRequestHead({ ...this.#aim, route })));
    return head;
  }

  /** Gives the connection that carries it; `undefined`: none does any more. */
  #dispatch(start: ExchangeStart): Connection | undefined {
    if (this.#isCut) {
      start.resolve(this.#abortedBeforeSend(start.sentAt));
      return undefined;
    }
    const due = later(start.sentAt, this.#settings.timeoutMs);
    const kept = this.#idle.last;
    if (kept === undefined || kept.due <= start.sentAt) {
      const opened = this.#open(start);
      this.#underWay.add(opened.entry, due);
      return opened;
    }
    this.#idle.remove(kept);
    this.#underWay.add(kept, due);
    kept.owner.begin(start);
    return kept.owner;
  }

  #open(start: ExchangeStart): Connection {
    const { clock, connectTimeoutMs } = this.#settings;
    const connection = new Connection(this.#settings, this, start);
    this.#watch?.start();
    this.connections.open++;
    this.connections.opened++;
    this.#opening.add(connection.openingEntry, later(clock.now(), connectTimeoutMs));
    return connection;
  }

  #abortedBeforeSend(sentAt: Instant): Exchange {
    const detail = 'the run was cut before it was sent';
    return { ...blankExchange(sentAt, false), endedAt: this.#settings.clock.now(), failure: 'aborted', detail };
  }
}

const settingsOf = (options: SenderOptions): Omit<ConnectionSettings, 'traffic' | 'exhausted' | 'counts'> => {
  const {
    baseUrl,
    tls,
    clock,
    apiKey,
    redact = redactorOf(apiKey),
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
  } = options;
  return {
    clock,
    redact,
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
    limits: options,
    forwarder: options.proxy !== undefined && isForwarded(baseUrl, options.proxy) ? options.proxy : undefined,
    expectContinue: options.expectContinue ?? false,
    aim: aimSocket(baseUrl, tls, options),
    readBuffer: Buffer.allocUnsafeSlow(readBufferBytes),
    fastResponse: new FastResponse(options, options.cookies),
    cookies: options.cookies ?? false,
    pace: new ReadPace(),
    maxEventBytes: options.maxEventBytes ?? 2 ** 20,
  };
};
