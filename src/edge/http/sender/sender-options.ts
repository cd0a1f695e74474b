import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { Clock, Ms } from '../../../base/time.ts';
import type { AwsCredentials } from '../../../plan/resolve-auth.ts';
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
  /** Removes secrets from a text; default: the key. */
  redact?: (text: string) => string;
  /** Returns the header fields that authorize a request with the key. */
  authorize: ChatProtocol['authorize'];
  /** Header fields that authorize requests instead of the key, until `authorize` of the sender replaces them. */
  authorization?: HeaderFields | undefined;
  /** Credentials that sign every request instead of the key. */
  signedWith?: AwsCredentials | undefined;
  toolVersion: string;
  headers?: OwnHeaders | undefined;
  cookies?: boolean;
  /** From `sentAt` to the last byte of the response, connecting included. */
  timeoutMs: Ms;
  /** DNS, TCP and TLS of one connection. Usually 10 s. */
  connectTimeoutMs: Ms;
  /** Maximum size of an event of a streamed reply. Usually 1 MiB. */
  maxEventBytes?: number;
  /** Maximum time without content in a streamed reply; `null`: only the timeout applies. */
  stallTimeoutMs?: Ms | null;
  /** Maximum idle time of a connection. Usually 4 s; less if the server announces less. */
  idleConnectionMs: Ms;
  clock: Clock;
  /** Accepts compressed replies if they are not streamed. */
  compression?: boolean;
  /** Sends bodies when the server requests them, or after a second. */
  expectContinue?: boolean;
  tls?: TlsOptions;
  /** `host:port:address`: names that are not looked up. */
  resolve?: readonly string[] | null;
  /** Interval at which the host is looked up again; `null`: never. */
  dnsRefreshMs?: Ms | null;
  lookUp?: LookUpAll;
  http2?: boolean;
  /** Default: HTTP. */
  transport?: ChatProtocol['transport'];
  /** Transport of streams of sessions. */
  listens?: ChatProtocol['listens'];
  /** True if requests may go to other origins than the target's, or over WebSocket besides HTTP. */
  otherOrigins?: ChatProtocol['otherOrigins'];
  /** Addresses of this machine, literals of one family, from which connections are opened in turn. */
  localAddresses?: readonly string[];
  unixSocket?: string | null;
  proxy?: ProxyServer | undefined;
}

export interface Sender {
  send: Send;
  /** Authorizes all later requests with these fields: a token was renewed. */
  authorize(fields: HeaderFields): void;
  /** Ends the exchanges in progress as `aborted`, and every later one at once. */
  cut(): void;
  /** Cuts, and waits until all sockets and timers are closed. */
  close(): Promise<void>;
  /** Numbers of connections that are open or being opened, and of all that were ever opened. */
  readonly connections: { readonly open: number; readonly opened: number };
  /** Bytes of requests and responses of HTTP, without TLS. */
  readonly traffic: { readonly bytesSent: number; readonly bytesReceived: number };
  transport(): Transport;
  /** Connections that could not be opened because this process lacked something. */
  readonly exhausted: { readonly descriptorsExhausted: number; readonly portsExhausted: number };
}
