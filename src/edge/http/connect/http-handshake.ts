import { basicCredentials, type ProxyServer } from '../../../base/proxy-server.ts';
import { isFromTarget, type Handshake } from './handshake.ts';
import { noProxy, proxyUnauthorized, tunnelRefused, type ProxyFailure } from './proxy-failure.ts';

/** More than any answer to a CONNECT has. */
const maxHeadBytes = 64 * 1024;

/** Asks an HTTP proxy for a tunnel to `place`, a host and port (RFC 9110, 9.3.6). */
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

  take(bytes: Buffer): 'open' | ProxyFailure | undefined {
    const head = (this.#head += bytes.toString('latin1'));
    if (!head.startsWith(start.slice(0, head.length))) return noProxy(this.#server, head);
    const end = head.indexOf('\r\n\r\n');
    if (end !== -1 && interim.test(head)) return this.#skip(end + 4);
    if (end !== -1) return this.#judge(head.slice(0, end), head.slice(end + 4));
    return head.length > maxHeadBytes ? noProxy(this.#server, head) : undefined;
  }

  /** An interim answer says nothing yet. */
  #skip(length: number): ReturnType<HttpHandshake['take']> {
    const rest = Buffer.from(this.#head.slice(length), 'latin1');
    this.#head = '';
    return rest.length === 0 ? undefined : this.take(rest);
  }

  #judge(head: string, rest: string): 'open' | ProxyFailure {
    const [, status = '', reason = ''] = /^HTTP\/1\.\d (\d{3})(?: ([^\r\n]*))?(?:\r\n|$)/.exec(head) ?? [];
    if (status === '') return noProxy(this.#server, head);
    if (status.startsWith('2')) {
      this.rest = Buffer.from(rest, 'latin1');
      return isFromTarget(this.rest) ? 'open' : noProxy(this.#server, rest);
    }
    // Some say 401, as tinyproxy does of wrong credentials: nobody but the proxy answers a CONNECT.
    if (status === '407' || status === '401')
      return proxyUnauthorized(this.#server, { status, schemes: schemesIn(head) });
    return tunnelRefused(this.#server, this.#place, { status: Number(status), reason });
  }
}

const start = 'HTTP/1.';
/** 101 is none: it is the last one. */
const interim = /^HTTP\/1\.\d 1(?!01)\d\d(?: |\r\n)/;

const requestText = ({ credentials }: ProxyServer, place: string): string =>
  [
    `CONNECT ${place} HTTP/1.1`,
    `Host: ${place}`,
    ...(credentials === undefined ? [] : [`Proxy-Authorization: ${basicCredentials(credentials)}`]),
    '',
    '',
  ].join('\r\n');

/** The schemes of `Proxy-Authenticate`, one a line, as proxies send them. */
const schemesIn = (head: string): string[] =>
  [...head.matchAll(/^proxy-authenticate:[ \t]*([\w!#$%&'*+.^`|~-]+)/gim)].map((match) => match[1] ?? '');
