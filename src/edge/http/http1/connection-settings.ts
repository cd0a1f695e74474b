import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { Clock, Ms } from '../../../base/time.ts';
import type { SocketAim } from '../connect/open-socket.ts';
import type { ReadingSettings } from '../response/reading-settings.ts';
import type { TransportCounts } from '../exchange/transport-counts.ts';

/** What the connections of one sender share. */
export interface ConnectionSettings extends ReadingSettings {
  aim: SocketAim;
  /** The proxy that requests are sent to, to be forwarded: a 407 is its own. */
  forwarder: ProxyServer | undefined;
  clock: Clock;
  /** Whether bodies wait until the server asks for them. */
  expectContinue: boolean;
  timeoutMs: Ms;
  connectTimeoutMs: Ms;
  counts: TransportCounts;
  traffic: { bytesSent: number; bytesReceived: number };
  exhausted: { descriptorsExhausted: number; portsExhausted: number };
}
