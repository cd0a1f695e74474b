import type { Clock, Ms } from '../../../base/time.ts';
import type { SocketAim } from '../connect/open-socket.ts';
import type { ReadPace } from '../exchange/read-pace.ts';
import type { ResponseLimits } from '../response/response-parser.ts';
import type { TransportCounts } from '../exchange/transport-counts.ts';

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
