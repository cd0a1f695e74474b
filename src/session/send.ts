import type { Instant, Ms } from '../base/time.ts';
import type { ChatRequest, Received } from '../protocol/protocol.ts';

/**
 * One HTTP exchange, as it happened: flat, so that every exchange has one shape from the socket to the record.
 * All instants come from one monotonic clock.
 */
export interface Exchange extends Received {
  /** Handed to the connection, before any connecting: the instant that the caller gave. */
  sentAt: Instant;
  /** First byte of the final response, or of a 1xx where the exchange failed behind that; `undefined` when none came. */
  firstByteAt: Instant | undefined;
  /** Last byte of the response, or the failure. */
  endedAt: Instant;
  /** DNS, TCP and TLS of a connection opened for this exchange; `undefined` on a kept one or when connecting failed. */
  connectMs: Ms | undefined;
  /** Whether the connection had carried an exchange before. */
  reused: boolean;
  /** The `Retry-After` header as it came. */
  retryAfter: string | undefined;
  /** The `Date` header beside it as it came: the server's own clock. */
  date?: string | undefined;
  /** The `Content-Type`, printable, cut and without the key; of a 200 or 201 also `undefined` where it is `application/json`. */
  contentType?: string | undefined;
  /** The same of the `Location` of a response that is no 200 or 201. */
  location?: string | undefined;
  /** The `Set-Cookie` lines as they came, where cookies are kept; `undefined`: none came. */
  setCookies?: readonly string[] | undefined;
  /** Whether it went over HTTP/2; left out or false: over HTTP/1.1. */
  isHttp2?: boolean;
  /** When the content of a reply in pieces came; `undefined`: none came. */
  content?: ContentTimes | undefined;
}

/** When the content events of one reply in pieces came: each with the read that brought its last byte. */
export interface ContentTimes {
  /** The first one, reasoning included. */
  firstAt: Instant;
  /** The first one that is no reasoning; `undefined`: none came. */
  firstAnswerAt: Instant | undefined;
  lastAt: Instant;
  /** Whether one of them was reasoning. */
  hasReasoning: boolean;
  /** From each content event to the next, in their order: one fewer than there are events. */
  gapsMs: number[];
  /** Of these events, but for the first, those that came in the same read as the content event before them. */
  sharedReads: number;
}

/**
 * The port through which sessions reach the service. Never rejects: whatever the target does is data. `sentAt` is the
 * caller's reading of the clock just before the call. After `leaveAfterMs` the exchange is closed as `abandoned` if it
 * is still under way: the same length for every exchange of a run that has one.
 */
export type Send = (request: ChatRequest, sentAt: Instant, leaveAfterMs?: Ms) => Promise<Exchange>;

/** How requests went to a target: what the senders of a run count. Described in the schema of results. */
export interface Transport {
  proxy: string | null;
  exchanges: { http1: number; http2: number };
  addresses: TransportAddress[];
  tls: {
    protocol: string;
    handshakes: number;
    resumed: number;
    isVerified: boolean;
    issuer: string;
    validTo: string | null;
  } | null;
  http2: { goAways: number; refusedStreams: number } | null;
  tokens: { fetched: number; failed: number; retried: number } | null;
}

/** What connections to one address carried. */
interface TransportAddress {
  address: string;
  connections: number;
  exchanges: number;
}

/** The most addresses of a target that are listed; what went to others is counted together. */
const maxAddresses = 100;

/** Each address once, those with the most connections first; beyond a hundred they are added up. */
export function listAddresses(counted: readonly TransportAddress[]): TransportAddress[] {
  const byAddress = new Map<string, TransportAddress>();
  for (const { address, connections, exchanges } of counted) add(byAddress, { address, connections, exchanges });
  const sorted = [...byAddress.values()].sort(
    (a, b) => b.connections - a.connections || a.address.localeCompare(b.address),
  );
  if (sorted.length <= maxAddresses) return sorted;
  const rest = new Map<string, TransportAddress>();
  for (const each of sorted.slice(maxAddresses - 1)) add(rest, { ...each, address: others });
  return [...sorted.slice(0, maxAddresses - 1), ...rest.values()];
}

function add(to: Map<string, TransportAddress>, { address, connections, exchanges }: TransportAddress): void {
  const there = to.get(address) ?? { address, connections: 0, exchanges: 0 };
  to.set(address, {
    address,
    connections: there.connections + connections,
    exchanges: there.exchanges + exchanges,
  });
}

const others = 'others';
