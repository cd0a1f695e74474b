import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { Clock, Ms } from '../../../base/time.ts';
import type { ChatProtocol, HeaderFields } from '../../../protocol/protocol.ts';
import type { Send, Transport } from '../../../session/send.ts';
import type { TlsOptions } from '../connect/secure-options.ts';
import type { LookUpAll } from '../connect/shared-lookup.ts';
import type { OwnHeaders } from '../request/request-head.ts';
import type { ResponseLimits } from '../response/response-parser.ts';

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
