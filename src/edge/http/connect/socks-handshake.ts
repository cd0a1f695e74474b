import { isIP } from 'node:net';
import type { ProxyCredentials, ProxyServer } from '../../../base/proxy-server.ts';
import { isFromTarget, type Handshake } from './handshake.ts';
import { noProxy, socksRefused, socksUnauthorized, type ProxyFailure } from './proxy-failure.ts';

export interface SocksTarget {
  /** An address, or a name that the proxy looks up. */
  host: string;
  port: number;
  /** Both, for a person. */
  place: string;
}

/**
 * Asks a SOCKS5 proxy for a connection to the target (RFC 1928), with user and password where there are such (RFC 1929).
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
  #came = Buffer.alloc(0);

  constructor(server: ProxyServer, target: SocksTarget) {
    this.#server = server;
    this.#target = target;
    const methods = server.credentials === undefined ? [noLogin] : [noLogin, login];
    this.opening = Buffer.from([version, methods.length, ...methods]);
  }

  take(bytes: Buffer): Buffer | 'open' | ProxyFailure | undefined {
    this.#came = Buffer.concat([this.#came, bytes]);
    const [first, second] = this.#came;
    if (first !== undefined && first !== (this.#awaits === 'status' ? loginVersion : version))
      return noProxy(this.#server, this.#came.toString('latin1'));
    if (second === undefined) return undefined;
    if (this.#awaits === 'reply') return this.#takeReply(second);
    this.#came = this.#came.subarray(2);
    return this.#awaits === 'method' ? this.#takeMethod(second) : this.#takeStatus(second);
  }

  #takeMethod(method: number): Buffer | ProxyFailure {
    const { credentials } = this.#server;
    if (method === noLogin) return this.#request();
    if (method !== login || credentials === undefined) return socksUnauthorized(this.#server);
    this.#awaits = 'status';
    return loginOf(credentials);
  }

  #takeStatus(status: number): Buffer | ProxyFailure {
    return status === 0 ? this.#request() : socksUnauthorized(this.#server);
  }

  #request(): Buffer {
    this.#awaits = 'reply';
    const { host, port } = this.#target;
    return Buffer.concat([Buffer.from([version, connect, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]);
  }

  /** Some proxies end a refusal before the address that belongs to it. */
  #takeReply(code: number): 'open' | ProxyFailure | undefined {
    if (code !== 0)
      return socksRefused(this.#server, this.#target.place, replies[code] ?? `it answers with code ${String(code)}`);
    const length = replyLength(this.#came);
    if (length === undefined || this.#came.length < length) return undefined;
    this.rest = this.#came.subarray(length);
    return isFromTarget(this.rest) ? 'open' : noProxy(this.#server, this.rest.toString('latin1'));
  }
}

const version = 5;
const loginVersion = 1;
const connect = 1;
const noLogin = 0;
const login = 2;

/** The kinds of an address, and how long each is; a name begins with its length. */
const kinds = { ipv4: 1, name: 3, ipv6: 4 } as const;

const loginOf = ({ user, password }: ProxyCredentials): Buffer =>
  Buffer.concat([Buffer.from([loginVersion]), withLength(user), withLength(password)]);

const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);

function addressOf(host: string): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([kinds.ipv4, ...host.split('.').map(Number)]);
  return family === 6
    ? Buffer.from([kinds.ipv6, ...bytesOfIpv6(host)])
    : Buffer.concat([Buffer.from([kinds.name]), withLength(host)]);
}

/** A URL writes an address without dots, and with one `::` at most. */
function bytesOfIpv6(host: string): number[] {
  const plain = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const gap = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...gap, ...after].flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 0xff]);
}

/** `undefined`: not known yet. */
function replyLength(reply: Buffer): number | undefined {
  const [, , , kind, first] = reply;
  if (kind === kinds.name) return first === undefined ? undefined : 7 + first;
  if (kind === undefined) return undefined;
  return kind === kinds.ipv6 ? 22 : 10;
}

/** The replies of RFC 1928. */
const replies: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'its rules do not allow it',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'connection refused',
  6: 'the time to live expired',
  7: 'it does not take the command',
  8: 'it does not take this kind of address',
};
