import { later } from '../../base/time.ts';
import type { Clock, Instant, Ms } from '../../base/time.ts';
import type { Exchange, Send } from '../../session/send.ts';
import type { ChatProtocol, Route } from '../../protocol/protocol.ts';
import { blankExchange } from './blank-exchange.ts';
import { Connection } from './connection.ts';
import type { ConnectionPool, ExchangeStart } from './connection.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import { FastResponse } from './fast-response.ts';
import { aimSocket } from './open-socket.ts';
import type { TlsOptions } from './open-socket.ts';
import type { ResponseLimits } from './response-parser.ts';
import { checkApiKey, checkBaseUrl, composeRequest, composeRequestHead, type RequestAim } from './request-head.ts';

export interface SenderOptions extends ResponseLimits {
  /** A path in it is kept as a prefix. */
  baseUrl: URL;
  apiKey: string;
  /** What authorizes a request with the key. */
  authorize: ChatProtocol['authorize'];
  /** For the `User-Agent`. */
  toolVersion: string;
  /** From `sentAt` to the last byte of the response, connecting included. */
  timeoutMs: Ms;
  /** DNS, TCP and TLS of one connection. Usually 10 s. */
  connectTimeoutMs: Ms;
  /** How long an unused connection may be kept. Usually 4 s; a server that announces less gets less. */
  idleConnectionMs: Ms;
  clock: Clock;
  tls?: TlsOptions;
  /** Addresses of this machine, literals of one family, from which connections are opened in turn. */
  localAddresses?: readonly string[];
}

export interface Sender {
  send: Send;
  /** Ends the exchanges under way as `aborted`, and every later one at once. */
  cut(): void;
  /** Cuts, and waits until no socket and no timer is left. */
  close(): Promise<void>;
  /** Connections that are open or being opened, and how many were ever opened. */
  readonly connections: { readonly open: number; readonly opened: number };
  /** Of requests and responses as HTTP sees them, TLS not included. */
  readonly traffic: { readonly bytesSent: number; readonly bytesReceived: number };
  /** Connections that could not be opened because this process lacked something. */
  readonly exhausted: { readonly descriptorsExhausted: number; readonly portsExhausted: number };
}

/**
 * Sends over HTTP/1.1 with kept connections, one exchange at a time on each; as many connections as exchanges are
 * under way. Throws `ChatLoadError` (usage) for a base URL, a key or a CA that cannot be used.
 */
export function openSender(options: SenderOptions): Sender {
  return new ConnectedSender(options);
}

/** Large enough for nearly every response: one that is read in pieces has to be collected. */
const readBufferBytes = 256 * 1024;

class ConnectedSender implements Sender, ConnectionPool {
  readonly connections = { open: 0, opened: 0 };
  readonly traffic = { bytesSent: 0, bytesReceived: 0 };
  readonly exhausted = { descriptorsExhausted: 0, portsExhausted: 0 };
  readonly #settings: ConnectionSettings;
  readonly #aim: Omit<RequestAim, 'route'>;
  readonly #heads = new WeakMap<Route, string>();
  readonly #opening: DeadlineQueue<Connection>;
  readonly #underWay: DeadlineQueue<Connection>;
  /** The last one is used first, so that the others can expire. */
  readonly #idle: DeadlineQueue<Connection>;
  #isCut = false;
  #closed: Promise<void> | undefined;
  #reportClosed: () => void = () => undefined;

  constructor(options: SenderOptions) {
    checkBaseUrl(options.baseUrl);
    checkApiKey(options.apiKey);
    const { clock, apiKey } = options;
    this.#settings = { ...settingsOf(options), traffic: this.traffic, exhausted: this.exhausted };
    this.#aim = { ...options, authorization: options.authorize(apiKey) };
    this.#opening = new DeadlineQueue(clock, (connection) => connection.giveUpConnecting());
    this.#underWay = new DeadlineQueue(clock, (connection) => connection.timeOut());
    this.#idle = new DeadlineQueue(clock, (connection) => connection.leave());
  }

  readonly send: Send = ({ route, body }, sentAt) =>
    new Promise((resolve) => this.#dispatch({ request: composeRequest(this.#headOf(route), body), sentAt, resolve }));

  cut(): void {
    this.#isCut = true;
    while (this.#underWay.first !== undefined) this.#underWay.first.owner.abort();
  }

  close(): Promise<void> {
    this.cut();
    while (this.#idle.first !== undefined) this.#idle.first.owner.leave();
    for (const list of [this.#opening, this.#underWay, this.#idle]) list.stop();
    this.#closed ??= new Promise((resolve) => {
      this.#reportClosed = resolve;
      if (this.connections.open === 0) resolve();
    });
    return this.#closed;
  }

  connected(connection: Connection): void {
    this.#opening.remove(connection.openingEntry);
  }

  becameIdle({ entry }: Connection, due: Instant): void {
    this.#underWay.remove(entry);
    this.#idle.add(entry, due);
  }

  left({ entry, openingEntry }: Connection): void {
    this.#opening.remove(openingEntry);
    entry.list?.remove(entry);
  }

  socketClosed(): void {
    this.connections.open--;
    if (this.connections.open === 0) this.#reportClosed();
  }

  /** Made once for a route, and forgotten with it. */
  #headOf(route: Route): string {
    let head = this.#heads.get(route);
    if (head === undefined) this.#heads.set(route, (head = composeRequestHead({ ...this.#aim, route })));
    return head;
  }

  #dispatch(start: ExchangeStart): void {
    if (this.#isCut) return start.resolve(this.#abortedBeforeSend(start.sentAt));
    const due = later(start.sentAt, this.#settings.timeoutMs);
    const kept = this.#idle.last;
    if (kept === undefined || kept.due <= start.sentAt) {
      this.#underWay.add(this.#open(start).entry, due);
      return;
    }
    this.#idle.remove(kept);
    this.#underWay.add(kept, due);
    kept.owner.begin(start);
  }

  #open(start: ExchangeStart): Connection {
    const { clock, connectTimeoutMs } = this.#settings;
    const connection = new Connection(this.#settings, this, start);
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

const settingsOf = (options: SenderOptions): Omit<ConnectionSettings, 'traffic' | 'exhausted'> => {
  const { baseUrl, tls, clock, apiKey, timeoutMs, connectTimeoutMs, idleConnectionMs } = options;
  return {
    clock,
    apiKey,
    timeoutMs,
    connectTimeoutMs,
    idleConnectionMs,
    limits: options,
    aim: aimSocket(baseUrl, tls, options.localAddresses),
    readBuffer: Buffer.allocUnsafeSlow(readBufferBytes),
    fastResponse: new FastResponse(options),
  };
};
