import type { Clock, Ms } from '../../../base/time.ts';
import type { SocketAim } from '../connect/open-socket.ts';
import type { ReadPace } from '../exchange/read-pace.ts';
import type { ResponseLimits } from '../response/response-parser.ts';
import type { TransportCounts } from '../exchange/transport-counts.ts';
import type { SecureClientSessionOptions } from 'node:http2';
import type { ConnectFailure } from '../connect/connect-failure.ts';

/** What the connections and exchanges of one sender over HTTP/2 share. */
export interface Http2Settings {
  aim: SocketAim;
  /** Of the target, for the session. */
  origin: string;
  clock: Clock;
  limits: ResponseLimits;
  /** Of a reply in pieces. */
  maxEventBytes: number;
  timeoutMs: Ms;
  connectTimeoutMs: Ms;
  idleConnectionMs: Ms;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** Whether sessions keep cookies. */
  cookies: boolean;
  pace: ReadPace;
  counts: TransportCounts;
  exhausted: { descriptorsExhausted: number; portsExhausted: number };
}

/** How sessions are opened. The window of a stream holds any usual reply; that of the connection is set when it is open. */
export const sessionOptions: SecureClientSessionOptions = {
  settings: { enablePush: false, initialWindowSize: 1024 * 1024 },
  // Thousands of streams share one session: Node.js would end them at 10 MB in all.
  maxSessionMemory: 4096,
  maxHeaderListPairs: 2000,
};

/** A server that speaks another version. */
export function noHttp2(place: string): ConnectFailure {
  return {
    what: `${place} does not speak HTTP/2`,
    remedy: 'leave target.http2 (--http2) out: chat-load speaks HTTP/1.1 then',
  };
}

/** A server that closed before it said a word of HTTP/2. */
export function closedBeforeSettings(place: string, how: string): ConnectFailure {
  return {
    what: `${how} before ${place} had said a word of HTTP/2`,
    remedy: 'does the service speak HTTP/2 there? Without target.http2 (--http2) chat-load speaks HTTP/1.1',
  };
}

/** The same way, with HTTP/2 offered in the TLS handshake and nothing else. */
export function offerHttp2(aim: SocketAim): SocketAim {
  return aim.tls === undefined ? aim : { ...aim, tls: { ...aim.tls, ALPNProtocols: ['h2'] } };
}
