import type { Instant, Ms } from '../base/time.ts';
import { traitsOf, type FinishedClass } from '../protocol/outcome.ts';
import type { ChatRequest, HeaderFields, Received } from '../protocol/protocol.ts';

/**
 * An HTTP exchange: flat, so that every exchange has one shape from the socket to the record. All instants are from
 * one monotonic clock.
 */
export interface Exchange extends Received {
  /** Instant at which the caller passed it to the connection, before connecting. */
  sentAt: Instant;
  /** First byte of the final response, or of a 1xx if the exchange failed after it; `undefined`: none arrived. */
  firstByteAt: Instant | undefined;
  /** Last byte of the response, or the failure. */
  endedAt: Instant;
  /** DNS, TCP and TLS of a connection opened for this exchange; `undefined` on a kept one or when connecting failed. */
  connectMs: Ms | undefined;
  /** True if the connection had carried an exchange before. */
  reused: boolean;
  /** The `Retry-After` header as received. */
  retryAfter: string | undefined;
  /** Fields of a refusal about its wait besides `Retry-After` (`isWaitField`), by their names in lower case; `undefined`: none. */
  waits?: HeaderFields | undefined;
  /** The `Date` header of the same response as received: the server's own clock. */
  date?: string | undefined;
  /** The `Content-Type`, printable, truncated and without the key; `undefined` for 200 and 201 if it is `application/json`. */
  contentType?: string | undefined;
  /** The `Location`, treated in the same way. Set only for statuses other than 200 and 201. */
  location?: string | undefined;
  /** The `Set-Cookie` lines as received, if cookies are kept; `undefined`: none. */
  setCookies?: readonly string[] | undefined;
  /** True if the response sets a cookie, and cookies are not kept. */
  setsCookie?: boolean;
  /** The field that marks a reply of a cache, without the key; `undefined`: none. */
  cacheMark?: string;
  /** True for HTTP/2; omitted or false for HTTP/1.1. */
  isHttp2?: boolean;
  /** Content events of a streamed reply; `undefined`: none. */
  content?: ContentTimes | undefined;
  /** True if a frame was passed to an open socket, so that a retry may repeat work; omitted over HTTP. */
  hasSentFrames?: boolean;
  /** True if the socket of the session had to be opened again for this attempt; omitted over HTTP. */
  isReopened?: boolean;
}

/** Arrival times of the content events of one streamed reply: each the time of the read with its last byte. */
export interface ContentTimes {
  /** First content event, reasoning included. */
  firstAt: Instant;
  /** First content event that is not reasoning; `undefined` if there is none. */
  firstAnswerAt: Instant | undefined;
  lastAt: Instant;
  /** True if a content event was reasoning. */
  hasReasoning: boolean;
  /** Gaps between consecutive reads with content events, in order: one fewer than there are such reads. */
  gapsMs: number[];
  /** Number of content events that arrived in the same read as the previous one: no gap ends at them. */
  sharedReads: number;
}

/** Reports whether a failed attempt may have been performed: over a socket if a frame was sent, over HTTP by its class. */
export function isAmbiguous(outcome: FinishedClass, { hasSentFrames }: Pick<Exchange, 'hasSentFrames'>): boolean {
  return hasSentFrames ?? traitsOf(outcome).ambiguous;
}

/**
 * The port through which sessions reach the service. Never rejects, because any behaviour of the target is data.
 * `sentAt` is the caller's reading of the clock just before the call. After `leaveAfterMs` the exchange is closed as
 * `abandoned` if it is still in progress: the same length for every exchange of a run that has one.
 */
export type Send = (request: ChatRequest, sentAt: Instant, leaveAfterMs?: Ms) => Promise<Exchange>;

/** Network counters of a run's senders. Described in the schema of results. */
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

/** Traffic of the connections to one address. */
interface TransportAddress {
  address: string;
  connections: number;
  exchanges: number;
}

/** Maximum number of listed addresses of a target; the others are counted together. */
const maxAddresses = 100;

/** Lists each address once, sorted by connections; addresses above the maximum are summed. */
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
