import { isIP } from 'node:net';
import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { ConnectError } from './connect-failure.ts';
import { isFromTarget, type Handshake } from './http-handshake.ts';
import { noProxy, proxyUnauthorized, socksRefused } from './proxy-failure.ts';

interface SocksTarget {
  /** An address, or a name that the proxy looks up. */
  host: string;
  port: number;
  place: string;
}

/**
 * Requests a connection to the target from a SOCKS5 proxy (RFC 1928), with user and password if it has them (RFC 1929).
 *
 *     greeting -> method -- 2 --> login -> status --.
 *                   '------ 0 ----------------------'-> request -> reply
 */
export class SocksHandshake implements Handshake {
  readonly opening: Buffer;
  rest: Buffer = Buffer.alloc(0);
  readonly #server: ProxyServer;
  readonly #target: SocksTarget;
  #awaits: 'method' | 'status' | 'reply' = 'method';
  #received = Buffer.alloc(0);

  constructor(server: ProxyServer, target: SocksTarget) {
    this.#server = server;
    this.#target = target;
    const methods = server.credentials === undefined ? [noLogin] : [noLogin, login];
    this.opening = Buffer.from([version, methods.length, ...methods]);
  }

  take(bytes: Buffer): Buffer | 'open' | ConnectError | undefined {
    this.#received = Buffer.concat([this.#received, bytes]);
    const [first, second] = this.#received;
    if (first !== undefined && first !== (this.#awaits === 'status' ? loginVersion : version))
      return noProxy(this.#server, this.#received.toString('latin1'));
    if (second === undefined) return undefined;
    if (this.#awaits === 'reply') return this.#takeReply(second);
    this.#received = this.#received.subarray(2);
    // `noLogin` as a method and success as a status are both 0.
    if (second === noLogin) return this.#request();
    const { credentials } = this.#server;
    if (this.#awaits === 'status' || second !== login || credentials === undefined)
      return proxyUnauthorized(this.#server);
    this.#awaits = 'status';
    return Buffer.concat([Buffer.from([loginVersion]), withLength(credentials.user), withLength(credentials.password)]);
  }

  #request(): Buffer {
    this.#awaits = 'reply';
    const { host, port } = this.#target;
    return Buffer.concat([Buffer.from([version, connect, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]);
  }

  /** Some proxies end a refusal before its address. */
  #takeReply(code: number): 'open' | ConnectError | undefined {
    if (code !== 0)
      return socksRefused(this.#server, this.#target.place, replies[code] ?? `it answers with code ${String(code)}`);
    const length = replyLength(this.#received);
    if (length === undefined || this.#received.length < length) return undefined;
    this.rest = this.#received.subarray(length);
    return isFromTarget(this.rest) ? 'open' : noProxy(this.#server, this.rest.toString('latin1'));
  }
}

const version = 5;
const loginVersion = 1;
const connect = 1;
const noLogin = 0;
const login = 2;

/** Address types; a name begins with its length. */
const kinds = { ipv4: 1, name: 3, ipv6: 4 } as const;

const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);

function addressOf(host: string): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([kinds.ipv4, ...host.split('.').map(Number)]);
  if (family === 6) return Buffer.from([kinds.ipv6, ...bytesOfIpv6(host)]);
  return Buffer.concat([Buffer.from([kinds.name]), withLength(host)]);
}

/** A URL has the address without dots, and with one `::` at most. */
function bytesOfIpv6(host: string): number[] {
  const plain = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const gap = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...gap, ...after].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}

/** Returns the length of a reply; `undefined`: not known yet. */
function replyLength(reply: Buffer): number | undefined {
  const [, , , kind, first] = reply;
  if (kind === kinds.name) return first === undefined ? undefined : 7 + first;
  if (kind === undefined) return undefined;
  return kind === kinds.ipv6 ? 22 : 10;
}

/** The replies of RFC 1928. */
const replies: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'its rules do not allow the connection',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'connection refused',
  6: 'the time to live expired',
  7: 'the command is not supported',
  8: 'this type of address is not supported',
};
