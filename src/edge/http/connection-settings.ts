import type { ProxyServer } from '../../base/proxy-server.ts';
import type { Clock, Ms } from '../../base/time.ts';
import type { FastResponse } from './fast-response.ts';
import type { ReadPace } from './read-pace.ts';
import type { SocketAim } from './open-socket.ts';
import type { TransportCounts } from './transport-counts.ts';
import type { ResponseLimits } from './response-parser.ts';

/** What the connections of one sender share. */
export interface ConnectionSettings {
  aim: SocketAim;
  /** The proxy that requests are sent to, to be forwarded: a 407 is its own. */
  forwarder: ProxyServer | undefined;
  clock: Clock;
  limits: ResponseLimits;
  /** Whether bodies wait until the server asks for them. */
  expectContinue: boolean;
  /** Of a reply in pieces. */
  maxEventBytes: number;
  timeoutMs: Ms;
  connectTimeoutMs: Ms;
  idleConnectionMs: Ms;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** All sockets read into this one; its content is consumed before the next read. */
  readBuffer: Buffer;
  /** Whether exchanges tell the cookies that the service sets. */
  cookies: boolean;
  fastResponse: FastResponse;
  pace: ReadPace;
  counts: TransportCounts;
  traffic: { bytesSent: number; bytesReceived: number };
  exhausted: { descriptorsExhausted: number; portsExhausted: number };
}
