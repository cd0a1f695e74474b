import { basicCredentials, type ProxyServer } from '../../../base/proxy-server.ts';
import type { ConnectError } from './connect-failure.ts';
import { noProxy, proxyUnauthorized, tunnelRefused } from './proxy-failure.ts';

/** The request for a connection, over a socket that is connected to a proxy. */
export interface Handshake {
  /** The first bytes to send. */
  readonly opening: Buffer;
  /** Takes received bytes. Returns more to send, `open`, or the failure; `undefined`: the answer is incomplete. */
  take(bytes: Buffer): Buffer | 'open' | ConnectError | undefined;
  /** Bytes of the target after the proxy's answer. */
  readonly rest: Buffer;
}

/** Only an HTTP/2 server sends first: SETTINGS, whose length begins with zero. Text never does. */
export function isFromTarget(rest: Buffer): boolean {
  return rest.length === 0 || rest[0] === 0;
}

/** More than any answer to a CONNECT contains. */
const maxHeadBytes = 64 * 1024;

/** Requests a tunnel to `place`, a host and port, from an HTTP proxy (RFC 9110, 9.3.6). */
export class HttpHandshake implements Handshake {
  readonly opening: Buffer;
  rest: Buffer = Buffer.alloc(0);
  readonly #server: ProxyServer;
  readonly #place: string;
  #head = '';

  constructor(server: ProxyServer, place: string) {
    this.#server = server;
    this.#place = place;
    this.opening = Buffer.from(requestText(server, place), 'latin1');
  }

  take(bytes: Buffer): 'open' | ConnectError | undefined {
    const head = (this.#head += bytes.toString('latin1'));
    if (!head.startsWith(start.slice(0, head.length))) return noProxy(this.#server, head);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return head.length > maxHeadBytes ? noProxy(this.#server, head) : undefined;
    const rest = Buffer.from(head.slice(end + 4), 'latin1');
    if (!interim.test(head)) return this.#judge(head.slice(0, end), rest);
    this.#head = '';
    return rest.length === 0 ? undefined : this.take(rest);
  }

  #judge(head: string, rest: Buffer): 'open' | ConnectError {
    const [, status = '', reason = ''] = /^HTTP\/1\.\d (\d{3})(?: ([^\r\n]*))?(?:\r\n|$)/.exec(head) ?? [];
    if (status === '') return noProxy(this.#server, head);
    if (status.startsWith('2')) {
      this.rest = rest;
      return isFromTarget(rest) ? 'open' : noProxy(this.#server, rest.toString('latin1'));
    }
    // Some send 401, as tinyproxy does for wrong credentials: only the proxy answers a CONNECT.
    if (status === '407' || status === '401')
      return proxyUnauthorized(this.#server, { status, schemes: schemesIn(head) });
    return tunnelRefused(this.#server, this.#place, { status: Number(status), reason });
  }
}

const start = 'HTTP/1.';
/** 101 is not interim: it is final. */
const interim = /^HTTP\/1\.\d 1(?!01)\d\d(?: |\r\n)/;

const requestText = ({ credentials }: ProxyServer, place: string): string =>
  [
    `CONNECT ${place} HTTP/1.1`,
    `Host: ${place}`,
    ...(credentials === undefined ? [] : [`Proxy-Authorization: ${basicCredentials(credentials)}`]),
    '',
    '',
  ].join('\r\n');

/** Schemes of `Proxy-Authenticate`, one per line, as proxies send them. */
const schemesIn = (head: string): string[] =>
  [...head.matchAll(/^proxy-authenticate:[ \t]*([\w!#$%&'*+.^`|~-]+)/gim)].map((match) => match[1] ?? '');
